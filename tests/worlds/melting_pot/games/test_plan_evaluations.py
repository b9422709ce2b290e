"""What an agent that reflects is told of its plan in a matrix game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.games.game import PlanContext, PlanOutcome
from hm_agent.worlds.melting_pot.games.matrix.game import INTERACTION_OVER
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.grid import NOWHERE, Facing, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.calls import USED_UP, FireAt, MoveTo, SubstratePlanRecord, plan_record
from tests.strategists import dyad
from tests.worlds.melting_pot.games.matrix_examples import PLAN

CALLS = (MoveTo((4, 4)), FireAt((9, 9)))


@pytest.mark.parametrize(
    ("plan", "because", "done"),
    [
        (plan_record(CALLS, 1), INTERACTION_OVER, 2),
        (plan_record(CALLS, 1), "opponent is now known to have taken mostly rock", 1),
        (plan_record(CALLS, 0), INTERACTION_OVER, 0),  # it was fired at on its way
        (plan_record(CALLS, 0, shot=FireAt((5, 5))), INTERACTION_OVER, 0),
        (replace(plan_record(CALLS, 1), went_on=True), INTERACTION_OVER, 1),
        (plan_record(CALLS, 2), USED_UP, 2),
    ],
)
def test_a_shot_that_led_to_an_interaction_was_carried_out(plan: SubstratePlanRecord, because: str, done: int) -> None:
    game = dyad()
    context = PlanContext(
        observation=Observation(90, {"INVENTORY": np.array((1, 1, 1))}),
        view=TextualMap(Pose(3, 7, Facing.NORTH), True, None, (), NOWHERE, 0),
        memory=EntityMemory(game.layout, PlayerBeliefMap(game.layout, game.players, 2)),
        strategy=MatrixStrategy("hold rock"),
        because=because,
        previous=plan,
    )
    assert game.ask_evaluation(context, PlanOutcome(PLAN, CALLS, None, 0.0)).plan.done == done
