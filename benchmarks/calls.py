"""The cost of asking a language model: tokens, round trips and waiting time, with a real endpoint on loopback.

Questions are answered by the text player, which is no language model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.tokens import CHARACTERS_PER_TOKEN
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import AnswerT, Model, ModelCall, Question, ignore
from hm_agent.testing.endpoint import Endpoint, Response
from hm_agent.testing.episodes import set_up
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.mind_questions import HypothesisAnswer
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.rules import reward
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from tests.support.melting_pot import text_player

SCENARIO = "rws_repeated_1"
SEED = 0
STEPS = 1000
LATENCY = 0.2
AUTHORS_TOKENS = 25_000
"""Input tokens per interaction (characters / 4) of the authors' code on this game, measured for this project."""
OWN, ROCK, PAPER = (1, 1, 7), (6, 1, 1), (1, 6, 1)


@dataclass
class Traffic:
    """Counts an endpoint's requests. Requests that arrive while an earlier one waits share its round trip."""

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
    """Serves an endpoint with `latency` seconds for each answer; yields its traffic and the settings to reach it."""
    traffic = Traffic(latency)
    with Endpoint(traffic.answer, delay=latency) as server:
        yield traffic, ModelSettings("canned", base_url=server.base_url)


async def play(settings: ModelSettings) -> tuple[EpisodeOutcome, int, float]:
    """Plays an episode; returns its outcome, its number of interactions, and its seconds."""
    (scenario,) = find_scenarios([SCENARIO])
    async with ModelPool(settings).model(settings.name, SEED, {}) as model:
        world, agents = set_up(scenario, model=model, seed=SEED, bots="scripted")
        started = time.perf_counter()
        outcome = await run_episode(world, agents, seed=SEED, max_steps=STEPS)
        seconds = time.perf_counter() - started
    world.close()
    return outcome, int(world.metrics()["interactions"]), seconds


class NewHypothesisModel:
    """Wraps a model so that every proposed hypothesis is new and many hypotheses are scored at the same time."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self._proposed = 0

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await self._model.answer(question, note)
        if isinstance(answer, HypothesisAnswer):
            self._proposed += 1
            answer.hypothesis += f" ({self._proposed})"
        return answer


async def update(model: Model, others: list[tuple[int, ...]], traffic: Traffic) -> tuple[int, int]:
    """The round trips of the last of several Theory of Mind updates, and the number of hypotheses it scored.

    others: the opponent's inventory in each interaction.
    """
    facts = game_named("rws_repeated", MatrixFacts)
    game = MatrixGame(facts, vision_of(facts.short_name, 0))
    strategist = TheoryOfMind(game.mind, model, Hyperparameters())
    before, scored = 0, 0
    for number, other in enumerate(others):
        before = traffic.round_trips
        scored = sum(hypothesis.prediction is not None for hypothesis in strategist.hypotheses)
        paid = reward(OWN, other, facts.payoff)
        await strategist.consider(InteractionEvent(100 * number, game.players[0], OWN, paid, shown=(0, 0, 0)))
    return traffic.round_trips - before, scored


async def updates(settings: ModelSettings, traffic: Traffic) -> tuple[tuple[int, int], tuple[int, int]]:
    """(round trips, scored hypotheses) of an update with many hypotheses, and of one with a validated hypothesis.

    The validated one predicts rightly once more, so that no question is needed.
    """
    async with ModelPool(settings).model(settings.name, SEED, {}) as model:
        changing = await update(NewHypothesisModel(model), [ROCK, PAPER, PAPER, ROCK, ROCK, PAPER, ROCK], traffic)
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
    share = 100 * tokens / AUTHORS_TOKENS
    print(f"| input tokens an interaction, of the authors' {AUTHORS_TOKENS:,} | 25% | {tokens:,.0f} = {share:.0f}% |")
    print(f"| round trips in series, update with {scored} hypotheses to score | 3 | {changing} |")
    print(f"| round trips in series, update of a validated hypothesis that is right once more | 0 | {constant} |")
    ratio = 100 * (seconds / expected - 1)
    print(f"| wall time beyond {waiting.round_trips} round trips x {LATENCY:g} s + own time | 10% | {ratio:+.1f}% |")
