from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.grid import NOWHERE, Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Call, FireAt, MoveTo
from hm_agent.worlds.melting_pot.planning.replan_triggers import ABSENCE_STEPS, ReplanTriggers

HERE = Pose(1, 1, Facing.NORTH)
WALK, HUNT = MoveTo((5, 5)), FireAt((5, 5))
HELD = (1, 3)


def seeing(*players: str, mark: str = "ready") -> TextualMap:
    sights = tuple(Detection(name, (2, 0), (1, 3), Facing.SOUTH, mark, is_player=True) for name in players)
    return TextualMap(HERE, True, None, sights, NOWHERE, 0)


NEAR = seeing("player_1")


def triggered(
    *frames: tuple[int, TextualMap],
    held: Counts = HELD,
    call: Call = WALK,
    seek: Sequence[str] | None = None,
    is_prepared: bool = False,
) -> list[bool]:
    """Which of some frames, each with its step, call for a new plan."""
    triggers = ReplanTriggers("ready")
    return [bool(triggers.read(step, view, held, call, seek, is_prepared=is_prepared)) for step, view in frames]


def test_a_player_arrives_that_comes_into_view_ready_and_was_out_of_view_for_long() -> None:
    assert triggered((0, seeing()), (1, NEAR), (2, NEAR)) == [False, True, False]
    assert triggered((0, seeing("player_1", mark="none")), (1, NEAR)) == [False, False]
    assert triggered((0, NEAR), (ABSENCE_STEPS - 1, NEAR), (2 * ABSENCE_STEPS - 1, NEAR)) == [True, False, True]


def test_no_arrival_counts_of_who_is_not_sought_or_ready_or_where_plan_or_inventory_are_not_made_for_it() -> None:
    assert triggered((0, seeing("player_1", mark="interacting"))) == [False]
    assert triggered((0, NEAR), seek=("player_2",)) == triggered((0, NEAR), seek=()) == [False]
    assert triggered((0, NEAR), call=HUNT) == triggered((0, NEAR), is_prepared=True) == [False]
    assert triggered((0, NEAR), held=(1, 1)) == [False], "no kind leads"


def test_pickup_during_fire_at_triggers_if_another_kind_leads_then() -> None:
    for is_prepared in (False, True):
        triggers = ReplanTriggers("ready")
        counts = [(2, 3), (3, 3), (3, 3), (4, 3), (5, 3)]
        told = [triggers.read(n, seeing(), held, HUNT, None, is_prepared=is_prepared) for n, held in enumerate(counts)]
        assert list(map(bool, told)) == [False, True, False, True, False]
        assert not triggers.read(5, seeing(), (5, 5), WALK, None)
