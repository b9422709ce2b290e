from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance
from hm_agent.worlds.melting_pot.memory.view_times import MIN_SEPARATION, ViewTimes

CORRIDOR = Layout.from_ascii("WWWWWWWWWWWWW\nW           W\nWWWWWWWWWWWWW")


def seen(*frames: tuple[int, Iterable[Cell]]) -> ViewTimes:
    """What is known after some frames, each with its step and the cells in view."""
    times = ViewTimes(CORRIDOR)
    for step, cells in frames:
        times.update(step, CORRIDOR.area(cells))
    return times


def all_but(*cells: Cell) -> list[Cell]:
    return [cell for cell in CORRIDOR.open_cells if cell not in cells]


def test_cell_out_of_view_for_longest_is_the_stalest() -> None:
    assert seen((20, [(9, 1)]), (100, all_but((9, 1)))).stalest_cell((2, 1), step=100) == (9, 1)


def test_nearer_of_two_equally_stale_cells_is_the_stalest() -> None:
    ends = (1, 1), (11, 1)
    assert seen((20, ends), (100, all_but(*ends))).stalest_cell((4, 1), step=100) == (1, 1)


def test_cell_never_in_view_is_staler_than_one_seen_at_the_start() -> None:
    assert seen((0, all_but((11, 1)))).stalest_cell((2, 1), step=0) == (11, 1)


def test_unseen_places_lie_apart() -> None:
    places = [cell for cell, _ in seen().unseen_places((1, 1), step=0)]
    assert len(places) == 3
    assert all(distance(a, b) >= MIN_SEPARATION for a, b in combinations(places, 2))


def test_unseen_places_say_when_each_was_last_in_view() -> None:
    assert seen((20, [(9, 1)]), (90, all_but((9, 1)))).unseen_places((9, 1), step=100)[0] == ((9, 1), 20)
    assert seen().unseen_places((9, 1), step=100)[0] == ((9, 1), None)


def test_each_cell_knows_when_it_was_last_in_view() -> None:
    times = seen((1, [(3, 1), (4, 1)]), (2, [(4, 1)]))
    assert [times.of((x, 1)) for x in (3, 4, 5)] == [1, 2, None]


def test_cells_beyond_the_map_were_never_in_view() -> None:
    times = seen((1, [(-1, 1), (13, 1), (3, 1)]))
    assert [times.of(cell) for cell in ((-1, 1), (13, 1), (3, 1), (12, 0))] == [None, None, 1, None]
