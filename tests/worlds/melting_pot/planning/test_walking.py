from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Layout, Move, Pose, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.localizer import Localizer
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.walking import (
    CIRCLING_STEPS,
    Walker,
    find_path,
    find_path_past_things,
    seek_bearings,
    steps_from,
)
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

# Three ways from (1, 1) to (5, 1): along the top, the middle and the bottom.
THREE_WAYS = Layout.from_ascii("""
WWWWWWW
W     W
W WWW W
W     W
W WWW W
W     W
WWWWWWW
""")
START, GOAL = (1, 1), (5, 1)
TOP, MIDDLE, BOTTOM = (3, 1), (3, 3), (3, 5)
ISLANDS = Layout.from_ascii("WWWWW\nW W W\nWWWWW")
RING = Layout.from_ascii("""
WWWWWWW
W     W
W WWW W
W     W
WWWWWWW
""")
NOBODY: frozenset[Cell] = frozenset()


@given(data=st.data())
def test_path_on_the_real_map_is_the_shortest(rws_layout: Layout, data: st.DataObject) -> None:
    cells = st.sampled_from(rws_layout.open_cells)
    start, goal = data.draw(cells), data.draw(cells)
    avoid = data.draw(st.frozensets(cells, max_size=120))
    path = find_path(rws_layout, start, goal, avoid)
    by_flooding = steps_from(rws_layout, start, lambda cell: cell not in avoid)
    assert (None if path is None else len(path)) == by_flooding.get(goal)


@given(data=st.data())
def test_path_takes_single_steps_over_cells_that_need_not_be_avoided(rws_layout: Layout, data: st.DataObject) -> None:
    cells = st.sampled_from(rws_layout.open_cells)
    start, goal = data.draw(cells), data.draw(cells)
    avoid = data.draw(st.frozensets(cells, max_size=60))
    path = find_path(rws_layout, start, goal, avoid) or ()
    assert all(distance(a, b) == 1 for a, b in zip((start, *path), path, strict=False))
    assert not avoid.intersection(path[:-1])


def test_path_to_the_own_cell_has_no_steps_and_there_is_none_to_another_island() -> None:
    assert find_path(THREE_WAYS, START, START) == ()
    assert find_path(ISLANDS, (1, 1), (3, 1)) is None


def crossed(things: dict[Cell, str]) -> set[Cell]:
    """Which of the three ways the path to the goal takes."""
    path = find_path_past_things(THREE_WAYS, START, GOAL, things | {GOAL: "yellow_box"})
    assert path is not None
    assert path[-1] == GOAL
    return {TOP, MIDDLE, BOTTOM}.intersection(path)


def test_a_longer_way_past_all_things_comes_before_one_through_the_targets_kind_and_that_before_any() -> None:
    assert crossed({TOP: "yellow_box", MIDDLE: "blue_box"}) == {BOTTOM}
    assert crossed({TOP: "blue_box", MIDDLE: "yellow_box", BOTTOM: "blue_box"}) == {MIDDLE}
    assert crossed({TOP: "blue_box", MIDDLE: "blue_box", BOTTOM: "blue_box"}) == {TOP}


def test_path_enters_no_cell_where_a_player_stands() -> None:
    things = {BOTTOM: "blue_box"}
    assert BOTTOM in (find_path_past_things(THREE_WAYS, START, GOAL, things, players={TOP, MIDDLE}) or ())
    assert find_path_past_things(THREE_WAYS, START, GOAL, {}, players={TOP, MIDDLE, BOTTOM}) is None


def memory_of(**cells: Cell) -> EntityMemory:
    memory = EntityMemory(RING)
    memory.things = {cell: (kind, 0) for kind, cell in cells.items()}
    return memory


def walk(walker: Walker, pose: Pose, goal: Cell, memory: EntityMemory, players: frozenset[Cell] = NOBODY) -> Pose:
    """The pose after the walker's next move."""
    move = walker.step(pose, goal, memory, players)
    assert move is not None
    return pose.after(move)


def test_walker_arrives_by_the_shortest_way() -> None:
    walker, pose, steps = Walker(RING), Pose(1, 1, Facing.SOUTH), 0
    while walker.step(pose, (5, 1), EntityMemory(RING), NOBODY) is not None:
        pose, steps = walk(walker, pose, (5, 1), EntityMemory(RING)), steps + 1
    assert (pose, steps) == (Pose(5, 1, Facing.SOUTH), 4)


