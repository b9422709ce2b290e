"""Every shared agent by name can be built, and plays on whatever its model answers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import pairwise, product
from typing import ClassVar

import pytest

from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.casting import can_play, check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import agent_names, own_agents, shared_agents
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.models.settings import PERSON
from hm_agent.questions import Model
from hm_agent.testing.episodes import SeatStep, play_steps
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.hypotheses import BY_PREDICTION, BY_REWARD, Hyperparameters, Parameters
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.games.matrix.kind import SHORTCUTS
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import cast_of
from tests.model_stand_ins import Mute

(SCENARIO,) = find_scenarios(["rws_repeated_1"])
ORDERS = ("order_0", "order_1", "order_2")
ABLE = [name for name in agent_names() if can_play(name, SCENARIO)]
STEPS_OF_EVERY_KIND = {"rws_repeated_1": 200, "rws_arena_3": 100, "cooking_asymmetric_1": 300}
PLAYED = [
    pytest.param(name, scenario, marks=() if name == "react" or scenario == SCENARIO.short_name else pytest.mark.heavy)
    for name, scenario in product(sorted({*AGENTS, "oracle"}), STEPS_OF_EVERY_KIND)
    if can_play(name, find_scenarios([scenario])[0])
]
"""Every agent in one game, and in every kind of games the one that lets the model alone choose what to do."""


def play(
    name: str, steps: int, scenario: ScenarioInfo = SCENARIO, model: Model | None = None, inference: str = "exact"
) -> list[SeatStep]:
    return play_steps(scenario, name, steps, model=model, bots="scripted", inference=inference)


@pytest.mark.parametrize("name", ORDERS)
def test_agents_of_orders_refuse_a_language_model(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} works only with the model builtin, not with gpt-4o"):
        check_agent(name, SCENARIO, "gpt-4o")
    check_agent("oracle", SCENARIO, "gpt-4o")


@pytest.fixture(scope="module")
def full() -> list[SeatStep]:
    """An episode of the full agent with the built-in reasoner."""
    return play("hypothetical_minds", 1000)


def test_agent_of_order_2_plays_as_the_full_agent_and_that_of_order_0_does_not(full: list[SeatStep]) -> None:
    actions = [step.decision.action for step in full[:300]]
    alike = {name: [step.decision.action for step in play(name, 300)] == actions for name in ("order_2", "order_0")}
    assert alike == {"order_2": True, "order_0": False}


def test_every_agent_has_a_line_about_it_in_the_list() -> None:
    assert [*AGENTS, PERSON, "oracle", "random", "noop", "ppo", *SHORTCUTS, *ORDERS] == ABLE
    assert all(recipe.about for recipe in shared_agents().values())
    assert all(agent.about for agent in own_agents().values())


class NotedParameters(Parameters):
    """Hyperparameters that note which of them are read."""

    read: ClassVar[set[str]] = set()

    @property
    def by_prediction(self) -> Hyperparameters:
        self.read.update(BY_PREDICTION)
        return super().by_prediction

    @property
    def by_reward(self) -> Hyperparameters:
        self.read.update(BY_REWARD)
        return super().by_reward


def test_agents_use_the_hyperparameters_that_they_say_they_use() -> None:
    for name, recipe in AGENTS.items():
        NotedParameters.read.clear()
        with suppress(AttributeError):  # without a mind, strategists end here at the latest
            recipe.strategist(None, Mute(), NotedParameters())
        assert recipe.uses is not None
        assert set(recipe.uses) == NotedParameters.read, name


@pytest.mark.parametrize(("name", "scenario"), PLAYED)
def test_an_agent_whose_model_answers_nothing_keeps_playing(name: str, scenario: str) -> None:
    steps = STEPS_OF_EVERY_KIND[scenario]
    played = play(name, steps, find_scenarios([scenario])[0], Mute())
    asked = [exchange for step in played for exchange in step.decision.exchanges]
    assert len({step.decision.action for step in played}) > 3
    assert 0 < sum(isinstance(exchange.question, Plan) for exchange in asked) < steps / 2
    assert all(exchange.answer is None for exchange in asked)


def test_with_inference_by_the_model_questions_about_inventories_are_asked() -> None:
    asked = {
        type(exchange.question).__name__
        for step in play("hypothetical_minds", 300, inference="model")
        for exchange in step.decision.exchanges
    }
    assert "InferInventory" in asked


def test_a_plan_that_reaches_nothing_is_not_asked_for_repeatedly(full: list[SeatStep]) -> None:
    planned = [step for step in full for asked in step.decision.exchanges if isinstance(asked.question, Plan)]
    assert len(planned) < 150
    assert sum(reached_nothing(before, after) for before, after in pairwise(planned)) < 10


def reached_nothing(before: SeatStep, after: SeatStep) -> bool:
    """True if a plan ended after one step with the same inventory."""
    one_step = after.observation.step - before.observation.step == 1
    return one_step and inventory(after) == inventory(before)


def inventory(step: SeatStep) -> tuple[int, ...]:
    assert isinstance(step.decision.state, SubstrateAgentState)
    return step.decision.state.inventory


def test_no_question_names_the_scenario_or_the_bots(full: list[SeatStep]) -> None:
    secrets = {SCENARIO.name, SCENARIO.short_name, *cast_of(scenario_named(SCENARIO.name))}
    for step in full:
        for exchange in step.decision.exchanges:
            assert not secrets & set(words_of(exchange.question))


def words_of(value: object) -> list[str]:
    """Every word in a value, in collections, and in the fields of dataclasses."""
    if isinstance(value, str):
        return value.split()
    if isinstance(value, tuple | list):
        return [word for item in value for word in words_of(item)]
    if is_dataclass(value):
        return [word for field in fields(value) for word in words_of(getattr(value, field.name))]
    return []
