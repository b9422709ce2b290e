from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance
from hm_agent.worlds.melting_pot.planning.pathfinding import find_path, find_path_past_things

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


def steps_by_flooding(layout: Layout, start: Cell, goal: Cell, avoid: frozenset[Cell]) -> int | None:
    """The length of the shortest path, the plain way."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in layout.neighbours[cell]:
            if neighbour not in steps and (neighbour == goal or neighbour not in avoid):
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    return steps.get(goal)


@given(data=st.data())
def test_path_on_the_real_map_is_the_shortest(rws_layout: Layout, data: st.DataObject) -> None:
    cells = st.sampled_from(rws_layout.open_cells)
    start, goal = data.draw(cells), data.draw(cells)
    avoid = data.draw(st.frozensets(cells, max_size=120))
    path = find_path(rws_layout, start, goal, avoid)
    assert (None if path is None else len(path)) == steps_by_flooding(rws_layout, start, goal, avoid)


@given(data=st.data())
def test_path_takes_single_steps_over_cells_that_need_not_be_avoided(rws_layout: Layout, data: st.DataObject) -> None:
    cells = st.sampled_from(rws_layout.open_cells)
    start, goal = data.draw(cells), data.draw(cells)
    avoid = data.draw(st.frozensets(cells, max_size=60))
    path = find_path(rws_layout, start, goal, avoid) or ()
    assert all(distance(a, b) == 1 for a, b in zip((start, *path), path, strict=False))
    assert not avoid.intersection(path[:-1])


def test_path_to_where_one_is_has_no_steps() -> None:
    assert find_path(THREE_WAYS, START, START) == ()


def test_unreachable_goal_has_no_path() -> None:
    assert find_path(ISLANDS, (1, 1), (3, 1)) is None


def crossed(things: dict[Cell, str]) -> set[Cell]:
    """Which of the three ways the path to the goal takes."""
    path = find_path_past_things(THREE_WAYS, START, GOAL, things | {GOAL: "yellow_box"})
    assert path is not None
    assert path[-1] == GOAL
    return {TOP, MIDDLE, BOTTOM}.intersection(path)


def test_longer_way_past_all_things_comes_first() -> None:
    assert crossed({TOP: "yellow_box", MIDDLE: "blue_box"}) == {BOTTOM}


def test_way_through_the_targets_own_kind_comes_second() -> None:
    assert crossed({TOP: "blue_box", MIDDLE: "yellow_box", BOTTOM: "blue_box"}) == {MIDDLE}


def test_way_past_walls_only_comes_last() -> None:
    assert crossed({TOP: "blue_box", MIDDLE: "blue_box", BOTTOM: "blue_box"}) == {TOP}


def test_path_enters_no_cell_where_somebody_stands() -> None:
    path = find_path_past_things(THREE_WAYS, START, GOAL, {BOTTOM: "blue_box"}, players={TOP, MIDDLE})
    assert path is not None
    assert BOTTOM in path


def test_way_blocked_by_players_alone_is_none() -> None:
    assert find_path_past_things(THREE_WAYS, START, GOAL, {}, players={TOP, MIDDLE, BOTTOM}) is None
