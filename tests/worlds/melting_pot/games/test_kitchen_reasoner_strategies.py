"""The built-in reasoner's answers in a kitchen to who reads minds all at once, or not at all."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, Question
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, ROLES, SERVES, STANDS
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import (
    ChooseRole,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
)
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import EvaluateCooking
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import (
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.errands import LEGS
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from tests.worlds.melting_pot.games.kitchen_examples import (
    AFTER,
    BEFORE,
    COOKS,
    COSTS,
    PLAN_COOKING,
    PLANNED,
    ROUNDS,
    UNDECIDED,
    ended,
)

SHARE = {LOADS: SERVES, SERVES: LOADS, EVERYTHING: EVERYTHING, STANDS: EVERYTHING}
"""The own part beside each of the teammate's."""
MIXED = ((), ROUNDS[:1], ROUNDS, tuple(ended(40 * n, role, "you") for n, role in enumerate((STANDS, STANDS, SERVES))))


def ask(question: Question[AnswerT]) -> AnswerT:
    answer = asyncio.run(BuiltinReasoner().answer(question))
    question.check(answer)
    return answer


def steady(role: str) -> tuple[KitchenInteraction, ...]:
    """Some rounds in which the teammate played one role."""
    return tuple(ended(40 * n, role, "you") for n in range(3))


@pytest.mark.parametrize("role", ROLES)
def test_a_strategy_is_made_to_share_the_work(role: str) -> None:
    assert ask(MakeCookingStrategy(COOKS, steady(role), *COSTS)).role == SHARE[role]


def test_knowing_nothing_it_does_everything() -> None:
    assert ask(MakeCookingStrategy(COOKS, (), *COSTS)).role == EVERYTHING


@pytest.mark.parametrize("history", MIXED)
def test_following_the_words_of_a_strategy_gives_the_part_that_was_made_with_it(
    history: tuple[KitchenInteraction, ...],
) -> None:
    made = ask(MakeCookingStrategy(COOKS, history, *COSTS))
    assert ask(FollowCookingStrategy(COOKS, history, COSTS[0], made.strategy)).role == made.role


def test_words_of_no_known_strategy_come_to_doing_everything() -> None:
    assert ask(FollowCookingStrategy(COOKS, ROUNDS, COSTS[0], "Dance.")).role == EVERYTHING


@pytest.mark.parametrize(
    ("teammate", "instead", "outcome"),
    [
        (LOADS, SERVES, "positive"),
        (SERVES, LOADS, "positive"),
        (STANDS, EVERYTHING, "positive"),
        (None, EVERYTHING, "positive"),
        (EVERYTHING, STANDS, "positive"),
        (LOADS, LOADS, "neutral"),
        (SERVES, SERVES, "neutral"),
        (STANDS, LOADS, "neutral"),
        (LOADS, STANDS, "neutral"),
        (None, SERVES, "neutral"),
    ],
)
def test_in_hindsight_soup_would_have_come_where_all_work_was_done(
    teammate: str | None, instead: str, outcome: str
) -> None:
    assert ask(JudgeCookingStrategy(COOKS, ended(40, teammate, "you"), instead)).outcome == outcome


@pytest.mark.parametrize("history", MIXED)
def test_at_once_it_answers_as_it_would_step_by_step(history: tuple[KitchenInteraction, ...]) -> None:
    answer = ask(ReadTeammate(COOKS, history, *COSTS))
    assert answer.hypothesis == ask(ProposeTeammate(COOKS, history, ())).hypothesis
    assert answer.teammate == ask(PredictTeammate(COOKS, history, answer.hypothesis)).behaviour
    expected = answer.teammate if history else None
    chosen = ask(ChooseRole(COOKS, history, answer.hypothesis, expected, *COSTS))
    assert (answer.role, answer.strategy) == (chosen.role, chosen.strategy)


def test_without_a_strategy_it_plans_to_do_everything_that_is_to_be_done() -> None:
    question = replace(UNDECIDED, critiques=())
    subgoals = ask(question).subgoals
    assert 1 <= len(subgoals) <= LEGS
    assert subgoals == ask(replace(PLAN_COOKING, role=EVERYTHING, expected=None)).subgoals


@pytest.mark.parametrize(
    ("paid", "failed", "words"),
    [(40.0, None, "2 delivered: go on"), (0.0, None, "what is missing"), (20.0, PLANNED[0], "changed nothing")],
)
def test_a_plan_is_judged_by_its_failure_or_else_by_the_soups_it_brought(
    paid: float, failed: str | None, words: str
) -> None:
    assert words in ask(EvaluateCooking(COOKS, PLANNED, failed, paid, BEFORE, AFTER)).critique
