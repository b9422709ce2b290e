"""Beliefs about rules as chances: what interactions make of them, and the choice that is calculated."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.theory_of_mind.odds import SLIP, LikelyRule
from hm_agent.theory_of_mind.player_odds import TableOdds

PD = Side(("cooperate", "defect"), ("cooperate", "defect"), ((3, 0), (5, 1)), ((3, 5), (0, 1)))
C, D = 0, 1
COOPERATES, DEFECTS = (1.0, 0.0), (0.0, 1.0)
COPIES = LikelyRule("copies me", 1, COOPERATES, (COOPERATES, DEFECTS))
GRIM_NOW = LikelyRule("never cooperates again", 1, DEFECTS)
COPIES_A_DEFECTION = LikelyRule("copies me", 1, DEFECTS, (COOPERATES, DEFECTS))


def odds_of(rules: Sequence[LikelyRule], left: int) -> TableOdds:
    """What is believed of a player in the prisoner's dilemma; interactions are pairs of both actions."""
    return TableOdds(rules, PD, left, lambda moves: cast(Any, moves))


def after(odds: TableOdds, own: int, other: int) -> bool:
    """Takes in an interaction that is unlike the one before; returns True if new chances have to be asked for."""
    return odds.take(cast(Any, (own, other)), None)


def chance(odds: TableOdds, action: int) -> float:
    return odds.chances[PD.others[action]]


def test_chances_are_the_mean_over_rules_with_slips() -> None:
    odds = odds_of([LikelyRule("a", 0.6, COOPERATES), LikelyRule("b", 0.2, (0.25, 0.75))], 5)
    told = 0.75 * 1 + 0.25 * 0.25
    assert chance(odds, C) == pytest.approx((1 - SLIP) * told + SLIP / 2)
    assert chance(odds, D) == pytest.approx((1 - SLIP) * (1 - told) + SLIP / 2)
    assert odds.ranked[0][0] == "a"


def test_an_interaction_moves_the_shares_by_bayes_rule() -> None:
    odds = odds_of([LikelyRule("a", 0.5, COOPERATES), LikelyRule("b", 0.5, DEFECTS)], 5)
    after(odds, C, D)
    assert odds.ranked[0][0] == "b"
    likely, slip = 1 - SLIP / 2, SLIP / 2
    assert chance(odds, D) == pytest.approx(likely * likely + slip * slip)


def test_a_rule_with_a_row_for_each_choice_answers_the_latest_one() -> None:
    odds = odds_of([COPIES], 5)
    for own in (D, C, C, D):
        after(odds, own, C)
        assert chance(odds, own) > 0.9


def test_a_change_that_lasts_is_for_good_and_before_it_nothing_is() -> None:
    grim = LikelyRule("grim", 1, COOPERATES, (COOPERATES, DEFECTS), lasts=True)
    odds = odds_of([grim], 6)
    for own, then in ((C, C), (C, C), (D, D), (C, D), (C, D)):
        after(odds, own, C)
        assert chance(odds, then) > 0.9


def test_new_chances_are_asked_for_once_most_rules_told_nothing_of_the_next_interaction() -> None:
    alternates, stays = LikelyRule("alternates", 0.6, COOPERATES, (DEFECTS,)), LikelyRule("stays", 0.4, COOPERATES)
    assert not after(odds_of([stays], 5), C, C)
    odds = odds_of([alternates, stays], 5)
    assert [after(odds, C, C) for _ in range(3)] == [True, True, False]  # open, surprised, and then sure of the other
    assert odds.ranked[0][0] == "stays"


@pytest.mark.parametrize(("left", "choice"), [(1, D), (2, C), (9, C)])
def test_who_is_copied_cooperates_until_the_last_interaction(left: int, choice: int) -> None:
    assert odds_of([COPIES], left).choice == choice


@pytest.mark.parametrize(("left", "choice"), [(20, C), (1, D)])
def test_a_costly_test_pays_while_there_is_time_to_use_what_it_tells(left: int, choice: int) -> None:
    assert odds_of([GRIM_NOW, COPIES_A_DEFECTION], left).choice == choice


def test_the_choice_is_of_the_present_however_many_interactions_were_told() -> None:
    odds = odds_of([COPIES], 2)
    for _ in range(4):
        after(odds, C, C)
    assert odds.choice == D


@given(
    rules=st.lists(
        st.tuples(
            st.floats(0.1, 1), st.floats(0, 1), st.lists(st.floats(0, 1), max_size=2), st.sampled_from((0, 1, 2))
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=60, deadline=None)
def test_the_choice_is_that_of_brute_force_over_all_plans(rules: list[tuple[float, float, list[float], int]]) -> None:
    """With two interactions left a plan is a choice now, and one for each action of the other."""
    likely = [
        LikelyRule("rule", share, (chance, 1 - chance), tuple((each, 1 - each) for each in rows if len(rows) == count))
        for share, chance, rows, count in rules
    ]
    total = sum(rule.share for rule in likely)

    def slipping(row: Shares) -> list[float]:
        return [(1 - SLIP) * chance + SLIP / 2 for chance in row]

    def earned(now: int, then: tuple[int, int]) -> float:
        value = 0.0
        for rule in likely:
            rows = rule.then
            after = rows[now] if len(rows) == 2 else rows[0] if rows else rule.next
            for other, chance in enumerate(slipping(rule.next)):
                later = PD.expected(then[other], slipping(after))
                value += rule.share / total * chance * (PD.payoff[now][other] + later)
        return value

    def best(now: int) -> float:
        return max(earned(now, then) for then in product((C, D), (C, D)))

    odds = odds_of(likely, 2)
    assert best(odds.choice) >= max(best(C), best(D)) - 1e-9
