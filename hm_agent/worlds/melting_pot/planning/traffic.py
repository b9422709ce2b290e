"""One-way traffic: who walks round a block of walls keeps it on the right, so that players don't meet head-on."""

from __future__ import annotations

from functools import lru_cache

from hm_agent.worlds.melting_pot.grid import AHEAD, Cell, Layout

Step = tuple[Cell, Cell]
"""The cell that a step leaves, and the one that it enters."""


@lru_cache(maxsize=100)
def against_traffic(layout: Layout) -> frozenset[Step]:
    """The steps that have a block of walls on their left and none on their right; none where the map has no blocks."""
    inner = _blocks(layout)
    return frozenset(
        (cell, beside)
        for cell in layout.open_cells
        for beside in layout.neighbours[cell]
        if _side(cell, beside, -1) & inner and not _side(cell, beside, 1) & inner
    )


def _side(cell: Cell, beside: Cell, turn: int) -> set[Cell]:
    """The two cells to the right of a step (`turn` 1), or to its left (-1)."""
    dx, dy = AHEAD[(AHEAD.index((beside[0] - cell[0], beside[1] - cell[1])) + turn) % 4]
    return {(cell[0] + dx, cell[1] + dy), (beside[0] + dx, beside[1] + dy)}


def _blocks(layout: Layout) -> frozenset[Cell]:
    """The walls that are not connected, straight or across, to those round the map's floor."""
    outer = {wall for wall in layout.walls if any(_is_beyond(layout, cell) for cell in _nearby(wall))}
    edge = list(outer)
    while edge:
        joined = [cell for cell in _nearby(edge.pop()) if cell in layout.walls and cell not in outer]
        outer.update(joined)
        edge += joined
    return layout.walls - outer


def _is_beyond(layout: Layout, cell: Cell) -> bool:
    """True if a cell lies off the map, or is open at its edge."""
    return not layout.contains(cell) or (layout.is_at_edge(cell) and layout.is_open(cell))


def _nearby(cell: Cell) -> list[Cell]:
    """The eight cells round one."""
    return [(cell[0] + dx, cell[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
