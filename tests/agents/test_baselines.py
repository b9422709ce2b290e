"""The paper's baselines: what they ask in real episodes, and what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import pytest

from hm_agent.agents.baselines import UNDECIDED, HighLevelPlanner, Reactive
from hm_agent.core import Clue, Event, Step
from hm_agent.questions import Question
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.worlds.melting_pot.games.cooking.mind import TOLD
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import PlanCooking
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import CookingStrategyAnswer, MakeCookingStrategy
from hm_agent.worlds.melting_pot.games.cooking.rounds import RoundEnd
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import ReadMinds
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import PlanSubgoals
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import MakeStrategy, StrategyAnswer
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from tests.agents.test_registry import play
from tests.strategists import ScriptedModel, dyad, each, find_gone, meet

DYAD, ARENA, KITCHEN = "rws_repeated_1", "rws_arena_3", "cooking_asymmetric_1"
STEPS = 300


@cache
def steps_of(name: str, scenario: str) -> Sequence[Step]:
    return play(name, STEPS, scenario=find_scenarios([scenario])[0])


def asked(steps: Sequence[Step], *kinds: type[Question[Any]]) -> Iterator[tuple[int, Question[Any], Any]]:
    """The questions of some kinds, with the number of the step and the answer."""
    for number, step in enumerate(steps):
        for exchange in step.decision.exchanges:
            if isinstance(exchange.question, kinds):
                yield number, exchange.question, exchange.answer


def is_understood(event: Event) -> bool:
    """Whether something is to be learnt of somebody from an event."""
    return isinstance(event, RoundEnd) or (isinstance(event, InteractionEvent) and event.partner is not None)


def understood(steps: Sequence[Step]) -> list[int]:
    """How many such events there were up to each step."""
    return list(accumulate(sum(map(is_understood, step.decision.events)) for step in steps))


@pytest.mark.parametrize("name", ["react", "reflexion"])
@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_who_has_no_strategy_plans_on_all_that_has_happened(name: str, scenario: str) -> None:
    steps = steps_of(name, scenario)
    told = understood(steps)
    lengths = set()
    for number, question, _ in asked(steps, PlanSubgoals, PlanCooking):
        assert isinstance(question, PlanSubgoals | PlanCooking)
        lengths.add(len(question.history))
        assert (question.strategy, question.expected) == (None, None)
        assert len(question.history) == min(told[number], TOLD if scenario == KITCHEN else STEPS)
    assert len(lengths) > 2


@pytest.mark.parametrize("name", ["react", "reflexion"])
def test_who_has_no_strategy_leaves_open_what_to_hold_and_which_part_to_play(name: str) -> None:
    assert all(question.target is None for _, question, _ in asked(steps_of(name, DYAD), PlanSubgoals))  # type: ignore[attr-defined]
    assert all(question.role is None for _, question, _ in asked(steps_of(name, KITCHEN), PlanCooking))  # type: ignore[attr-defined]


def test_a_delivery_is_planned_upon_at_once_even_without_a_strategy() -> None:
    steps = play("react", STEPS, scenario=find_scenarios(["cooking_asymmetric_0"])[0])
    planned = {number for number, _, _ in asked(steps, PlanCooking)}
    delivered = [
        number for number, step in enumerate(steps) if any(event.is_interaction for event in step.decision.events)
    ]
    assert len(delivered) > 3
    assert planned >= set(delivered)


def test_react_bears_nothing_in_mind_of_earlier_plans() -> None:
    for scenario in (DYAD, KITCHEN):
        plans = list(asked(steps_of("react", scenario), PlanSubgoals, PlanCooking))
        assert all(not question.critiques for _, question, _ in plans)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["hypothetical_minds", "vmp", "mmp", "plan_react", "he_hr"])
@pytest.mark.parametrize("scenario", [DYAD, KITCHEN])
def test_who_has_a_strategy_plans_by_that_and_not_by_what_has_happened(name: str, scenario: str) -> None:
    for _, question, _ in asked(steps_of(name, scenario), PlanSubgoals, PlanCooking):
        assert isinstance(question, PlanSubgoals | PlanCooking)
        assert not question.history
        assert question.strategy


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_plan_react_makes_a_strategy_at_first_and_after_every_interaction(scenario: str) -> None:
    steps = steps_of("plan_react", scenario)
    made = [0] * len(steps)
    for number, question, _ in asked(steps, MakeStrategy, MakeCookingStrategy):
        made[number] += 1
        assert not question.best  # type: ignore[attr-defined]
    assert made[0] == 1
    assert list(accumulate(made)) == [1 + count for count in understood(steps)]


@pytest.mark.parametrize("scenario", [DYAD, ARENA, KITCHEN])
def test_plan_react_plans_by_the_words_and_the_aim_of_its_latest_strategy(scenario: str) -> None:
    latest: Any = None
    kinds = MakeStrategy, MakeCookingStrategy, PlanSubgoals, PlanCooking
    for _, question, answer in asked(steps_of("plan_react", scenario), *kinds):
        if isinstance(answer, StrategyAnswer | CookingStrategyAnswer):
            latest = answer
        elif isinstance(question, PlanSubgoals):
            target = question.rules.counts(latest.own_next)
            assert (question.strategy, question.target, question.expected) == (latest.strategy, target, None)
        elif isinstance(question, PlanCooking):
            assert (question.strategy, question.role, question.expected) == (latest.strategy, latest.role, None)


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
def test_vmp_reads_minds_once_after_each_interaction_and_else_after_clues_alone(scenario: str) -> None:
    steps = play("vmp", 2 * STEPS, scenario=find_scenarios([scenario])[0])
    read = [0] * len(steps)
    for number, _, _ in asked(steps, ReadMinds):
        read[number] += 1
    assert read[0] == 1
    for step, count in zip(steps[1:], read[1:], strict=True):
        clues = sum(isinstance(event, Clue) for event in step.decision.events)
        interactions = sum(map(is_understood, step.decision.events))
        assert interactions <= count <= interactions + clues
    assert sum(read) < 1 + sum(len(step.decision.events) for step in steps)


# Strategists by themselves, with a model that answers as it is told


def test_react_asks_nothing_of_anybody_and_remembers_what_happened() -> None:
    model = ScriptedModel({})
    strategist = Reactive(dyad().mind, model, InteractionMemory())
    assert asyncio.run(strategist.open()) == UNDECIDED
    assert meet(strategist, 7) is find_gone(strategist, 9, "paper") is None
    assert [met.step for met in strategist.history] == [7]
    assert strategist.latest is not None
    assert strategist.latest.other == (6, 1, 1)
    assert (strategist.hypotheses, strategist.validated) == ((), None)
    assert not model.asked


def planner(*replies: StrategyAnswer | None) -> tuple[HighLevelPlanner, ScriptedModel]:
    model = ScriptedModel({MakeStrategy: each(replies)})
    return HighLevelPlanner(dyad().mind, model, InteractionMemory()), model


ROCKY = StrategyAnswer(strategy="I hold rock.", seek=[], own_next={"rock": 6})


def test_plan_react_shows_a_new_strategy_all_interactions() -> None:
    strategist, model = planner(ROCKY, ROCKY, ROCKY)
    asyncio.run(strategist.open())
    meet(strategist, 7)
    meet(strategist, 9)
    assert [[met.step for met in question.history] for question in model.of(MakeStrategy)] == [[], [7], [7, 9]]
    assert strategist.history == ()


def test_plan_react_takes_no_clues() -> None:
    strategist, model = planner(ROCKY)
    assert find_gone(strategist, 5, "paper") is None
    assert not model.asked


def test_plan_react_goes_on_without_an_answer() -> None:
    strategist, _ = planner(None, None)
    assert asyncio.run(strategist.open()).target is not None
    assert meet(strategist, 7) is None
