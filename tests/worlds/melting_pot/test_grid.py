from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose, Window, distance, step_towards
from hm_agent.worlds.melting_pot.planning.walking import find_path

POSES = st.builds(Pose, st.integers(-30, 30), st.integers(-30, 30), st.sampled_from(Facing))
OFFSETS = st.integers(-5, 5)
WINDOW = Window(left=2, right=2, forward=3, backward=1)
AT = Pose(10, 10, Facing.EAST)

ROOM = Layout.from_ascii("""
WWWWW
W   W
W W W
WWWWW
""")


@pytest.mark.parametrize(
    ("facing", "ahead", "right"),
    [
        (Facing.NORTH, (5, 4), (6, 5)),
        (Facing.EAST, (6, 5), (5, 6)),
        (Facing.SOUTH, (5, 6), (4, 5)),
        (Facing.WEST, (4, 5), (5, 4)),
    ],
)
def test_facing_decides_what_is_ahead_and_what_is_right(
    facing: Facing, ahead: tuple[int, int], right: tuple[int, int]
) -> None:
    pose = Pose(5, 5, facing)
    assert (pose.place(1, 0), pose.place(0, 1)) == (ahead, right)


@given(POSES, OFFSETS, OFFSETS)
def test_offset_undoes_place(pose: Pose, ahead: int, right: int) -> None:
    assert pose.offset(pose.place(ahead, right)) == (ahead, right)


@pytest.mark.parametrize(
    ("move", "offset"),
    [
        (Move.FORWARD, (1, 0)),
        (Move.BACKWARD, (-1, 0)),
        (Move.STEP_RIGHT, (0, 1)),
        (Move.STEP_LEFT, (0, -1)),
        (Move.NOOP, (0, 0)),
        (Move.INTERACT, (0, 0)),
    ],
)
@given(pose=POSES)
def test_step_changes_the_cell_and_not_the_facing(pose: Pose, move: Move, offset: tuple[int, int]) -> None:
    assert pose.after(move) == Pose(*pose.place(*offset), pose.facing)


@pytest.mark.parametrize(("move", "after"), [(Move.TURN_LEFT, Facing.WEST), (Move.TURN_RIGHT, Facing.EAST)])
def test_turn_changes_nothing_but_the_facing(move: Move, after: Facing) -> None:
    assert Pose(3, 4, Facing.NORTH).after(move) == Pose(3, 4, after)


@given(POSES, st.sampled_from([(0, -1), (1, 0), (0, 1), (-1, 0)]))
def test_step_towards_a_neighbour_leads_onto_it(pose: Pose, direction: tuple[int, int]) -> None:
    neighbour = (pose.x + direction[0], pose.y + direction[1])
    assert pose.after(step_towards(pose, neighbour)).cell == neighbour


def test_distance_counts_steps_not_the_straight_line() -> None:
    assert distance((1, 2), (4, 6)) == 7


def test_layout_has_its_walls_where_they_are_drawn() -> None:
    assert (ROOM.width, ROOM.height) == (5, 4)
    assert ROOM.open_cells == ((1, 1), (2, 1), (3, 1), (1, 2), (3, 2))


def test_cell_outside_the_map_is_neither_contained_nor_open() -> None:
    assert not ROOM.contains((5, 0))
    assert not ROOM.contains((0, -1))
    assert not ROOM.is_open((5, 0))


def test_wall_is_contained_but_not_open() -> None:
    assert ROOM.contains((2, 2))
    assert not ROOM.is_open((2, 2))


def test_neighbours_are_open_cells_on_four_sides() -> None:
    assert set(ROOM.neighbours[2, 1]) == {(1, 1), (3, 1)}
    assert ROOM.neighbours[3, 2] == ((3, 1),)


def test_cells_of_a_window_are_numbered_from_far_ahead_to_the_left() -> None:
    assert (WINDOW.rows, WINDOW.columns) == (5, 5)
    assert WINDOW.offsets[0] == (3, -2)
    assert WINDOW.offsets[WINDOW.own_index] == (0, 0)
    assert WINDOW.cells(AT)[0] == (13, 8)


def test_window_shows_exactly_its_cells() -> None:
    around = {(x, y) for x in range(20) for y in range(20)}
    assert {cell for cell in around if WINDOW.shows(AT, cell)} == set(WINDOW.cells(AT))


def test_on_a_torus_the_nearest_way_leads_over_the_edge() -> None:
    torus = Layout(7, 5, frozenset({(0, 1)}), is_torus=True)
    assert set(torus.neighbours[0, 0]) == {(6, 0), (1, 0), (0, 4)}  # below it is a wall
    assert torus.seen_from((1, 0), (5, 4)) == (-2, -1)
    assert find_path(torus, (1, 1), (6, 1)) in [((1, row), (0, row), (6, row), (6, 1)) for row in (0, 2)], (
        "around the wall, and over the edge"
    )


@given(st.tuples(st.integers(0, 6), st.integers(0, 4)), st.tuples(st.integers(0, 6), st.integers(0, 4)))
def test_the_distance_on_a_torus_is_that_of_the_shortest_path(start: Cell, goal: Cell) -> None:
    torus = Layout(7, 5, frozenset(), is_torus=True)
    assert torus.distance(start, goal) == len(find_path(torus, start, goal) or ())
