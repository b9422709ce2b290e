from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.replan_triggers import RECESS, ReplanTriggers
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo

HERE = Pose(1, 1, Facing.NORTH)
WALK, HUNT = MoveTo((1, 1), (5, 5)), FireAt((5, 5))
HELD = (1, 3)


def seeing(*players: str, mark: str = "ready") -> TextualMap:
    sights = tuple(Detection(name, (2, 0), (1, 3), Facing.SOUTH, mark, is_player=True) for name in players)
    return TextualMap(HERE, True, None, sights, (), 0)


def test_company_that_arrives_is_a_surprise_once() -> None:
    surprises = ReplanTriggers("ready")
    assert not surprises.read(0, seeing(), HELD, WALK, None)
    assert surprises.read(1, seeing("player_1"), HELD, WALK, None)
    assert not surprises.read(2, seeing("player_1"), HELD, WALK, None)


def test_company_that_was_away_for_long_has_come_anew() -> None:
    surprises = ReplanTriggers("ready")
    surprises.read(0, seeing("player_1"), HELD, WALK, None)
    assert not surprises.read(RECESS - 1, seeing("player_1"), HELD, WALK, None)
    assert surprises.read(2 * RECESS - 1, seeing("player_1"), HELD, WALK, None)


def test_who_is_not_sought_or_not_ready_is_none() -> None:
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, WALK, ("player_2",))
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, WALK, ())
    assert not ReplanTriggers("ready").read(0, seeing("player_1", mark="interacting"), HELD, WALK, None)


def test_company_is_none_while_one_is_after_it() -> None:
    assert not ReplanTriggers("ready").read(0, seeing("player_1"), HELD, HUNT, None)


def test_what_is_picked_up_on_the_way_to_somebody_is_a_surprise() -> None:
    surprises = ReplanTriggers("ready")
    surprises.read(0, seeing(), HELD, HUNT, None)
    assert surprises.read(1, seeing(), (2, 3), HUNT, None)
    assert not surprises.read(2, seeing(), (2, 3), HUNT, None)
    assert not surprises.read(3, seeing(), (2, 4), WALK, None)
