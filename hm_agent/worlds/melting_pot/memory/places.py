"""Places to explore: cells that have been out of view for long."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance

STEPS_PER_CELL = 4
"""One cell of distance counts as much as this many steps out of view."""
NEVER_SEEN = -300
"""The step assumed for cells that were never in view."""
MIN_SEPARATION = 5
"""The least distance in cells between two places of one answer."""


def stalest_cell(layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int) -> Cell:
    """The open cell with the most steps out of view less STEPS_PER_CELL for each cell of distance from `start`."""
    return max(layout.open_cells, key=lambda cell: (_staleness(cell, start, looked_at, step), cell))


def unseen_places(
    layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int, count: int = 3
) -> tuple[tuple[Cell, int | None], ...]:
    """The `count` stalest cells that lie apart, each with the step at which it was last in view (None: never)."""
    hidden = (cell for cell in layout.open_cells if looked_at.get(cell) != step)
    ranked = sorted(hidden, key=lambda cell: (-_staleness(cell, start, looked_at, step), cell))
    chosen: list[Cell] = []
    for cell in ranked:
        if all(distance(cell, other) >= MIN_SEPARATION for other in chosen):
            chosen.append(cell)
        if len(chosen) == count:
            break
    return tuple((cell, looked_at.get(cell)) for cell in chosen)


def _staleness(cell: Cell, start: Cell, looked_at: Mapping[Cell, int], step: int) -> int:
    return step - looked_at.get(cell, NEVER_SEEN) - STEPS_PER_CELL * distance(start, cell)
