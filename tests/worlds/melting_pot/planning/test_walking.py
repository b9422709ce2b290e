from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.walking import Walker, seek_bearings

RING = Layout.from_ascii("""
WWWWWWW
W     W
W WWW W
W     W
WWWWWWW
""")
NOBODY: frozenset[Cell] = frozenset()


def memory_of(**cells: Cell) -> EntityMemory:
    memory = EntityMemory()
    memory.things = {cell: (kind, 0) for kind, cell in cells.items()}
    return memory


def walk(walker: Walker, pose: Pose, goal: Cell, memory: EntityMemory, players: frozenset[Cell] = NOBODY) -> Pose:
    """The pose one step later, where nothing is in the way."""
    move = walker.step(pose, goal, memory, players)
    assert move is not None
    return pose.after(move)


def test_walker_arrives_by_the_shortest_way() -> None:
    walker, pose, steps = Walker(RING), Pose(1, 1, Facing.SOUTH), 0
    while walker.step(pose, (5, 1), EntityMemory(), NOBODY) is not None:
        pose, steps = walk(walker, pose, (5, 1), EntityMemory()), steps + 1
    assert (pose, steps) == (Pose(5, 1, Facing.SOUTH), 4)


def test_walker_that_has_arrived_makes_no_step() -> None:
    assert Walker(RING).step(Pose(5, 1, Facing.NORTH), (5, 1), EntityMemory(), NOBODY) is None


def test_walker_that_no_way_leads_to_its_goal_makes_no_step() -> None:
    assert Walker(RING).step(Pose(1, 1, Facing.NORTH), (0, 0), EntityMemory(), NOBODY) is None


def test_walker_thrown_off_its_path_plans_anew() -> None:
    walker = Walker(RING)
    walk(walker, Pose(1, 1, Facing.NORTH), (5, 1), EntityMemory())
    assert walk(walker, Pose(4, 3, Facing.NORTH), (5, 1), EntityMemory()).cell == (5, 3)


def test_walker_whose_step_failed_tries_it_again() -> None:
    walker, pose = Walker(RING), Pose(1, 1, Facing.NORTH)
    first = walk(walker, pose, (5, 1), EntityMemory())
    assert walk(walker, pose, (5, 1), EntityMemory()) == first


def test_walker_goes_around_a_new_thing_on_its_path() -> None:
    walker = Walker(RING)
    pose = walk(walker, Pose(1, 2, Facing.NORTH), (3, 1), EntityMemory())
    assert pose.cell == (1, 1)
    assert walk(walker, pose, (3, 1), memory_of(blue_box=(2, 1))).cell == (1, 2)


def test_walker_goes_around_a_player_in_its_way() -> None:
    walker = Walker(RING)
    pose = walk(walker, Pose(1, 2, Facing.NORTH), (3, 1), EntityMemory())
    assert walk(walker, pose, (3, 1), EntityMemory(), players=frozenset({(2, 1)})).cell == (1, 2)


def test_walker_goes_through_a_thing_where_every_way_is_blocked() -> None:
    walker, memory = Walker(RING), memory_of(blue_box=(2, 1), purple_box=(1, 2))
    assert walk(walker, Pose(1, 1, Facing.NORTH), (4, 1), memory).cell == (2, 1)


def test_walker_turns_to_a_new_goal_at_once() -> None:
    walker = Walker(RING)
    pose = walk(walker, Pose(3, 1, Facing.NORTH), (5, 1), EntityMemory())
    assert walk(walker, pose, (1, 1), EntityMemory()).cell == (3, 1)


def test_lost_player_does_not_take_what_lies_ahead() -> None:
    ahead = TextualMap(None, True, None, (Detection("blue_box", (1, 0)),), (), 0)
    assert {seek_bearings(ahead, step) for step in range(6)} == {Move.TURN_RIGHT}


def test_lost_player_both_walks_and_turns() -> None:
    clear = TextualMap(None, True, None, (), (), 0)
    assert {seek_bearings(clear, step) for step in range(6)} == {Move.FORWARD, Move.TURN_RIGHT}
