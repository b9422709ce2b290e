"""Where may a player be that is out of view? A belief over the map that spreads with time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hm_agent.grid import Cell, Layout, distance
from hm_agent.perception.textual_map import TextualMap

RESTLESSNESS = 0.2
"""How likely a player is taken to step to each of the four sides within one step."""
REACH = 2
"""Within so many columns and rows of a place a player would be seen from there."""
HASTE = 4
"""The way to a place counts from here on: twice as far, in steps beyond these, must be twice as likely."""
SPREAD = 4
"""The least distance between two places named at once."""


class Whereabouts:
    """The belief about one other player; it starts anywhere and comes back anywhere."""

    def __init__(self, layout: Layout, player: str) -> None:
        self._player = player
        self._open = np.zeros((layout.height, layout.width))
        for x, y in layout.open_cells:
            self._open[y, x] = 1.0
        self._openings = RESTLESSNESS * _sum_around(self._open)
        self.belief = self._anywhere()
        """(height, width) probabilities."""

    def _anywhere(self) -> npt.NDArray[np.float64]:
        return np.asarray(self._open / self._open.sum())

    def update(self, view: TextualMap) -> None:
        """One step further: the belief spreads, and the cells in view are settled."""
        if not view.present:
            self.belief = self._anywhere()
            return
        self._spread()
        seen = [sight.cell for sight in view.sights if sight.kind == self._player and sight.cell]
        if seen:
            self.belief[:] = 0.0
        for x, y in seen or view.in_view:
            if 0 <= y < self.belief.shape[0] and 0 <= x < self.belief.shape[1]:
                self.belief[y, x] = 1.0 if seen else 0.0
        total = self.belief.sum()
        self.belief = self.belief / total if total > 0 else self._anywhere()

    def _spread(self) -> None:
        """Who would step into a wall stays."""
        coming = RESTLESSNESS * _sum_around(self.belief) * self._open
        self.belief = coming + self.belief * (1 - self._openings)

    def likely_places(self, count: int = 3) -> tuple[tuple[Cell, float], ...]:
        """A few places apart from each other, each with the probability that the player is seen from there."""
        seen = self._open * _box_sum(self.belief, REACH)
        chosen: list[tuple[Cell, float]] = []
        for place in np.argsort(-seen, axis=None, kind="stable"):
            y, x = divmod(int(place), seen.shape[1])
            if all(distance((x, y), cell) >= SPREAD for cell, _ in chosen):
                chosen.append(((x, y), round(float(seen[y, x]), 3)))
            if len(chosen) == count:
                break
        return tuple(chosen)


def worth_going_to(places: Sequence[tuple[Cell, float]], here: Cell) -> Cell:
    """Where to look for somebody: near and likely places before far and unlikely ones."""
    return max(places, key=lambda place: place[1] / (HASTE + distance(here, place[0])))[0]


def track(layout: Layout, players: Sequence[str]) -> dict[str, Whereabouts]:
    """A belief for each player by name."""
    return {player: Whereabouts(layout, player) for player in players}


def _sum_around(grid: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each cell, the sum over its four neighbours."""
    total = np.zeros_like(grid)
    total[1:] += grid[:-1]
    total[:-1] += grid[1:]
    total[:, 1:] += grid[:, :-1]
    total[:, :-1] += grid[:, 1:]
    return total


def _box_sum(grid: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """For each cell, the sum over the square of cells within reach."""
    padded = np.pad(grid, reach)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(windows.sum(axis=(2, 3)))
