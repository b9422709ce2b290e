"""Which answers a kitchen's questions refuse, and what work costs in steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.theory_of_mind.decision_questions import CallsAnswer
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from hm_agent.worlds.melting_pot.games.cooking.seat import NextRound, SharedWork
from hm_agent.worlds.melting_pot.games.cooking.work_costs import shortest_approach, steps_to_use
from hm_agent.worlds.melting_pot.grid import Facing, Pose
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import layout_of
from tests.strategists import kitchen
from tests.worlds.melting_pot.games.kitchen_examples import (
    AT_FIRST,
    BELIEF,
    CHOOSE,
    KITCHEN,
    NOW,
    PLAN_COOKING,
    REFUSED,
    ROUNDS,
    planned,
    room_of,
)

POT_AND_TOMATO = Pose(5, 2, Facing.NORTH)
"""The pose between the dispenser on the right and the upper pot."""


def test_example_kitchen_is_the_real_one() -> None:
    assert layout_of(game_named("cooking_asymmetric", KitchenFacts)) == KITCHEN


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (["interact((5, 1))"], "out of your reach"),
        (["wait((3, 1))"], r"call 1, wait\(\(3, 1\)\): no pot stands there"),
        (["interact((2, 2))"], "bare floor"),
        (["interact((3, 4))"] * 11, "11 calls are too many"),
        (["fire_at((2, 2))"], "unknown function 'fire_at'"),
        ([], "the plan is empty"),
        (["move_to((3, 2), (0, 0))"], "is a wall"),
    ],
)
def test_plan_that_cannot_be_carried_out_is_refused(calls: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        PLAN_COOKING.check(CallsAnswer(calls=calls))


def test_failed_call_is_refused_only_as_the_first_of_a_plan() -> None:
    with pytest.raises(ValueError, match=r"interact\(\(4, 2\)\) has failed before .* The pot is full"):
        REFUSED.check(CallsAnswer(calls=["interact((4, 2))"]))
    REFUSED.check(CallsAnswer(calls=["interact((2, 1))", "interact((3, 4))", "interact((4, 2))"]))
    REFUSED.check(CallsAnswer(calls=["wait((4, 2))", "interact((4, 2))"]))
    upper, lower = room_of(REFUSED).pots
    seen_before = replace(upper, step=180, ready=200)
    planned(REFUSED, barred=(), pots=(seen_before, lower)).check(CallsAnswer(calls=["interact((4, 2))"]))


def test_every_unknown_role_and_behaviour_is_refused_at_once() -> None:
    NOW.check_behaviour("teammate", NextRound(does="loads pots slowly"))
    with pytest.raises(ValueError, match="does: unknown behaviour 'loads pots'; there are 'loads pots promptly'"):
        NOW.check_behaviour("teammate", NextRound(does=LOADS))
    NOW.check_strategy(SharedWork(words="Serve.", expects="loads pots promptly", role=SERVES), None)
    with pytest.raises(ValueError, match=r"say one; expects: unknown behaviour 'rests'.*role: unknown role 'waits'"):
        NOW.check_strategy(SharedWork(expects="rests", role="waits"), None)


def test_words_of_a_strategy_may_be_left_out_where_it_is_followed() -> None:
    NOW.check_strategy(SharedWork(expects="loads pots promptly", role=SERVES), "Serve.")
    assert "words" not in NOW.strategy_forms("Serve.")


def test_rounds_before_the_latest_ones_are_told_without_what_was_done_in_them() -> None:
    *earlier, latest = NOW.shown(ROUNDS, 1)
    assert latest == ROUNDS[-1]
    assert all(not each.activities and each.held is None for each in earlier if isinstance(each, KitchenInteraction))
    assert [each.behaviour for each in earlier] == [each.behaviour for each in ROUNDS[:-1]]


def test_choices_by_the_same_hypothesis_and_prediction_are_answered() -> None:
    mind, earlier = kitchen().mind, replace(CHOOSE, situation=AT_FIRST, history=())
    assert mind.is_answered(CHOOSE, by=earlier)
    assert not mind.is_answered(CHOOSE, by=replace(earlier, others=(replace(BELIEF, expected="loads pots slowly"),)))


def test_approach_counts_turns_and_steps() -> None:
    assert shortest_approach(KITCHEN, POT_AND_TOMATO, (5, 1)) == (0, POT_AND_TOMATO)
    assert shortest_approach(KITCHEN, POT_AND_TOMATO, (4, 2)) == (1, Pose(5, 2, Facing.WEST))
    assert shortest_approach(KITCHEN, POT_AND_TOMATO, (4, 3)) == (2, Pose(5, 3, Facing.WEST))
    assert shortest_approach(KITCHEN, POT_AND_TOMATO, (3, 1)) is None


def test_a_tomato_from_beside_the_pot_takes_four_steps() -> None:
    assert steps_to_use(KITCHEN, POT_AND_TOMATO, [(4, 2), (5, 1)]) == 4
    assert steps_to_use(KITCHEN, Pose(1, 1, Facing.WEST), [(4, 2), (0, 1)]) == 12
    assert steps_to_use(KITCHEN, POT_AND_TOMATO, [(4, 2), (0, 1)]) is None
    assert steps_to_use(KITCHEN, POT_AND_TOMATO, [(5, 1), (5, 1)]) == 3  # between two uses a step must pass
