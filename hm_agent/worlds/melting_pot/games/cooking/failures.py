"""Interactions that failed, by the state in which they did, so that no plan repeats them (appendix C.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, POT, Kitchen, Station
from hm_agent.worlds.melting_pot.games.cooking.plan_questions import Barred
from hm_agent.worlds.melting_pot.grid import Cell

UNEXPLAINED = "nothing changed"


@dataclass(frozen=True, slots=True)
class FailureState:
    """What decides whether an interaction works: the cook's hands and the station, but for a pot's growing bar."""

    cell: Cell
    hands: str | None
    kind: str | None
    mark: str | None


def state_of(cell: Cell, hands: str | None, station: Station | None) -> FailureState:
    """The state of an interaction. station: what was last seen on the cell, None for a bare counter."""
    if station is None:
        return FailureState(cell, hands, None, None)
    is_growing = station.kind.startswith(POT) and station.mark != COOKED
    return FailureState(cell, hands, station.kind, None if is_growing else station.mark)


class Failures:
    """The states in which an interaction failed, each with the reason if it is known."""

    def __init__(self) -> None:
        self._why: dict[FailureState, str | None] = {}

    def add(self, state: FailureState, why: str | None) -> None:
        """Keeps a failure; a reason that is known stays."""
        self._why[state] = why or self._why.get(state)

    def is_explained(self, state: FailureState) -> bool:
        return self._why.get(state) is not None

    def barred(self, kitchen: Kitchen, cells: Iterable[Cell]) -> tuple[Barred, ...]:
        """Which of these cells hold a station whose use failed before in the present state."""
        now = (state_of(cell, kitchen.hands, kitchen.stations.get(cell)) for cell in sorted(cells))
        return tuple(Barred(state.cell, self._why[state] or UNEXPLAINED) for state in now if state in self._why)
