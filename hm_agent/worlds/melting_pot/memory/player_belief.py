"""A belief about the cells of players out of view: a random walk with relocations, corrected by what is in view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Area, Cell, Layout, distance
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

STEP_PROBABILITY = 0.2
"""The probability that a player moves to a given open neighbour within one step."""
DISTANCE_OFFSET = 4
"""A place is worth its expected players / (DISTANCE_OFFSET + its distance in cells)."""
LIKELY_PLACES, MIN_SEPARATION = 3, 4
"""How many likely places are told at most, and the least distance in cells between two of them."""


class _Glimpse(NamedTuple):
    """What a frame shows of the players. is_away: True if the own avatar is not on the map: all then return anywhere.

    in_view: the cells in view. seen: the cells of the players in view, by the player's number.
    """

    is_away: bool
    in_view: Area
    seen: Mapping[int, Cell]


class PlayerBeliefMap:
    """A probability distribution over the open cells for each other player.

    Players start, and return after a removal, anywhere on the map. The beliefs are calculated from the frames only when
    they are read: that is seldom, and frames before one that shows all players need not be calculated at all.
    """

    def __init__(
        self,
        layout: Layout,
        players: Sequence[str],
        reach: int,
        site_ratio: float = 1.0,
        expected_ratio: float = 1.0,
        relocation: float = 0.0,
    ) -> None:
        """reach: a player is seen from a place at most this many columns and rows away.

        site_ratio: how many times as likely a player is, in the long run, on a site as on any other open cell.
        expected_ratio: how many times as likely it is on a site of the kind that it is expected to collect as on any
        other site. relocation: the probability, in each step, that a player is from then on wherever players are in the
        long run, since players who walk somewhere get away faster than a random walk.
        """
        self._slots = {player: n for n, player in enumerate(players)}
        self._layout, self._reach = layout, reach
        self._open = np.zeros((layout.height, layout.width))
        for x, y in layout.open_cells:
            self._open[y, x] = 1.0
        self._site_ratio, self._expected_ratio, self._relocation = site_ratio, expected_ratio, relocation
        self._site_count = 0
        self._expected_kind: str | None = None
        self._set_dynamics(self._open)
        self._beliefs = np.tile(self._stationary, (len(self._slots), 1, 1))
        self._glimpses: list[_Glimpse] = []
        """Those since all players were seen, or could be anywhere, for the last time; that one is the first."""
        self._applied = 0
        """How many of them the beliefs take into account."""

    @property
    def players(self) -> Sequence[str]:
        return tuple(self._slots)

    @property
    def beliefs(self) -> npt.NDArray[np.float64]:
        """(players, height, width) probabilities."""
        for glimpse in self._glimpses[self._applied :]:
            self._apply(glimpse)
        self._applied = len(self._glimpses)
        return self._beliefs

    def of(self, player: str) -> npt.NDArray[np.float64]:
        """(height, width) probabilities of one player."""
        return np.asarray(self.beliefs[self._slots[player]])

    def set_sites(self, sites: Mapping[Cell, str], expected_kind: str | None = None) -> None:
        """Adapts the random walk to the known sites of resources, each with its kind; sites are only ever added.

        A new expectation also holds of the steps since the players' places were last known, or open altogether.
        expected_kind: the kind that all players are expected to collect; None if unknown.
        """
        if len(sites) > self._site_count or expected_kind != self._expected_kind:
            is_site, is_expected = np.zeros_like(self._open), np.zeros_like(self._open)
            for (x, y), kind in sites.items():
                is_site[y, x] = self._open[y, x]
                is_expected[y, x] = self._open[y, x] * (kind == expected_kind)
            self._beliefs = self.beliefs  # applies the frames so far by the dynamics so far
            of_expected_kind = self._site_ratio * (self._expected_ratio - 1.0) * is_expected
            self._set_dynamics(self._open, (self._site_ratio - 1.0) * is_site, of_expected_kind)
            if expected_kind != self._expected_kind:
                self._beliefs, self._applied = np.tile(self._stationary, (len(self._slots), 1, 1)), 0
            self._site_count, self._expected_kind = len(sites), expected_kind

    def _set_dynamics(self, *layers: npt.NDArray[np.float64]) -> None:
        """Sets the random walk by the likelihood of each cell in the long run, in proportion to the layers' sum.

        layers: (height, width) each, the first for the open cells. Where a layer is zero everywhere, it is left out.
        """
        self._layers = tuple((layer, np.asarray(layer > 0, float)) for layer in layers if layer.any())
        weight = np.asarray(sum(layers))
        self._stationary = weight / weight.sum()
        self._step_probability = STEP_PROBABILITY / np.where(self._open, weight, 1.0) * self._open
        self._staying = 1 - self._step_probability * self._inflow(self._open[np.newaxis])

    def update(self, view: TextualMap) -> None:
        """One step of the filter; the calculation waits until the beliefs are read."""
        seen = {
            self._slots[player.kind]: player.cell
            for player in view.players
            if player.cell and player.kind in self._slots
        }
        if not view.present or len(seen) == len(self._slots):
            self._glimpses.clear()
            self._applied = 0
        self._glimpses.append(_Glimpse(not view.present, view.in_view, seen))

    def _apply(self, glimpse: _Glimpse) -> None:
        """Moves the beliefs on by one step, then corrects them by the cells and players in view."""
        if glimpse.is_away:
            self._beliefs = np.tile(self._stationary, (len(self._slots), 1, 1))
            return
        if len(glimpse.seen) == len(self._slots):
            self._beliefs = np.zeros_like(self._beliefs)
        else:
            moving = self._step_probability * self._beliefs
            walked = self._beliefs * self._staying + self._inflow(moving)
            self._beliefs = (1 - self._relocation) * walked + self._relocation * self._stationary
            self._clear(glimpse.in_view)
        for slot, (x, y) in glimpse.seen.items():
            self._beliefs[slot] = 0.0
            self._beliefs[slot, y, x] = 1.0

    def _inflow(self, moving: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability that enters each cell. moving: for each cell, that of leaving it for any one neighbour.

        Each layer adds moves between two of its cells. This makes the walk reversible, with a stationary distribution
        that is proportional to the layers' sum.
        """
        return np.asarray(sum(layer * _sum_around(moving * is_in_it) for layer, is_in_it in self._layers))

    def _clear(self, in_view: Area) -> None:
        """Rules out the cells in view; a player that is ruled out everywhere gets the stationary distribution again."""
        self._beliefs.reshape(len(self._beliefs), -1)[:, in_view.numbers] = 0.0
        totals = self._beliefs.sum(axis=(1, 2), keepdims=True)
        lost = totals <= 0
        if lost.any():
            self._beliefs = np.where(lost, self._stationary, self._beliefs)
            totals[lost] = 1.0
        self._beliefs /= totals

    def likely_places(self, players: Sequence[str] = ()) -> tuple[tuple[Cell, float], ...]:
        """The LIKELY_PLACES best that lie apart, each with the expected number of these players in view from it.

        players: all by default. For a single player the number is the probability that it is in view.
        """
        slots = [self._slots[player] for player in players] or list(self._slots.values())
        # From a place a player sees the square of cells within `reach` columns and rows of it.
        padded, side = np.pad(self.beliefs[slots].sum(axis=0), self._reach), 2 * self._reach + 1
        in_rows = np.lib.stride_tricks.sliding_window_view(padded, side, axis=1).sum(axis=-1)
        in_squares = np.lib.stride_tricks.sliding_window_view(in_rows, side, axis=0).sum(axis=-1)
        expected = self._open * np.asarray(in_squares)
        ranked = map(self._layout.cell, np.argsort(-expected, axis=None, kind="stable").tolist())
        places: dict[Cell, float] = {}
        for x, y in ranked:
            if all(distance((x, y), other) >= MIN_SEPARATION for other in places):
                places[x, y] = round(float(expected[y, x]), 3)
            if len(places) == LIKELY_PLACES:
                break
        return tuple(places.items())


def place_to_search(places: Sequence[tuple[Cell, float]], here: Cell) -> Cell:
    """The place with the most expected players for its distance from `here`. places: with their expected players."""
    return max(places, key=lambda place: place[1] / (DISTANCE_OFFSET + distance(here, place[0])))[0]


def _sum_around(grids: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sum over the four neighbours of each cell, for each grid of a stack."""
    count, height, width = grids.shape
    padded = np.zeros((count, height + 2, width + 2))
    padded[:, 1:-1, 1:-1] = grids
    above, below = padded[:, :-2, 1:-1], padded[:, 2:, 1:-1]
    return np.asarray(above + below + padded[:, 1:-1, :-2] + padded[:, 1:-1, 2:])
