"""Uses of stations that failed: the question about why one did, and the memory that bars them from plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import Critique
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, POT, Kitchen, KitchenRules, Pot, Station
from hm_agent.worlds.melting_pot.games.cooking.room_seat import Barred, Teammate
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.planning.calls import reason


@dataclass(frozen=True, slots=True)
class CritiqueInteraction(Question[Critique]):
    """Why did using a station leave the agent's hands unchanged, and what should it do instead? (appendix C.6)

    before, after: the station before its use and now; None if none was known at the target. teammate: as last seen.
    """

    template = "melting_pot/cooking/critique_interaction.j2"
    schema = Critique
    rules: KitchenRules
    target: Cell
    hands: str | None
    before: Station | None
    after: Station | None
    pots: tuple[Pot, ...]
    step: int
    teammate: Teammate | None


@dataclass(frozen=True, slots=True)
class FailureState:
    """What decides whether an interaction works: the agent's hands and the station, without a pot's growing bar."""

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
        """Remembers a failure; keeps the reason already known if none is given."""
        self._why[state] = why or self._why.get(state)

    def is_explained(self, state: FailureState) -> bool:
        return self._why.get(state) is not None

    def barred(self, kitchen: Kitchen, cells: Iterable[Cell]) -> tuple[Barred, ...]:
        """Which of these cells hold a station whose use failed before in the present state."""
        now = (state_of(cell, kitchen.hands, kitchen.stations.get(cell)) for cell in sorted(cells))
        unexplained = reason("hands_unchanged")
        return tuple(Barred(state.cell, self._why[state] or unexplained) for state in now if state in self._why)
