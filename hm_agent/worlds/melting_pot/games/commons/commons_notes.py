"""What one player notices at a common good, beyond what it notices in any substrate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import product
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.games.commons.commons_conduct import OWN, SOMEBODY, CommonsWatch
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts, River
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat, RiverSeen
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.grid import Cell

RIVER_WIDTH = 3
"""Water that lies no farther from where dirt was seen is of the river, and may get dirty."""
GOOD_PART = 20
"""So many cells of the river in view are a good part of it."""
LATELY = 40
"""The share of dirt is told by the water that was in view in so many steps up to the latest look."""
_AROUND = tuple(product(range(-RIVER_WIDTH, RIVER_WIDTH + 1), repeat=2))


class CommonsNotes(OpenNotes):
    """Also keeps where river and orchard are, and who was seen to clean and to take last apples."""

    seat_class = CommonsSeat
    _facts: CommonsFacts
    _watch: CommonsWatch

    def __init__(self, facts: CommonsFacts, slot: int) -> None:
        super().__init__(facts, slot)
        self._ground: dict[Cell, str] = {}
        self._dirty: set[Cell] = set()
        """The cells where dirt was ever seen."""
        self._near_dirt: set[Cell] = set()
        self._looked = 0
        """The latest step at which a good part of the river was in view."""

    def _watching(self) -> CommonsWatch:
        return CommonsWatch(self._facts, self.memory)

    def read(self, observation: Observation[View]) -> Sequence[Event]:
        events = super().read(observation)
        if self._watch.memory is not self.memory:
            self._watch.memory = self.memory
            for known in (self._ground, self._dirty, self._near_dirt):
                known.clear()
        self._ground.update(self.sight.ground)
        if self._facts.river:
            self._note_river(self._facts.river, observation.step)
        return events

    def _note_river(self, river: River, step: int) -> None:
        """Notes where the river is and, by dirt that is gone though nobody in view cleaned, that somebody did."""
        for cell in {*self.memory.cells_of(river.dirt)} - self._dirty:
            self._dirty.add(cell)
            self._near_dirt |= {(cell[0] + dx, cell[1] + dy) for dx, dy in _AROUND}
        if sum(cell in self._near_dirt for cell, _ in self.sight.ground) >= GOOD_PART:
            self._looked = step
        is_known = max(self._watch.cleaned.values(), default=-1) >= step - 1
        gone = {each.cell for each in self.memory.disappeared if each.kind == river.dirt}
        if not is_known and gone - self.occupied:
            self._watch.cleaned[SOMEBODY] = step

    def note_action(self, action: IntEnum) -> None:
        super().note_action(action)
        if self._facts.river and action.name.lower() == self._facts.river.clean:
            self._watch.cleaned[OWN] = self._observation.step

    def _more(self) -> Mapping[str, Any]:
        river = self._facts.river
        near = {cell: word for cell, word in self._ground.items() if cell in self._near_dirt}
        water = [cell for cell, word in near.items() if river and word == river.water]
        since = {cell: self._looked - (self.memory.looked_at.of(cell) or 0) for cell in water}
        lately = {cell for cell in water if since[cell] <= LATELY} or {*water}
        dirty = len(lately & {*self.memory.cells_of(river.dirt)}) if river else 0
        return {
            "cleaned": tuple(sorted(self._watch.cleaned.items())),
            "spoiled": tuple(sorted(self._watch.spoiled.items())),
            "river": RiverSeen(dirty, len(lately), self._looked) if water else None,
            "water": tuple(water),
            "orchard": tuple(cell for cell, word in self._ground.items() if river and word == river.grass),
        }
