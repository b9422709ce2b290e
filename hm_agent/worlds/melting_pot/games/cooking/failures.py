"""What came to nothing, and in which state, so that it is not tried again there (appendix C.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, POT, Kitchen, Station
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import Barred
from hm_agent.worlds.melting_pot.grid import Cell

UNEXPLAINED = "nothing changed"


@dataclass(frozen=True, slots=True)
class State:
    """What decides whether using something works: what one holds, and what is there. Bars that yet grow are no part."""

    cell: Cell
    hands: str | None
    kind: str | None
    mark: str | None


def state_of(cell: Cell, hands: str | None, station: Station | None) -> State:
    """station: what was last seen there, None where that is nothing."""
    if station is None:
        return State(cell, hands, None, None)
    is_growing = station.kind.startswith(POT) and station.mark != COOKED
    return State(cell, hands, station.kind, None if is_growing else station.mark)


class Failures:
    """The states in which something was used in vain, each with the reason as far as it is understood."""

    def __init__(self) -> None:
        self._why: dict[State, str | None] = {}
        self._latest: State | None = None

    def add(self, state: State) -> bool:
        """Enters a failure; returns whether it is yet to be explained."""
        self._latest = state
        return self._why.setdefault(state, None) is None

    def explain(self, why: str) -> None:
        """Says why the latest came to nothing."""
        if self._latest is not None:
            self._why[self._latest] = why

    def barred(self, kitchen: Kitchen, cells: Iterable[Cell]) -> tuple[Barred, ...]:
        """Which of these would come to nothing now, for all that is known."""
        now = (state_of(cell, kitchen.hands, kitchen.stations.get(cell)) for cell in sorted(cells))
        return tuple(Barred(state.cell, self._why[state] or UNEXPLAINED) for state in now if state in self._why)
