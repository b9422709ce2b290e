"""The facts of Hidden Agenda."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts

if TYPE_CHECKING:  # the grid needs numpy, which lists and help do without
    from hm_agent.worlds.melting_pot.grid import Cell

GEM, TAG = "gem", "tag"
TAG_REACH = 4
"""The most cells, ahead and aside together, between who tags and who is frozen by it."""
TAG_REST = 52
"""An impostor can tag so many steps after its latest tag, after a vote, and after the beginning."""
IMPOSTOR_ROLE = "impostor"
USUAL_IMPOSTOR = 4
"""The slot of the impostor, unless a scenario gives other roles."""


def is_voting_place(cell: Cell) -> bool:
    """True for the cells of the room where players are put to vote."""
    return 12 <= cell[0] <= 20 and 3 <= cell[1] <= 6


def is_deposit(cell: Cell) -> bool:
    """True for the cells of the deposit in the middle of the map."""
    return cell == nearest_deposit(cell)


def nearest_deposit(cell: Cell) -> Cell:
    """The nearest cell of the deposit."""
    return min(max(cell[0], 14), 18), min(max(cell[1], 9), 12)


@dataclass(frozen=True, kw_only=True)
class AgendaFacts(SubstrateFacts):
    """Four crewmates and an impostor, whom nobody else knows."""

    game: Literal["agenda"]

    def is_impostor(self, slot: int) -> bool:
        """True if the player of a slot is the impostor."""
        return self.roles[slot] == IMPOSTOR_ROLE if self.roles else slot == USUAL_IMPOSTOR
