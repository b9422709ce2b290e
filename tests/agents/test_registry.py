"""Every agent by name can be built and plays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest

from hm_agent.agents.registry import ABOUT, AGENTS, Ingredients
from hm_agent.core import OpponentIntent, Step
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, Call, Model, Question, Unanswered, ignore
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import PlanCooking
from hm_agent.worlds.melting_pot.games.game import Inference
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import PlanSubgoals
from hm_agent.worlds.melting_pot.scenarios import Scenario, find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

(SCENARIO,) = find_scenarios(["rws_repeated_1"])
OF_EVERY_KIND = find_scenarios(["rws_repeated_1", "pd_repeated_5", "rws_arena_3", "cooking_asymmetric_1"])


class Notes:
    """Keeps every step."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def record(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None:
        """Keeps what it has."""


class Mute:
    """A model that has no valid answer to anything."""

    name = "mute"

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        raise Unanswered("silence")


def play(
    name: str,
    steps: int,
    inference: Inference = Inference.EXACT,
    scenario: Scenario = SCENARIO,
    model: Model | None = None,
) -> list[Step]:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED)
    ingredients = Ingredients(
        facts=scenario.game,
        eyes=vision_of(scenario.game.short_name),
        model=model or BuiltinReasoner(),
        seed=0,
        tell=world.tell,
        inference=inference,
    )
    agent = AGENTS[name](ingredients)
    notes = Notes()
    outcome = asyncio.run(run_episode(world, agent, seed=1, max_steps=steps, recorders=[notes]))
    world.close()
    assert outcome.error is None
    return notes.steps


@pytest.mark.parametrize("scenario", OF_EVERY_KIND, ids=lambda scenario: scenario.short_name)
@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_plays_every_kind_of_game(name: str, scenario: Scenario) -> None:
    assert len(play(name, 60, scenario=scenario)) == 60
    assert ABOUT[name]


@pytest.mark.parametrize("scenario", OF_EVERY_KIND, ids=lambda scenario: scenario.short_name)
@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"random", "noop"}))
def test_an_agent_whose_model_answers_nothing_plays_on(name: str, scenario: Scenario) -> None:
    steps = play(name, 300, scenario=scenario, model=Mute())
    asked = [exchange for step in steps for exchange in step.decision.exchanges]
    assert len({step.decision.action for step in steps}) > 3
    assert 0 < sum(isinstance(exchange.question, PlanSubgoals | PlanCooking) for exchange in asked) < 100
    assert all(exchange.answer is None for exchange in asked)


@pytest.mark.parametrize("name", ["random", "noop"])
def test_an_agent_that_does_not_think_asks_nothing(name: str) -> None:
    assert not any(step.decision.exchanges for step in play(name, 60, model=Mute()))


@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"oracle"}))
def test_only_the_oracle_is_told_what_the_others_are_after(name: str) -> None:
    def tell() -> list[OpponentIntent]:
        raise AssertionError(f"{name} asked what only the oracle may know")

    world = MeltingPotWorld(SCENARIO, Bots.SCRIPTED)
    eyes = vision_of(SCENARIO.game.short_name)
    agent = AGENTS[name](Ingredients(SCENARIO.game, eyes, BuiltinReasoner(), 0, tell))
    outcome = asyncio.run(run_episode(world, agent, seed=1, max_steps=200))
    world.close()
    assert outcome.error is None


def test_random_moves_depend_on_the_seed_alone() -> None:
    assert [s.decision.action for s in play("random", 50)] == [s.decision.action for s in play("random", 50)]


def test_the_oracle_changes_its_strategy_with_what_the_opponent_is_told() -> None:
    strategies = {step.decision.strategy for step in play("oracle", 600)}
    assert len(strategies) > 2


def test_with_inference_by_the_model_it_is_asked_for_inventories() -> None:
    asked = {
        type(e.question).__name__
        for step in play("hypothetical_minds", 300, Inference.MODEL)
        for e in step.decision.exchanges
    }
    assert "InferInventory" in asked


def test_a_plan_that_leads_nowhere_is_not_asked_for_again_and_again() -> None:
    steps = play("hypothetical_minds", 1000)
    planned = [s for s in steps for e in s.decision.exchanges if isinstance(e.question, PlanSubgoals)]
    assert len(planned) < 150
    assert sum(_came_to_nothing(before, after) for before, after in pairwise(planned)) < 10


def _came_to_nothing(before: Step, after: Step) -> bool:
    """Whether a plan was used up at once, with nothing collected."""
    at_once = after.observation.step - before.observation.step == 1
    return at_once and after.decision.inventory == before.decision.inventory


def test_no_question_names_the_scenario_or_the_bots() -> None:
    secrets = {SCENARIO.name, SCENARIO.short_name, *cast_of(SCENARIO)}
    for step in play("hypothetical_minds", 300):
        for exchange in step.decision.exchanges:
            assert not secrets & set(_texts(exchange.question))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    if isinstance(value, tuple | list):
        return [text for item in value for text in _texts(item)]
    if is_dataclass(value):
        return [text for field in fields(value) for text in _texts(getattr(value, field.name))]
    return []