def test_walker_that_has_arrived_or_can_t_makes_no_step() -> None:
    for goal in ((1, 1), (0, 0)):
        assert Walker(RING).step(Pose(1, 1, Facing.NORTH), goal, EntityMemory(RING), NOBODY) is None


def test_walker_plans_anew_if_it_is_displaced_or_gets_a_new_goal_and_tries_again_if_its_step_failed() -> None:
    for start, then, goal, cell in (
        ((1, 1), (4, 3), (5, 1), (5, 3)),
        ((1, 1), (1, 1), (5, 1), (2, 1)),
        ((3, 1), (4, 1), (1, 1), (3, 1)),
    ):
        walker = Walker(RING)
        assert walk(walker, Pose(*start, Facing.NORTH), (5, 1), EntityMemory(RING)).cell in {(2, 1), (4, 1)}
        assert walk(walker, Pose(*then, Facing.NORTH), goal, EntityMemory(RING)).cell == cell


def test_walker_goes_around_a_new_thing_or_a_player_in_its_way() -> None:
    for memory, players in ((memory_of(blue_box=(2, 1)), NOBODY), (EntityMemory(RING), frozenset({(2, 1)}))):
        walker = Walker(RING)
        pose = walk(walker, Pose(1, 2, Facing.NORTH), (3, 1), EntityMemory(RING))
        assert pose.cell == (1, 1)
        assert walk(walker, pose, (3, 1), memory, players).cell == (1, 2)


def test_walker_goes_through_a_thing_where_every_way_is_blocked() -> None:
    walker, memory = Walker(RING), memory_of(blue_box=(2, 1), purple_box=(1, 2))
    assert walk(walker, Pose(1, 1, Facing.NORTH), (4, 1), memory).cell == (2, 1)


def test_player_of_unknown_pose_walks_and_turns_and_takes_nothing_that_lies_ahead() -> None:
    for ahead, moves in (((), {Move.FORWARD, Move.TURN_RIGHT}), ((Detection("blue_box", (1, 0)),), {Move.TURN_RIGHT})):
        view = TextualMap(None, True, None, ahead, NOWHERE, 0)
        assert {seek_bearings(view, step) for step in range(6)} == moves


def test_player_that_circled_in_vain_walks_straight_past_things_and_along_walls() -> None:
    def move(*things: tuple[int, int], walls: set[tuple[int, int]] | None = None) -> set[Move]:
        seen = tuple(Detection("blue_box", offset) for offset in things)
        view = TextualMap(None, True, None, seen, NOWHERE, 0, CIRCLING_STEPS + 1, frozenset(walls or ()))
        return {seek_bearings(view, step) for step in range(6)}

    assert move() == move((0, 1), (0, -1)) == {Move.FORWARD}
    assert move((1, 0)) == {Move.STEP_RIGHT}
    assert move((1, 0), (0, 1)) == {Move.TURN_RIGHT}
    assert move(walls={(1, 0), (1, 1)}) == move((1, 0), walls={(0, 1)}) == {Move.TURN_RIGHT}


@pytest.mark.parametrize("cell", [(6, 7), (11, 7), (16, 7)])
def test_a_lost_player_finds_its_pose_on_a_map_without_inner_walls(cell: Cell) -> None:
    """From the spawn points of Running With Scissors, one shot, from which no wall is in view."""
    patterns = vision_of("rws_one_shot", 0).patterns
    for facing in Facing:
        pose, localizer, move, steps = Pose(*cell, facing), Localizer(patterns), Move.NOOP, 0
        while True:
            shown = patterns.wall_sets[patterns.number[pose]]
            if localizer.update(shown, 0, pose.facing if shown else None, move, 0.0):
                break
            steps += 1
            walls = frozenset(offset for n, offset in enumerate(patterns.window.offsets) if shown >> n & 1)
            move = seek_bearings(TextualMap(None, True, None, (), NOWHERE, 0, steps, walls), steps)
            pose = pose.after(move) if pose.after(move) in patterns.number else pose
            assert steps < 60
        assert steps > 0
