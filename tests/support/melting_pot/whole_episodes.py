"""Plays every substrate of Melting Pot without bots, and counts what came of the questions that its agents asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from hm_agent.catalogue.registry import scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import Model
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.episodes import seat_agents, set_up
from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from tests.support import schema_player

SEED = 0
AGENTS = ("react", "hypothetical_minds")


def self_play() -> Iterator[ScenarioInfo]:
    """The scenario without bots of each substrate."""
    named = scenarios()
    return (named[scenario.name] for scenario in all_scenarios() if scenario.is_self_play)


@dataclass
class Answers:
    """A recorder that counts questions, those without a valid answer, and why answers were refused, without numbers."""

    steps: int = 0
    questions: int = 0
    unanswered: int = 0
    calls: int = 0
    refusals: Counter[str] = field(default_factory=Counter)

    def record(self, step: Step) -> None:
        self.steps += 1
        for decision in step.decisions.values():
            for exchange in decision.exchanges:
                self.questions += 1
                self.unanswered += exchange.answer is None
                self.calls += len(exchange.calls)
                name = exchange.question.asked_as
                problems = [call.problem for call in exchange.calls if call.problem]
                self.refusals.update(f"{name}: {re.sub('[0-9]+', 'N', problem)}" for problem in problems)

    def close(self) -> None:
        """Keeps what it has."""


async def play(scenario: ScenarioInfo, agents: Sequence[str], steps: int, model: Model | None = None) -> Answers:
    """Plays an episode without files; raises what ended it, if anything did.

    agents: those of the first seats, and again of the next ones. model: answers their questions; the built-in reasoner
    by default.
    """
    answers = Answers()
    world, seated = set_up(scenario, agents[0], model=model, seed=SEED)
    for agent, seats in zip(agents[1:], (scenario.seats[start :: len(agents)] for start in count(1)), strict=False):
        others = seat_agents(world, scenario, agent, model=model, seed=SEED)
        seated |= {seat: others[seat] for seat in seats}
    outcome = await run_episode(world, seated, seed=SEED, max_steps=steps, recorders=[answers])
    world.close()
    if outcome.error:
        raise outcome.error
    return answers


async def play_at_random(scenario: ScenarioInfo, agents: Sequence[str], steps: int) -> Answers:
    """As `play`; an endpoint over HTTP answers every question with something random that fits the answer's schema."""
    with Endpoint(schema_player.answer) as server:
        settings = ModelSettings("random", base_url=server.base_url)
        async with ModelPool(settings).model(settings.name, SEED, {}) as model:
            return await play(scenario, agents, steps, model)
