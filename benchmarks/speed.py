"""The median speed of perception, of the agent and of a whole episode."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import median

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Recorder, Step
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

STEPS = 1000
ROUNDS = 5


@dataclass(frozen=True)
class Target:
    """The targets on a scenario, and the times of the authors' code, measured on a machine of the same kind.

    step: ms per step of the agent, without model calls. rate: steps/s of world, bots and agent. perception: ms per
    frame. code_perception, code_step: the authors' code's ms. None where there is no target or no measurement.
    """

    scenario: str
    step: float
    rate: float | None
    perception: float | None = None
    code_perception: float | None = None
    code_step: float | None = None


TARGETS = (
    Target("rws_repeated_1", 0.5, 2000, 0.25, 29, 55),
    Target("pd_repeated_6", 0.5, 1600, code_perception=27),
    Target("rws_arena_0", 1.0, 700, code_perception=159, code_step=211),
    Target("cooking_asymmetric_0", 0.5, 1200, code_perception=10.5),
)


@dataclass
class FrameRecorder(Recorder):
    """A recorder that keeps an episode's frames and the moves between them."""

    frames: list[Pixels] = field(default_factory=list)
    moves: list[int] = field(default_factory=lambda: [int(Move.NOOP)])

    def record(self, step: Step) -> None:
        self.frames.append(step.turn.observations[FOCAL].view["RGB"].copy())
        self.moves.append(step.decisions[FOCAL].action)


class Stopwatch(Recorder):
    """A recorder that times the steps after the first one. seconds, steps: the total time and number of these."""

    def __init__(self) -> None:
        self._started: float | None = None
        self.seconds, self.steps = 0.0, -1

    def record(self, step: Step) -> None:
        now = time.perf_counter()
        self._started = self._started or now
        self.seconds = now - self._started
        self.steps += 1


def play(scenario: ScenarioInfo, seed: int, *recorders: FrameRecorder) -> tuple[float, list[float]]:
    """Steps per second of an episode without its set-up, and the seconds of each decision without a question."""
    world, agents = set_up(scenario, seed=seed, bots="scripted")
    clock = Stopwatch()
    outcome = play_out(world, agents, seed=seed, steps=STEPS + 1, recorders=[clock, *recorders])
    return clock.steps / clock.seconds, list(outcome.decision_seconds)


def perceive(scenario: ScenarioInfo, recorded: FrameRecorder) -> list[float]:
    """Seconds from pixels to the textual map, for each frame of an episode."""
    perceiver = Perceiver(vision_of(scenario_named(scenario.name).game.short_name, 0))
    times = []
    for frame, move in zip(recorded.frames, recorded.moves, strict=False):
        started = time.perf_counter()
        perceiver.see(frame, move)
        times.append(time.perf_counter() - started)
    return times


def main() -> None:
    print("| scenario | what | target | measured (median) | the authors' code |\n| --- | --- | --- | --- | --- |")
    for target in TARGETS:
        measure(target)


def measure(target: Target) -> None:
    (scenario,) = find_scenarios([target.scenario])
    recorded = FrameRecorder()
    play(scenario, 0, recorded)
    frames = [median(perceive(scenario, recorded)) for _ in range(ROUNDS)]
    played = [play(scenario, seed) for seed in range(ROUNDS)]
    steps = [median(decisions) for _, decisions in played]
    rates = [rate for rate, _ in played]
    name = target.scenario
    show(name, "perception, ms a frame", target.perception, f"{1e3 * median(frames):.3f}", target.code_perception)
    show(name, "agent's step without model calls, ms", target.step, f"{1e3 * median(steps):.3f}", target.code_step)
    show(name, "world, scripted bots and agent, steps/s", target.rate, f"{median(rates):,.0f}", None)


def show(scenario: str, what: str, target: float | None, measured: str, code: float | None) -> None:
    aim, theirs = ("-" if value is None else f"{value:,g}" for value in (target, code))
    print(f"| {scenario} | {what} | {aim} | {measured} | {theirs} |")
