"""When each cell of the map was last in view, and the places to explore: cells that have been out of view for long."""

from __future__ import annotations

from copy import copy

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Area, Cell, Layout

STEPS_PER_CELL = 4
"""One cell of distance counts as much as this many steps out of view."""
NEVER_SEEN = -300
"""The step assumed for cells that were never in view."""
MIN_SEPARATION = 5
"""The least distance in cells between two of the places that `unseen_places` returns."""
UNSEEN_PLACES = 3
"""How many places out of view a question names at most."""


class ViewTimes:
    """The step at which each cell of a map was last in view of one player."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._steps = np.full(layout.width * layout.height, NEVER_SEEN)
        self._open_y, self._open_x = np.divmod(layout.open_numbers, layout.width)

    def copy(self) -> ViewTimes:
        """The same times, whatever is looked at from now on."""
        copied = copy(self)
        copied._steps = self._steps.copy()
        return copied

    def update(self, step: int, in_view: Area) -> None:
        self._steps[in_view.numbers] = step

    def of(self, cell: Cell) -> int | None:
        """The step at which a cell was last in view; None if it never was, or is not on the map."""
        if not self._layout.contains(cell):
            return None
        step = int(self._steps[self._layout.number(cell)])
        return None if step == NEVER_SEEN else step

    def stalest_cell(self, start: Cell, step: int) -> Cell:
        """The open cell with the most steps out of view less STEPS_PER_CELL for each cell of distance from `start`."""
        # Ties go to the last cell, counted column by column.
        column_by_column = self._open_x * self._layout.height + self._open_y
        ranks = self._staleness(start, step) * len(self._steps) + column_by_column
        return self._layout.open_cells[int(ranks.argmax())]

    def unseen_places(
        self, start: Cell, step: int, within: tuple[Cell, Cell] | None = None
    ) -> tuple[tuple[Cell, int | None], ...]:
        """The stalest cells out of view that lie apart, each with its latest step in view, None if it never was.

        They are UNSEEN_PLACES at most, the stalest first. within: the corners of the rectangle that they lie in, the
        cells with the least and the greatest x and y; None for the whole map.
        """
        hidden = self._steps[self._layout.open_numbers] != step
        if within:
            (left, top), (right, bottom) = within
            x, y = self._open_x, self._open_y
            hidden &= (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
        x, y, staleness = self._open_x[hidden], self._open_y[hidden], self._staleness(start, step)[hidden]
        ranks = staleness * len(self._steps) - (x * self._layout.height + y)  # ties go to the first, column by column
        places: list[tuple[Cell, int | None]] = []
        while len(ranks) and len(places) < UNSEEN_PLACES:
            best = int(ranks.argmax())
            place = int(x[best]), int(y[best])
            places.append((place, self.of(place)))
            apart = np.abs(x - place[0]) + np.abs(y - place[1]) >= MIN_SEPARATION
            x, y, ranks = x[apart], y[apart], ranks[apart]
        return tuple(places)

    def _staleness(self, start: Cell, step: int) -> npt.NDArray[np.int64]:
        """(n,) of each open cell: its steps out of view, less STEPS_PER_CELL for each cell of distance from `start`."""
        across, down = np.abs(self._open_x - start[0]), np.abs(self._open_y - start[1])
        if self._layout.is_torus:
            across, down = np.minimum(across, self._layout.width - across), np.minimum(down, self._layout.height - down)
        distances = across + down
        staleness: npt.NDArray[np.int64] = step - self._steps[self._layout.open_numbers] - STEPS_PER_CELL * distances
        return staleness
