"""Where to look next: the places that have been out of view for longest."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance

NEARNESS = 4
"""How many steps of being out of view make up for one step of way."""
NEVER = -300
"""The step at which cells that were never in view are taken to have been seen last."""
SPREAD = 5
"""The least distance between two places named at once."""


def stalest_cell(layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int) -> Cell:
    """The open cell out of view for longest, nearer ones before further ones."""
    return max(layout.open_cells, key=lambda cell: (_worth(cell, start, looked_at, step), cell))


def unseen_places(
    layout: Layout, start: Cell, looked_at: Mapping[Cell, int], step: int, count: int = 3
) -> tuple[tuple[Cell, int | None], ...]:
    """A few such cells, apart from each other, with the step each was last in view (None: never)."""
    hidden = (cell for cell in layout.open_cells if looked_at.get(cell) != step)
    ranked = sorted(hidden, key=lambda cell: (-_worth(cell, start, looked_at, step), cell))
    chosen: list[Cell] = []
    for cell in ranked:
        if all(distance(cell, other) >= SPREAD for other in chosen):
            chosen.append(cell)
        if len(chosen) == count:
            break
    return tuple((cell, looked_at.get(cell)) for cell in chosen)


def _worth(cell: Cell, start: Cell, looked_at: Mapping[Cell, int], step: int) -> int:
    return step - looked_at.get(cell, NEVER) - NEARNESS * distance(start, cell)
