"""What asking a language model takes: tokens, round trips and waiting, against a real endpoint on loopback.

The endpoint's answers are canned: read off the prompt by rule, by no language model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.episode import Outcome, run_episode
from hm_agent.models.providers import ModelSettings, provider_of
from hm_agent.questions import AnswerT, Call, Model, Question, ignore
from hm_agent.testing.endpoint import Endpoint, Response
from hm_agent.testing.melting_pot import text_player
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import HypothesisAnswer, TheoryOfMind
from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.scenarios import find_scenarios, game_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

SCENARIO = "rws_repeated_1"
SEED = 0
STEPS = 1000
LATENCY = 0.2
PAPERS_TOKENS = 25_000
"""Input tokens an interaction (characters / 4) that the paper's published code takes on this game."""
CHARACTERS_PER_TOKEN = 4
OWN, ROCK, PAPER = (1, 1, 7), (6, 1, 1), (1, 6, 1)


@dataclass
class Traffic:
    """What an endpoint is asked. Requests that arrive while an earlier one waits share its round trip."""

    latency: float = 0.0
    characters: int = 0
    calls: int = 0
    round_trips: int = 0
    _answered: float = field(default=0.0, repr=False)

    def answer(self, body: dict[str, Any]) -> Response:
        now = time.perf_counter()
        if now >= self._answered:
            self.round_trips += 1
            self._answered = now + self.latency
        self.calls += 1
        self.characters += sum(len(message["content"]) for message in body["messages"])
        return text_player.answer(body)


@contextmanager
def endpoint(latency: float) -> Iterator[tuple[Traffic, ModelSettings]]:
    """An endpoint that takes so many seconds for each answer, and how to reach it."""
    traffic = Traffic(latency)
    with Endpoint(traffic.answer, delay=latency) as server:
        yield traffic, ModelSettings("canned", base_url=server.base_url)


async def play(settings: ModelSettings) -> tuple[Outcome, int, float]:
    """An episode's outcome, its interactions, and the seconds it took."""
    (scenario,) = find_scenarios([SCENARIO])
    world, eyes = MeltingPotWorld(scenario, Bots.SCRIPTED), vision_of(scenario.game.short_name)
    async with provider_of(settings).model(SEED) as model:
        agent = AGENTS["hypothetical_minds"](Ingredients(scenario.game, eyes, model, SEED, world.tell))
        started = time.perf_counter()
        outcome = await run_episode(world, agent, seed=SEED, max_steps=STEPS)
        seconds = time.perf_counter() - started
    world.close()
    return outcome, agent.vitals().interactions, seconds


class Doubter:
    """A model that thinks of a new hypothesis whenever it is asked, and so has many to score; else as `model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self._thought = 0

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        answer = await self._model.answer(question, note)
        if isinstance(answer, HypothesisAnswer):
            self._thought += 1
            answer.hypothesis += f" ({self._thought})"
        return answer


async def update(model: Model, others: list[tuple[int, ...]], traffic: Traffic) -> tuple[int, int]:
    """The round trips of the last of several updates of the Theory of Mind, and how many hypotheses it scored."""
    facts = game_named("rws_repeated", MatrixFacts)
    game = MatrixGame(facts, vision_of(facts.short_name))
    mind = TheoryOfMind(game.mind, model, InteractionMemory(), Hyperparameters())
    before, scored = 0, 0
    for number, other in enumerate(others):
        before = traffic.round_trips
        scored = sum(hypothesis.prediction is not None for hypothesis in mind.hypotheses)
        paid = reward(OWN, other, facts.payoff)
        await mind.revise(InteractionEvent(100 * number, game.players[0], OWN, paid, shown=(0, 0, 0)))
    return traffic.round_trips - before, scored


async def updates(settings: ModelSettings, traffic: Traffic) -> tuple[tuple[int, int], tuple[int, int]]:
    """An update with many hypotheses to score, and one with a validated hypothesis."""
    async with provider_of(settings).model(SEED) as model:
        changing = await update(Doubter(model), [ROCK, PAPER, PAPER, ROCK, ROCK, PAPER, ROCK], traffic)
        return changing, await update(model, [ROCK] * 7, traffic)


def main() -> None:
    with endpoint(0.0) as (traffic, settings):
        outcome, interactions, own_seconds = asyncio.run(play(settings))
    tokens = traffic.characters / CHARACTERS_PER_TOKEN / interactions
    with endpoint(LATENCY) as (waiting, settings):
        _, _, seconds = asyncio.run(play(settings))
    expected = waiting.round_trips * LATENCY + own_seconds
    with endpoint(LATENCY) as (thinking, settings):
        (changing, scored), (constant, _) = asyncio.run(updates(settings, thinking))
    print(f"One episode of {SCENARIO}, {outcome.steps} steps, {interactions} interactions, {traffic.calls} calls.\n")
    print("| what | target | measured |\n| --- | --- | --- |")
    share = 100 * tokens / PAPERS_TOKENS
    print(
        f"| input tokens an interaction, of the paper's code's {PAPERS_TOKENS:,} | 25% | {tokens:,.0f} = {share:.0f}% |"
    )
    print(f"| round trips in series, update with {scored} hypotheses to score | 3 | {changing} |")
    print(f"| round trips in series, update of a validated hypothesis | 1 | {constant} |")
    ratio = 100 * (seconds / expected - 1)
    print(f"| wall time beyond {waiting.round_trips} round trips x {LATENCY:g} s + own time | 10% | {ratio:+.1f}% |")
