"""How fast perception, the agent and a whole episode are; medians, since machines are noisy."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from statistics import median

from benchmarks.stage import set_up
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
from hm_agent.worlds.melting_pot.scenarios import Scenario, find_scenarios
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

STEPS = 1000
ROUNDS = 5


@dataclass(frozen=True)
class Target:
    """What is to be reached on a scenario, and what the paper's published code takes on a machine of the same kind.

    step: the agent's own, in ms, without model calls. rate: steps/s of world, bots and agent, None where none is set.
    perception, code_perception, code_step: in ms; None where nobody has measured it.
    """

    scenario: str
    step: float
    rate: float | None
    perception: float | None = None
    code_perception: float | None = None
    code_step: float | None = None


TARGETS = (
    Target("rws_repeated_1", 0.5, 1000, 0.25, 29, 55),
    Target("pd_repeated_6", 0.5, None, code_perception=27),
    Target("rws_arena_0", 1.0, 250, code_perception=159, code_step=211),
    Target("cooking_asymmetric_0", 0.5, None, code_perception=10.5),
)


@dataclass
class Reel:
    """Keeps the frames of an episode and the moves made between them."""

    frames: list[Pixels] = field(default_factory=list)
    moves: list[int] = field(default_factory=lambda: [int(Move.NOOP)])

    def record(self, step: Step) -> None:
        self.frames.append(step.observation.fields["RGB"].copy())
        self.moves.append(step.decision.action)

    def close(self) -> None:
        """Keeps what it has."""


class Clock:
    """Takes the time from the end of the first step to the end of the last."""

    def __init__(self) -> None:
        self._started: float | None = None
        self.seconds = 0.0

    def record(self, step: Step) -> None:
        now = time.perf_counter()
        self._started = self._started or now
        self.seconds = now - self._started

    def close(self) -> None:
        """Keeps what it has measured."""


def play(scenario: Scenario, seed: int, *recorders: Reel) -> tuple[float, list[float]]:
    """Seconds for an episode without its set-up, and for each of the agent's steps in which it asked nothing."""
    world, agent = set_up(scenario, seed)
    clock = Clock()
    outcome = asyncio.run(run_episode(world, agent, seed=seed, max_steps=STEPS + 1, recorders=[clock, *recorders]))
    world.close()
    return clock.seconds, outcome.decision_seconds


def perceive(scenario: Scenario, reel: Reel) -> list[float]:
    """Seconds for each frame of an episode, from pixels to the textual map."""
    perceiver = Perceiver(vision_of(scenario.game.short_name))
    times = []
    for frame, move in zip(reel.frames, reel.moves, strict=False):
        started = time.perf_counter()
        perceiver.see(frame, move)
        times.append(time.perf_counter() - started)
    return times


def main() -> None:
    print("| scenario | what | target | measured (median) | the paper's code |\n| --- | --- | --- | --- | --- |")
    for target in TARGETS:
        measure(target)


def measure(target: Target) -> None:
    (scenario,) = find_scenarios([target.scenario])
    reel = Reel()
    play(scenario, 0, reel)
    frames = [median(perceive(scenario, reel)) for _ in range(ROUNDS)]
    played = [play(scenario, seed) for seed in range(ROUNDS)]
    steps = [median(decisions) for _, decisions in played]
    rates = [(len(reel.frames) - 1) / seconds for seconds, _ in played]
    name = target.scenario
    show(name, "perception, ms a frame", target.perception, f"{1e3 * median(frames):.3f}", target.code_perception)
    show(name, "agent's step without model calls, ms", target.step, f"{1e3 * median(steps):.3f}", target.code_step)
    show(name, "world, scripted bots and agent, steps/s", target.rate, f"{median(rates):,.0f}", None)


def show(scenario: str, what: str, target: float | None, measured: str, code: float | None) -> None:
    aim, theirs = ("-" if value is None else f"{value:,g}" for value in (target, code))
    print(f"| {scenario} | {what} | {aim} | {measured} | {theirs} |")
