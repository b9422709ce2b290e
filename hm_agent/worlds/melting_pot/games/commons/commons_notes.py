"""What one player notices at a common good, beyond what it notices in any substrate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.games.commons.commons_conduct import OWN, SOMEBODY, CommonsWatch
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat, RiverSeen
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell


class CommonsNotes(OpenNotes):
    """Also keeps where river and orchard are, and who was seen to clean and to take last apples."""

    _facts: CommonsFacts
    _watch: CommonsWatch

    def __init__(
        self, facts: CommonsFacts, slot: int, actions: type[IntEnum], seat: type[OpenSeat] = CommonsSeat
    ) -> None:
        super().__init__(facts, slot, actions, seat)
        self._ground: dict[Cell, str] = {}

    def _watching(self) -> CommonsWatch:
        return CommonsWatch(self._facts, self.memory)

    def read(self, observation: Observation[View]) -> Sequence[Event]:
        events = super().read(observation)
        if self._watch.memory is not self.memory:
            self._watch.memory = self.memory
            self._ground.clear()
        self._ground.update(self.sight.ground)
        self._note_cleaner_river(observation.step)
        return events

    def _note_cleaner_river(self, step: int) -> None:
        """Dirt that is gone was removed by somebody, unless the agent has just cleaned."""
        river = self._facts.river
        if river and self._watch.cleaned.get(OWN, -1) < step - 1:
            if any(gone.kind == river.dirt for gone in self.memory.disappeared):
                self._watch.cleaned[SOMEBODY] = step

    def note_action(self, action: IntEnum) -> None:
        super().note_action(action)
        if self._facts.river and action.name.lower() == self._facts.river.clean:
            self._watch.cleaned[OWN] = self._observation.step

    def _more(self) -> Mapping[str, Any]:
        river = self._facts.river
        water = tuple(cell for cell, word in self._ground.items() if river and word == river.water)
        return {
            "cleaned": tuple(sorted(self._watch.cleaned.items())),
            "spoiled": tuple(sorted(self._watch.spoiled.items())),
            "river": self._river_seen(water),
            "water": water,
            "orchard": tuple(cell for cell, word in self._ground.items() if river and word == river.grass),
        }

    def _river_seen(self, water: Sequence[Cell]) -> RiverSeen | None:
        """How dirty the river is, by its cells as they were last seen."""
        if not water or not self._facts.river:
            return None
        dirty = len(self.memory.cells_of(self._facts.river.dirt))
        latest = max(self.memory.looked_at.of(cell) or 0 for cell in water)
        return RiverSeen(dirty, len(water), latest)
