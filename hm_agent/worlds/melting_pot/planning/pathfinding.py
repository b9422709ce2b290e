"""A* over the open cells of a map (Hypothetical Minds, appendix C.5)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from heapq import heappop, heappush

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance

Path = tuple[Cell, ...]
"""The cells to go through, the start left out and the goal included."""


def find_path(layout: Layout, start: Cell, goal: Cell, avoid: Set[Cell] = frozenset()) -> Path | None:
    """The shortest path that enters no cell of `avoid` but the goal; None where there is none."""
    came_from: dict[Cell, Cell | None] = {start: None}
    steps = {start: 0}
    frontier = [(distance(start, goal), 0, start)]
    while frontier:
        _, taken, cell = heappop(frontier)
        if cell == goal:
            return _trace(came_from, goal)
        for neighbour in layout.neighbours[cell]:
            if neighbour in avoid and neighbour != goal:
                continue
            if taken + 1 < steps.get(neighbour, 1_000_000):
                steps[neighbour], came_from[neighbour] = taken + 1, cell
                heappush(frontier, (taken + 1 + distance(neighbour, goal), taken + 1, neighbour))
    return None


def _trace(came_from: Mapping[Cell, Cell | None], goal: Cell) -> Path:
    path = []
    cell: Cell | None = goal
    while cell is not None:
        path.append(cell)
        cell = came_from[cell]
    return tuple(reversed(path[:-1]))


def find_path_past_things(
    layout: Layout, start: Cell, goal: Cell, things: Mapping[Cell, str], players: Set[Cell] = frozenset()
) -> Path | None:
    """The paper's priority: past all things; else only through those of the target's own kind; else past walls only.

    things: the kind of what lies on a cell. players: cells where somebody stands, which no path enters.
    """
    own_kind = things.get(goal)
    others = {cell for cell, kind in things.items() if kind != own_kind}
    for avoid in (things.keys(), others, frozenset[Cell]()):
        path = find_path(layout, start, goal, avoid | players)
        if path is not None:
            return path
    return None
