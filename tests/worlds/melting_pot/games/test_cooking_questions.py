"""Which answers a kitchen's questions refuse, and what work costs in steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.questions import BehaviourAnswer, ChooseRole, PredictTeammate, RoleAnswer
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
        (["wait((3, 1))"], r"no pot stands there; pots are at \[\(4, 2\), \(4, 3\)\]"),
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
    with pytest.raises(ValueError, match=r"interact\(\(4, 2\)\): it came to nothing .* The pot is full"):
        REFUSED.check(PlanAnswer(subgoals=["interact((4, 2))"]))
    REFUSED.check(PlanAnswer(subgoals=["interact((2, 1))", "interact((3, 4))", "interact((4, 2))"]))
    REFUSED.check(PlanAnswer(subgoals=["wait((4, 2))", "interact((4, 2))"]))
    replace(REFUSED, barred=()).check(PlanAnswer(subgoals=["interact((4, 2))"]))


def test_unknown_role_is_refused() -> None:
    predict, choose = KITCHEN_EXAMPLES["predict_teammate"], KITCHEN_EXAMPLES["choose_role"]
    assert isinstance(predict, PredictTeammate)
    assert isinstance(choose, ChooseRole)
    predict.check(BehaviourAnswer(behaviour=LOADS))
    choose.check(RoleAnswer(teammate=LOADS, role=SERVES, strategy=""))
    with pytest.raises(ValueError, match="behaviour: unknown role 'cooks'; there are 'loads pots', 'serves soup'"):
        predict.check(BehaviourAnswer(behaviour="cooks"))
    with pytest.raises(ValueError, match="role: unknown role 'waits'"):
        choose.check(RoleAnswer(teammate=LOADS, role="waits", strategy=""))


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
