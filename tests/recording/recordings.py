"""Recorded episodes, what there was to be recorded of them, and worlds in which there is next to nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, Viewer
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, Step, Strategy, Thoughts, Turn, World
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.recording.replay.film import Pixels
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.result import Result, SeatResult
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.episodes import SeatLog, play_out, set_up, settled
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.scene import PlayerState, Scene
from tests.support.step_log import StepLog

SEED = 3
NO_SCENARIO = ScenarioInfo("nowhere", "nowhere_0", "nowhere_0", "Nowhere")


@dataclass(frozen=True, slots=True)
class PlainStrategy:
    """A strategy that is nothing but words."""

    words: str


def thinking(words: str) -> Thoughts:
    strategy: Strategy = PlainStrategy(words)
    return Thoughts(strategy)


@dataclass
class Witness(Recorder):
    """Keeps what there was to be recorded of one seat, and what is hidden from it."""

    seat: Seat = "player_0"
    steps: list[Step] = field(default_factory=list)
    frames: list[Pixels] = field(default_factory=list)
    views: list[Pixels] = field(default_factory=list)
    truths: list[tuple[PlayerState, ...]] = field(default_factory=list)
    states: list[SubstrateAgentState] = field(default_factory=list)

    def record(self, step: Step) -> None:
        assert isinstance(step.scene, Scene)
        self.steps.append(step)
        self.frames.append(step.scene.frame.copy())
        self.views.append(np.array(step.turn.observations[self.seat].view["RGB"]))
        slot = int(self.seat.split("_")[1])
        self.truths.append(tuple(other for i, other in enumerate(step.scene.players) if i != slot))
        if isinstance(state := step.decisions[self.seat].state, SubstrateAgentState):
            self.states.append(state)

    def remembered(self, step: int) -> set[tuple[str, Any, int]]:
        """Every thing and player that the seat's agent knows of, with where and at which step it was last seen."""
        state = self.states[step]
        things = {(kind, cell, when) for cell, (kind, when) in state.things.items()}
        return things | {(name, seen.cell, seen.step) for name, seen in state.players.items()}


@dataclass(frozen=True)
class Recording:
    """An episode that was played and recorded. witnesses: by seat."""

    folder: Path
    witnesses: Mapping[Seat, Witness]

    @property
    def path(self) -> Path:
        return self.folder / PAGE

    @property
    def witness(self) -> Witness:
        return self.witnesses["player_0"]

    @property
    def trace(self) -> list[dict[str, Any]]:
        """The lines of the trace after its header."""
        return [json.loads(line) for line in (self.folder / "trace.jsonl").read_text("utf-8").splitlines()[1:]]

    def trace_of(self, seat: Seat) -> list[dict[str, Any]]:
        return [line for line in self.trace if line["seat"] == seat]

    def marked(self, kind: str) -> list[int]:
        return [line["step"] for line in self.trace if any(e["kind"] == kind for e in line.get("events", []))]


def record(folder: Path, name: str, steps: int, *names: str) -> Recording:
    """Plays an episode of Melting Pot. names: the agents by seat; Hypothetical Minds by default."""
    (scenario,) = find_scenarios([name])
    agents = names or ("hypothetical_minds",) * len(scenario.seats)
    suite, options = suites()[scenario.world], settled(scenario, bots="scripted")
    world = suite.open(scenario, options)
    reasoner = BuiltinReasoner(suite.answers())
    playing = {
        seat: build_agent(agent, AgentSetup(scenario, world, seat, reasoner, SEED, options, Parameters()))
        for seat, agent in zip(scenario.seats, agents, strict=True)
    }
    witnesses = {seat: Witness(seat) for seat in scenario.seats}
    replay = ReplayRecorder(suite.viewer(scenario), folder, scenario)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay, *witnesses.values()]
    outcome = asyncio.run(run_episode(world, playing, seed=SEED, max_steps=steps, recorders=recorders))
    world.close()
    if outcome.error:
        raise outcome.error
    replay.write(result(scenario, agents, steps=steps, settings={"bots": "scripted"}))
    return Recording(folder, witnesses)


