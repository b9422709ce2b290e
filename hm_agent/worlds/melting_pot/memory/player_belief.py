"""Where may a player be that is out of view? A belief over the map that spreads with time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

RESTLESSNESS = 0.2
"""How likely a player is taken to step to each of the four sides within one step."""
HASTE = 4
"""The way to a place counts from here on: twice as far, in steps beyond these, must be twice as likely."""
SPREAD = 4
"""The least distance between two places named at once."""


class PlayerBeliefMap:
    """A belief about each other player by name; they start anywhere and come back anywhere."""

    def __init__(self, layout: Layout, players: Sequence[str], reach: int, lure: float = 1.0) -> None:
        """reach: within so many columns and rows of a place a player would be seen from there.

        lure: how many times as likely players are, in the long run, on a cell where things grow as on any other.
        """
        self._slots = {player: n for n, player in enumerate(players)}
        self._reach = reach
        self._open = np.zeros((layout.height, layout.width))
        for x, y in layout.open_cells:
            self._open[y, x] = 1.0
        self._pull = lure - 1.0
        self._noticed = 0
        self._lure(np.zeros_like(self._open))
        self._forget()

    def _forget(self) -> None:
        self.beliefs = np.tile(self._anywhere, (len(self._slots), 1, 1))
        """(players, height, width) probabilities."""

    @property
    def players(self) -> Sequence[str]:
        return tuple(self._slots)

    def of(self, player: str) -> npt.NDArray[np.float64]:
        """(height, width) probabilities."""
        return np.asarray(self.beliefs[self._slots[player]])

    def notice(self, sites: Collection[Cell]) -> None:
        """Takes in where things grow."""
        if len(sites) > self._noticed:
            grown = np.zeros_like(self._open)
            for x, y in sites:
                grown[y, x] = self._open[y, x]
            self._lure(grown)
            self._noticed = len(sites)

    def _lure(self, sites: npt.NDArray[np.float64]) -> None:
        """Works out how players move about, by where things are known to grow (1 there, 0 elsewhere)."""
        self._sites = sites
        # How many times as likely each cell is as an open one where nothing grows.
        appeal = self._open + self._pull * sites
        self._anywhere = appeal / appeal.sum()
        self._going = RESTLESSNESS / np.where(self._open, appeal, 1.0)
        self._leaving = self._going * self._reached(np.ones((1, *self._open.shape)))

    def update(self, view: TextualMap) -> None:
        """One step further: the beliefs spread, and the cells in view are settled."""
        if not view.present:
            self._forget()
            return
        self._spread()
        self._clear(view.in_view)
        for sight in view.players:
            if sight.cell and (slot := self._slots.get(sight.kind)) is not None:
                x, y = sight.cell
                self.beliefs[slot] = 0.0
                self.beliefs[slot, y, x] = 1.0

    def _spread(self) -> None:
        """Who would step into a wall stays; steps away from where things grow are the rarer the more they lure."""
        self.beliefs = self.beliefs * (1 - self._leaving) + self._reached(self._going * self.beliefs)

    def _reached(self, moving: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What comes to each cell from its neighbours; between cells where things grow there is more coming and going.

        So a player is in the long run on each cell as often as that lures it, from wherever it starts.
        """
        amid = self._pull * self._sites * _sum_around(moving * self._sites)
        return self._open * _sum_around(moving * self._open) + amid

    def _clear(self, in_view: Sequence[Cell]) -> None:
        """Nobody is taken to be where nobody is seen; who can be nowhere any more may be anywhere."""
        height, width = self._open.shape
        for x, y in in_view:
            if 0 <= y < height and 0 <= x < width:
                self.beliefs[:, y, x] = 0.0
        totals = self.beliefs.sum(axis=(1, 2), keepdims=True)
        lost = totals <= 0
        self.beliefs = np.where(lost, self._anywhere, self.beliefs / np.where(lost, 1.0, totals))

    def likely_places(self, players: Sequence[str] = (), count: int = 3) -> tuple[tuple[Cell, float], ...]:
        """A few places apart from each other, each with how many of these players (all by default) to expect in view.

        For a single player, that is the probability that it is seen from there.
        """
        slots = [self._slots[player] for player in players] or list(self._slots.values())
        seen = self._open * _box_sum(self.beliefs[slots].sum(axis=0), self._reach)
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


def _sum_around(grids: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each cell of each grid, the sum over its four neighbours."""
    total = np.zeros_like(grids)
    total[:, 1:] += grids[:, :-1]
    total[:, :-1] += grids[:, 1:]
    total[:, :, 1:] += grids[:, :, :-1]
    total[:, :, :-1] += grids[:, :, 1:]
    return total


def _box_sum(grid: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """For each cell, the sum over the square of cells within reach."""
    padded = np.pad(grid, reach)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(windows.sum(axis=(2, 3)))
