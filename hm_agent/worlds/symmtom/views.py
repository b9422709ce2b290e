"""What agents of SymmToM see and do, and what only viewers see, as plain values without arrays."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.worlds.symmtom.rules import OFFSETS, Direction
from hm_agent.worlds.symmtom.settings import GameSettings

Cell = tuple[int, int]
"""(x, y), from 0; y grows downwards."""
Pieces = tuple[int, ...]
"""Numbers of pieces of information, in ascending order."""


def manhattan(first: Cell, second: Cell) -> int:
    """The number of moves between two cells: their Manhattan distance."""
    return abs(first[0] - second[0]) + abs(first[1] - second[1])


def hearing_distance(first: Cell, second: Cell) -> int:
    """The distance that hearing ranges are measured by: the Chebyshev distance."""
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def direction_to(here: Cell, there: Cell) -> Direction:
    """The direction from a cell to a neighbouring one, or `STAY`."""
    step = [there[0] - here[0], there[1] - here[1]]
    return Direction(OFFSETS.tolist().index(step))


@dataclass(frozen=True, slots=True)
class SpokenMove:
    """An action: a direction to move in and a piece to say; an agent that does not know the piece is silent."""

    direction: Direction
    piece: int


@dataclass(frozen=True, slots=True)
class HeardPiece:
    speaker: int
    piece: int


@dataclass(frozen=True, slots=True)
class BoardView:
    """What an agent sees at the start of a turn.

    agent: its own number. positions, bases: of all agents. first_hand: by agent, the pieces that it knows first-hand,
    None if that is not public; its own are always there. knows: the pieces that it knows itself. said: what it said in
    the turn before; None if it was silent. heard: what it heard then. held: the agents that can't move now; empty
    outside tests of mind.
    """

    settings: GameSettings
    agent: int
    positions: tuple[Cell, ...]
    bases: tuple[Cell, ...]
    first_hand: tuple[Pieces | None, ...]
    knows: Pieces
    said: int | None = None
    heard: tuple[HeardPiece, ...] = ()
    held: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BelievedKnowledge:
    """An agent's beliefs before it acts. believed: by agent, the pieces that it believes this agent to know."""

    believed: tuple[Pieces, ...]


@dataclass(frozen=True, slots=True)
class BoardScene:
    """A step with all that is hidden from agents. positions, knows: before it. moved_to to rewards: its outcome.

    first_hand, knows: pieces by agent. said: by agent, None if silent. heard: (listener, speaker) pairs.
    recharged: the agents that recharged. rewards: by agent.
    """

    positions: tuple[Cell, ...]
    bases: tuple[Cell, ...]
    first_hand: tuple[Pieces, ...]
    knows: tuple[Pieces, ...]
    moved_to: tuple[Cell, ...]
    said: tuple[int | None, ...]
    heard: tuple[tuple[int, int], ...]
    recharged: tuple[int, ...]
    rewards: tuple[int, ...]

    def is_new(self, listener: int, speaker: int) -> bool:
        """True if the listener did not know the piece that the speaker said."""
        return self.said[speaker] not in self.knows[listener]
