"""A kitchen as one cook has come to know it: stations, pots and what is in one's hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hm_agent.worlds.melting_pot.facts import Recipe
from hm_agent.worlds.melting_pot.grid import Cell, Layout, around
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

LOADS, SERVES, EVERYTHING, STANDS = "loads pots", "serves soup", "does everything", "stands around"
ROLES = (LOADS, SERVES, EVERYTHING, STANDS)
"""What a cook can be after: the behaviours of this game."""

TOMATO, DISH, SOUP = "tomato", "dish", "soup"
"""What one can hold."""
TOMATOES, DISHES, DELIVERY, COUNTER = "tomato_dispenser", "dish_dispenser", "delivery", "counter"
"""Kinds of stations, but for pots; a counter is one only while something lies on it."""
POT = "pot_"
"""A pot's kind begins so and ends with the number of tomatoes in it."""
COOKED = "cooked"
"""The mark of a pot whose bar is full; until then it is a share such as `40%`."""


@dataclass(frozen=True, slots=True)
class Station:
    """Something that can be used, as last seen. mark: what lies on it, or a pot's progress. step: when it was seen."""

    kind: str
    cell: Cell
    mark: str | None
    step: int


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot as last seen. mark: its progress. ready: the step from which a dish takes its soup, None until it is full.

    The bar moves every other step, so that it may be ready one step sooner than reckoned.
    """

    cell: Cell
    tomatoes: int
    mark: str | None
    step: int
    is_full: bool
    ready: int | None

    @property
    def is_cooked(self) -> bool:
        """Whether it was cooked when last seen."""
        return self.mark == COOKED

    def is_cooked_by(self, step: int) -> bool:
        """Whether its soup can be taken at a step, reckoned on from what was seen."""
        return self.ready is not None and self.ready <= step


class Kitchen:
    """What one cook has seen of it so far."""

    def __init__(self, layout: Layout, recipe: Recipe) -> None:
        self._layout, self._recipe = layout, recipe
        self.stations: dict[Cell, Station] = {}
        self.hands: str | None = None
        """What is in one's own hands."""
        self.looked_at: dict[Cell, int] = {}
        """When each cell was last in view."""

    def update(self, step: int, view: TextualMap) -> None:
        """Takes in one frame; of a frame of unknown pose, the own hands alone."""
        self.hands = view.mark
        if view.pose is None:
            return
        seen = {sight.cell: self._station(sight, sight.cell, step) for sight in view.things if sight.cell is not None}
        for cell in view.in_view:
            self.looked_at[cell] = step
            self.stations.pop(cell, None)
        self.stations |= seen

    def _station(self, sight: Detection, cell: Cell, step: int) -> Station:
        return Station(sight.kind, cell, sight.mark, step)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """The pots seen so far, by cell."""
        return tuple(self._pot(s) for _, s in sorted(self.stations.items()) if s.kind.startswith(POT))

    def _pot(self, station: Station) -> Pot:
        tomatoes = int(station.kind.removeprefix(POT))
        is_full = tomatoes >= self._recipe.tomatoes
        ready = station.step + self._left(station.mark) if is_full else None
        return Pot(station.cell, tomatoes, station.mark, station.step, is_full, ready)

    def _left(self, mark: str | None) -> int:
        """For how many steps at most a full pot with this mark has yet to cook."""
        whole = self._recipe.cooking_steps - 1  # the frame that shows it full is one step old
        share = 100 if mark == COOKED else int(mark.removesuffix("%")) if mark else 0
        return whole - share * whole // 100

    def of_kind(self, kind: str) -> list[Station]:
        """The stations of a kind seen so far, by cell."""
        return [station for _, station in sorted(self.stations.items()) if station.kind == kind]

    def reachable(self, here: Cell) -> dict[Cell, Station]:
        """The stations seen so far that can be used from the room one stands in; pots can from both."""
        within = self.within_reach(here)
        return {cell: station for cell, station in self.stations.items() if cell in within}

    def within_reach(self, here: Cell) -> frozenset[Cell]:
        """All counters, with something on them or without, that can be used from the room one stands in."""
        return self._reach[here]

    def room(self, here: Cell) -> frozenset[Cell]:
        """The cells that one can walk to from here."""
        return next(room for room in self.rooms if here in room)

    @cached_property
    def rooms(self) -> Sequence[frozenset[Cell]]:
        """The parts of the kitchen that no way connects, from the west."""
        return rooms(self._layout)

    @cached_property
    def _reach(self) -> dict[Cell, frozenset[Cell]]:
        walls = self._layout.walls
        reach = [(room, walls & {cell for place in room for cell in around(place)}) for room in self.rooms]
        return {here: within for room, within in reach for here in room}


def rooms(layout: Layout) -> list[frozenset[Cell]]:
    """The parts of a map that no way connects, from the west."""
    found: list[frozenset[Cell]] = []
    for cell in sorted(layout.open_cells):
        if not any(cell in room for room in found):
            found.append(frozenset(_flood(layout, cell)))
    return found


def _flood(layout: Layout, start: Cell) -> set[Cell]:
    reached, edge = {start}, [start]
    while edge:
        new = [beside for beside in layout.neighbours[edge.pop()] if beside not in reached]
        reached.update(new)
        edge += new
    return reached
