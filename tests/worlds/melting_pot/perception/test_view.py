from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import Facing, Pose
from hm_agent.worlds.melting_pot.perception.view import Window

WINDOW = Window(left=2, right=2, forward=3, backward=1)
POSE = Pose(10, 10, Facing.EAST)


def test_window_is_as_large_as_its_sides() -> None:
    assert (WINDOW.rows, WINDOW.columns) == (5, 5)


def test_own_cell_is_where_the_offset_is_nothing() -> None:
    assert WINDOW.offsets[WINDOW.own_cell] == (0, 0)


def test_patches_begin_far_ahead_to_the_left() -> None:
    assert WINDOW.offsets[0] == (3, -2)
    assert WINDOW.cells(POSE)[0] == (13, 8)


def test_window_shows_exactly_its_cells() -> None:
    around = {(x, y) for x in range(20) for y in range(20)}
    assert {cell for cell in around if WINDOW.shows(POSE, cell)} == set(WINDOW.cells(POSE))
