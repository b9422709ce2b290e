"""The built-in reasoner's answers in a kitchen to the questions of the baselines and ablations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Predict, Propose, ReadMinds, Revise
from hm_agent.worlds.melting_pot.games.cooking.reasoner.beam_search import MOST_PLANNED
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammate_model import LIBRARY
from hm_agent.worlds.melting_pot.games.cooking.roles import EVERYTHING, LOADS, ROLES, SERVES, STANDS, KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.kitchen_examples import (
    CARRIED_OUT,
    FAILED,
    FAITH,
    NOW,
    PLAN_COOKING,
    ROUNDS,
    TEAMMATE,
    UNDECIDED,
    ended,
    planned,
)

SHARE = {LOADS: SERVES, SERVES: LOADS, EVERYTHING: EVERYTHING, STANDS: EVERYTHING}
"""The agent's role beside each role of the teammate."""
MIXED = ((), ROUNDS[:1], ROUNDS, tuple(ended(40 * n, role, "you") for n, role in enumerate((STANDS, STANDS, SERVES))))


def steady(role: str) -> tuple[KitchenInteraction, ...]:
    """Three rounds in which the teammate played one role."""
    return tuple(ended(40 * n, role, "you") for n in range(3))


def test_made_strategy_shares_the_work_and_without_any_round_does_everything() -> None:
    for role in ROLES:
        assert ask(ChooseStrategy(NOW, steady(role))).strategy.role == SHARE[role]
    assert ask(ChooseStrategy(NOW, ())).strategy.role == EVERYTHING


def test_following_a_strategys_words_gives_the_role_it_was_made_with_and_unknown_ones_all() -> None:
    for history in MIXED:
        made = ask(ChooseStrategy(NOW, history)).strategy
        assert ask(FollowStrategy(NOW, history, made.words)).strategy.role == made.role
    assert ask(FollowStrategy(NOW, ROUNDS, "Dance.")).strategy.role == EVERYTHING


def test_hindsight_is_positive_only_where_all_work_would_have_been_done() -> None:
    for teammate, instead in product((*ROLES, None), ROLES):
        judged = JudgeStrategy(NOW, ended(40, teammate, "you"), KitchenStrategy("", role=instead))
        is_done = EVERYTHING in (teammate, instead) or {teammate, instead} == {LOADS, SERVES}
        assert ask(judged).outcome == ("positive" if is_done else "neutral"), (teammate, instead)


@pytest.mark.parametrize("history", MIXED)
def test_one_question_is_answered_as_the_separate_ones(history: tuple[KitchenInteraction, ...]) -> None:
    answer = ask(ReadMinds(NOW, (TEAMMATE,) if history else (), history))
    beliefs: tuple[PlayerBelief, ...] = ()
    for mind in answer.minds:
        assert mind.hypothesis == ask(Propose(NOW, TEAMMATE, history, ())).hypothesis
        asked = Predict(NOW, TEAMMATE, history, (Hypothesis(mind.hypothesis),), decides=False)
        assert [mind.next] == ask(asked).next
        beliefs = (PlayerBelief(TEAMMATE, mind.hypothesis, mind.next.does),)
    assert answer.strategy == ask(ChooseStrategy(NOW, history, others=beliefs, is_rule=False)).strategy


def test_revision_predicts_a_steady_teammate_and_shares_the_work() -> None:
    for role in ROLES:
        answer = ask(Revise(NOW, TEAMMATE, steady(role), (), ()))
        assert answer.strategy.expects.startswith(role)
        assert answer.strategy.role == SHARE[role]
        assert {each.of for each in answer.hypotheses} == {0}


def test_revision_keeps_known_hypotheses_by_their_number() -> None:
    loads = next(each.words for each in LIBRARY if each.role == LOADS and each.tempo is None)
    answer = ask(Revise(NOW, TEAMMATE, steady(LOADS), (*FAITH, Hypothesis(loads, 0.6)), ()))
    assert (3, "") in {(each.of, each.hypothesis) for each in answer.hypotheses}
    assert not {1, 2} & {each.of for each in answer.hypotheses}


def test_plan_without_a_strategy_is_to_do_everything() -> None:
    question = replace(UNDECIDED, critiques=())
    calls = ask(question).calls
    assert 1 <= len(calls) <= MOST_PLANNED
    assert calls == ask(planned(PLAN_COOKING, role=EVERYTHING, expected=None)).calls


@pytest.mark.parametrize(
    ("reviewed", "paid", "words"),
    [
        (CARRIED_OUT, 40.0, "2 soups delivered in 30 steps"),
        (CARRIED_OUT, 0.0, "0 soups delivered in 30 steps"),
        (FAILED, 20.0, "interact((4, 2)) changed nothing"),
    ],
)
def test_plan_is_reviewed_by_its_failure_or_its_deliveries(reviewed: ReviewPlan, paid: float, words: str) -> None:
    assert words in ask(replace(reviewed, reward=paid)).critique
