from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import NOWHERE, Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import FireAt, MoveTo
from hm_agent.worlds.melting_pot.planning.replan_triggers import ABSENCE_STEPS, ReplanTriggers

HERE = Pose(1, 1, Facing.NORTH)
WALK, HUNT = MoveTo((5, 5)), FireAt((5, 5))
HELD = (1, 3)


def seeing(*players: str, mark: str = "ready") -> TextualMap:
    sights = tuple(Detection(name, (2, 0), (1, 3), Facing.SOUTH, mark, is_player=True) for name in players)
    return TextualMap(HERE, True, None, sights, NOWHERE, 0)


def test_player_that_comes_into_view_triggers_once() -> None:
    triggers = ReplanTriggers("ready")
    assert not triggers.read(0, seeing(), HELD, WALK, None)
    assert triggers.read(1, seeing("player_1"), HELD, WALK, None)
    assert not triggers.read(2, seeing("player_1"), HELD, WALK, None)


def test_player_that_becomes_ready_in_view_does_not_arrive() -> None:
    triggers = ReplanTriggers("ready")
    triggers.read(0, seeing("player_1", mark="none"), HELD, WALK, None)
    assert not triggers.read(1, seeing("player_1"), HELD, WALK, None)


def test_player_that_was_out_of_view_for_long_triggers_again() -> None:
    triggers = ReplanTriggers("ready")
    triggers.read(0, seeing("player_1"), HELD, WALK, None)
    assert not triggers.read(ABSENCE_STEPS - 1, seeing("player_1"), HELD, WALK, None)
    assert triggers.read(2 * ABSENCE_STEPS - 1, seeing("player_1"), HELD, WALK, None)


def test_player_not_sought_or_not_ready_triggers_nothing() -> None:
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, WALK, ("player_2",))
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, WALK, ())
    assert not ReplanTriggers("ready").read(0, seeing("player_1", mark="interacting"), HELD, WALK, None)


def test_player_triggers_nothing_during_fire_at() -> None:
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, HUNT, None)


def test_pickup_during_fire_at_triggers() -> None:
    triggers = ReplanTriggers("ready")
    triggers.read(0, seeing(), (2, 3), HUNT, None)
    assert triggers.read(1, seeing(), (3, 3), HUNT, None)
    assert not triggers.read(2, seeing(), (3, 3), HUNT, None)
    assert triggers.read(3, seeing(), (4, 3), HUNT, None)
    assert not triggers.read(4, seeing(), (4, 4), WALK, None)


def test_pickup_after_which_the_same_kind_leads_changes_nothing() -> None:
    triggers = ReplanTriggers("ready")
    triggers.read(0, seeing(), HELD, HUNT, None)
    assert not triggers.read(1, seeing(), (1, 4), HUNT, None)
    assert not triggers.read(2, seeing(), (2, 4), HUNT, None)


def test_no_arrival_matters_while_no_kind_leads() -> None:
    triggers = ReplanTriggers("ready")
    assert not triggers.read(0, seeing("player_1"), (1, 1), WALK, None)


def test_no_arrival_calls_for_a_plan_where_the_plan_is_prepared_for_it() -> None:
    triggers = ReplanTriggers("ready")
    assert not triggers.read(0, seeing("player_1"), HELD, WALK, None, is_prepared=True)
    triggers.read(1, seeing("player_1"), (2, 3), HUNT, None, is_prepared=True)
    assert triggers.read(2, seeing("player_1"), (3, 3), HUNT, None, is_prepared=True)
