"""Plays whole episodes without files, for tests and benchmarks, and keeps the steps of one seat."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, Setting
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, Step, World
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.experiment.planned_episode import seat_seed
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import Model
from hm_agent.theory_of_mind.hypotheses import Parameters


@dataclass(frozen=True)
class SeatStep:
    """One seat's part of a step. reward: the step's. total: the sum of its rewards so far, this one included."""

    observation: Observation[Any]
    decision: Decision[Any]
    reward: float
    total: float


class SeatLog(Recorder):
    """A recorder that keeps every step of one seat."""

    def __init__(self, seat: Seat = "player_0") -> None:
        self._seat = seat
        self.steps: list[SeatStep] = []

    def record(self, step: Step) -> None:
        if self._seat in step.decisions:
            observation, decision = step.turn.observations[self._seat], step.decisions[self._seat]
            self.steps.append(
                SeatStep(observation, decision, step.rewards.get(self._seat, 0.0), step.totals.get(self._seat, 0.0))
            )


def settled(scenario: ScenarioInfo, **options: Setting) -> Mapping[str, Setting]:
    """The values of all options of a world, as it settles them. options: those that differ from their defaults."""
    suite = suites()[scenario.world]
    return suite.settle(scenario, suite.with_defaults(options))


def seat_agents(
    world: World[Any, Any],
    scenario: ScenarioInfo,
    name: str = "hypothetical_minds",
    *,
    model: Model | None = None,
    seed: int = 0,
    options: Mapping[str, Setting] | None = None,
) -> dict[Seat, Agent[Any, Any]]:
    """The same agent for every seat. model: answers its questions; the built-in reasoner by default.

    seed: of the episode; each seat's own seed is drawn from it, as in an experiment.
    """
    suite = suites()[scenario.world]
    answering = model or BuiltinReasoner(suite.answers())
    chosen = settled(scenario) if options is None else options
    seeds = {seat: seat_seed(seed, place) for place, seat in enumerate(scenario.seats)}
    return {
        seat: build_agent(name, AgentSetup(scenario, world, seat, answering, own_seed, chosen, Parameters()))
        for seat, own_seed in seeds.items()
    }


def set_up(
    scenario: ScenarioInfo,
    name: str = "hypothetical_minds",
    *,
    model: Model | None = None,
    seed: int = 0,
    **options: Setting,
) -> tuple[World[Any, Any], dict[Seat, Agent[Any, Any]]]:
    """Opens a scenario's world and builds the same agent for every seat. options: those that differ from defaults."""
    chosen = settled(scenario, **options)
    world = suites()[scenario.world].open(scenario, chosen)
    return world, seat_agents(world, scenario, name, model=model, seed=seed, options=chosen)


def play_out(
    world: World[Any, Any],
    agents: Mapping[Seat, Agent[Any, Any]],
    *,
    seed: int,
    steps: int | None = None,
    recorders: Sequence[Recorder] = (),
) -> EpisodeOutcome:
    """Plays one episode of at most `steps` steps and closes the world; raises the error that ended it, if any."""
    outcome = asyncio.run(run_episode(world, agents, seed=seed, max_steps=steps, recorders=recorders))
    world.close()
    if outcome.error:
        raise outcome.error
    return outcome


def play_steps(
    scenario: ScenarioInfo, name: str, steps: int, *, model: Model | None = None, seed: int = 1, **options: Setting
) -> list[SeatStep]:
    """Plays an episode with the same agent in every seat; returns the first seat's steps, or raises what ended it."""
    world, agents = set_up(scenario, name, model=model, seed=0, **options)
    log = SeatLog(scenario.seats[0])
    play_out(world, agents, seed=seed, steps=steps, recorders=[log])
    return log.steps
