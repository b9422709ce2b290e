from __future__ import annotations

from itertools import combinations

from hm_agent.worlds.melting_pot.grid import Layout, distance
from hm_agent.worlds.melting_pot.memory.entities import MIN_SEPARATION, stalest_cell, unseen_places

CORRIDOR = Layout.from_ascii("WWWWWWWWWWWWW\nW           W\nWWWWWWWWWWWWW")


def test_cell_out_of_view_for_longest_is_the_stalest() -> None:
    seen = dict.fromkeys(CORRIDOR.open_cells, 100) | {(9, 1): 20}
    assert stalest_cell(CORRIDOR, (2, 1), seen, step=100) == (9, 1)


def test_nearer_of_two_equally_stale_cells_is_the_stalest() -> None:
    seen = dict.fromkeys(CORRIDOR.open_cells, 100) | {(1, 1): 20, (11, 1): 20}
    assert stalest_cell(CORRIDOR, (4, 1), seen, step=100) == (1, 1)


def test_cell_never_in_view_is_staler_than_one_seen_at_the_start() -> None:
    seen = dict.fromkeys(CORRIDOR.open_cells, 0)
    del seen[11, 1]
    assert stalest_cell(CORRIDOR, (2, 1), seen, step=0) == (11, 1)


def test_unseen_places_lie_apart() -> None:
    places = [cell for cell, _ in unseen_places(CORRIDOR, (1, 1), {}, step=0)]
    assert len(places) == 3
    assert all(distance(a, b) >= MIN_SEPARATION for a, b in combinations(places, 2))


def test_unseen_places_say_when_each_was_last_in_view() -> None:
    seen = dict.fromkeys(CORRIDOR.open_cells, 90) | {(9, 1): 20}
    assert unseen_places(CORRIDOR, (9, 1), seen, step=100)[0] == ((9, 1), 20)
    assert unseen_places(CORRIDOR, (9, 1), {}, step=100)[0] == ((9, 1), None)
