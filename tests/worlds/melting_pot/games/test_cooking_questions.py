"""Which answers a kitchen's questions refuse, and what work costs in steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import LOADS, SERVES, STANDS
from hm_agent.worlds.melting_pot.games.cooking.questions import (
    BehaviourAnswer,
    ChooseRole,
    PredictTeammate,
    RevisedTeammate,
    RoleAnswer,
    TeammateRevisionAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.work_costs import shortest_approach, steps_to_use
from hm_agent.worlds.melting_pot.games.game import PlanAnswer
from hm_agent.worlds.melting_pot.grid import Facing, Pose
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import layout_of
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN, KITCHEN_EXAMPLES, PLAN_COOKING, REFUSED

POT_AND_TOMATO = Pose(5, 2, Facing.NORTH)
"""The pose between the dispenser on the right and the upper pot."""


def test_example_kitchen_is_the_real_one() -> None:
    assert layout_of(game_named("cooking_asymmetric", KitchenFacts)) == KITCHEN


@pytest.mark.parametrize(
    ("subgoals", "problem"),
    [
        (["interact((5, 1))"], "out of your reach"),
        (["wait((3, 1))"], r"call 1, wait\(\(3, 1\)\): no pot stands there"),
        (["interact((2, 2))"], "bare floor"),
        (["interact((3, 4))"] * 11, "11 subgoals are too many"),
        (["fire_at((2, 2))"], "unknown function 'fire_at'"),
        ([], "the plan is empty"),
        (["move_to((3, 2), (0, 0))"], "is a wall"),
    ],
)
def test_plan_that_cannot_be_carried_out_is_refused(subgoals: list[str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        PLAN_COOKING.check(PlanAnswer(subgoals=subgoals))


def test_failed_subgoal_is_refused_only_as_the_first_of_a_plan() -> None:
    with pytest.raises(ValueError, match=r"interact\(\(4, 2\)\) has failed before .* The pot is full"):
        REFUSED.check(PlanAnswer(subgoals=["interact((4, 2))"]))
    REFUSED.check(PlanAnswer(subgoals=["interact((2, 1))", "interact((3, 4))", "interact((4, 2))"]))
    REFUSED.check(PlanAnswer(subgoals=["wait((4, 2))", "interact((4, 2))"]))
    seen_before = replace(REFUSED.pots[0], step=180, ready=200)
    replace(REFUSED, barred=(), pots=(seen_before, REFUSED.pots[1])).check(PlanAnswer(subgoals=["interact((4, 2))"]))


def test_every_unknown_role_and_behaviour_is_refused_at_once() -> None:
    predict, choose = KITCHEN_EXAMPLES["predict_teammate_by_one"], KITCHEN_EXAMPLES["choose_role"]
    assert isinstance(predict, PredictTeammate)
    assert isinstance(choose, ChooseRole)
    predict.check(BehaviourAnswer(behaviours=["loads pots slowly"]))
    choose.check(RoleAnswer(teammate="loads pots promptly", role=SERVES, strategy="Serve."))
    with pytest.raises(ValueError, match="behaviours: unknown behaviour 'loads pots'; there are 'loads pots promptly'"):
        predict.check(BehaviourAnswer(behaviours=[LOADS]))
    with pytest.raises(ValueError, match=r"teammate: unknown behaviour 'rests'.*role: unknown role 'waits'"):
        choose.check(RoleAnswer(teammate="rests", role="waits", strategy="Wait."))


def test_prediction_needs_one_behaviour_a_hypothesis() -> None:
    question = KITCHEN_EXAMPLES["predict_teammate"]
    with pytest.raises(ValueError, match="behaviours: 1 given, 3 wanted, one for each hypothesis"):
        question.check(BehaviourAnswer(behaviours=["stands around"]))


def revision(*hypotheses: tuple[int, str, str]) -> TeammateRevisionAnswer:
    kept = [RevisedTeammate(of=of, hypothesis=words, next=behaviour) for of, words, behaviour in hypotheses]
    return TeammateRevisionAnswer(hypotheses=kept, teammate="stands around", role=LOADS, strategy="Load.")


def test_revision_keeps_rewords_and_adds_hypotheses() -> None:
    kept, reworded, new = (
        (2, "", "loads pots slowly"),
        (1, "It loads.", "loads pots promptly"),
        (0, "It rests.", STANDS),
    )
    KITCHEN_EXAMPLES["revise_teammate"].check(revision(kept, reworded, new))


def test_all_errors_of_a_revision_are_named_at_once() -> None:
    question = KITCHEN_EXAMPLES["revise_teammate"]
    with pytest.raises(ValueError, match="hypotheses: 0 given, 1 to 5 wanted"):
        question.check(revision())
    wrong = revision((0, "", "rests"), (3, "It rests.", STANDS), (1, "", STANDS), (1, "", STANDS))
    with pytest.raises(
        ValueError, match=r"hypothesis 1 is named more than once; next: unknown behaviour 'rests'"
    ) as raised:
        question.check(wrong)
    assert "a new one needs words" in str(raised.value)
    assert "no hypothesis has the number 3" in str(raised.value)


def test_choices_by_the_same_hypothesis_and_prediction_are_equal() -> None:
    choose = KITCHEN_EXAMPLES["choose_role"]
    assert isinstance(choose, ChooseRole)
    assert replace(choose, state=replace(choose.state, step=400), history=()) == choose
    assert replace(choose, expected="loads pots slowly") != choose


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