def replayed(
    folder: Path,
    name: str,
    agent: str,
    log: SeatLog | StepLog[Any],
    *,
    seed: int,
    instead: Mapping[Seat, Agent[Any, Any]] | None = None,
) -> Path:
    """The page on an episode that an agent plays in all seats, or others `instead`; its trace lies beside it."""
    (scenario,) = find_scenarios([name])
    world, agents = set_up(scenario, agent)
    replay = ReplayRecorder(suites()[scenario.world].viewer(scenario), folder, scenario)
    play_out(world, instead or agents, seed=seed, recorders=[TraceRecorder(folder / "trace.jsonl"), replay, log])
    replay.write(result(scenario, (agent,) * len(scenario.seats), steps=len(log.steps)))
    return folder / PAGE


def result(scenario: ScenarioInfo, agents: Sequence[str] = ("hypothetical_minds",), **changes: Any) -> Result:
    """A result that says what a page's head shows; the rest is 0."""
    seats = tuple(SeatResult(seat, agent, "builtin", 0.0) for seat, agent in zip(scenario.seats, agents, strict=False))
    known = {
        "world": scenario.world,
        "scenario": scenario.name,
        "agent": "+".join(dict.fromkeys(agents)),
        "model": "builtin",
        "status": "completed",
        "reason": "",
        "metrics": {},
        "background": (),
        "versions": {},
        "made": {},
        "served": (),
        "settings": {},
        "seats": seats,
        "format": 2,
    }
    return Result(**dict.fromkeys((one.name for one in fields(Result)), 0) | known | changes)  # type: ignore[arg-type]


class GreySquare(Viewer):
    """A viewer of a world that is one grey square, in which nothing is known of anybody."""

    scripts: Sequence[Path] = ()

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        return {"world": np.full((8, 8, 3), 128, np.uint8)}

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        return {}

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels]:
        raise NotImplementedError


def a_step(number: int, decision: Decision[Any], reward: float = 0.0, seat: Seat = "player_0") -> Step:
    """A step of which only one seat's decision and reward are known."""
    return Step(Turn(number, {seat: Observation(number, {})}), {seat: decision}, {seat: reward}, {seat: reward})


def written(viewer: Viewer | None, folder: Path, *decisions: Decision[Any], **changes: Any) -> Path:
    """The page on steps of which only the decisions are known."""
    replay, trace = ReplayRecorder(viewer, folder, NO_SCENARIO), TraceRecorder(folder / "trace.jsonl")
    for number, decision in enumerate(decisions):
        for recorder in (trace, replay):
            recorder.record(a_step(number, decision))
    trace.close()
    replay.write(result(NO_SCENARIO, **changes))
    return folder / PAGE


@dataclass(frozen=True, slots=True)
class Count:
    """What a player of `TakeTurns` believes."""

    said_so_far: Mapping[str, Sequence[str]]
    is_next: bool


class TakeTurns(World[str, str]):
    """A world of text in which two seats speak in turn, and each is paid for what the other says."""

    seats: Sequence[Seat] = ("anna", "bert")

    def __init__(self, turns: int) -> None:
        self._turns, self._step = turns, 0

    def reset(self, seed: int) -> Turn[str]:
        self._step = 0
        return self._turn({})

    def step(self, actions: Mapping[Seat, str]) -> Turn[str]:
        self._step += 1
        return self._turn({seat: float(seat not in actions) for seat in self.seats})

    def close(self) -> None:
        """Holds nothing."""

    def _turn(self, rewards: Mapping[Seat, float]) -> Turn[str]:
        seat = self.seats[self._step % 2]
        view = f"It is {seat}'s turn"
        return Turn(self._step, {seat: Observation(self._step, view)}, rewards, self._step == self._turns)
