"""The geometry all parts share: cells, facings, poses, moves and the layout of walls.

A cell is (x, y): x counts columns from the west, y counts rows from the north, both from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

Cell = tuple[int, int]


class Facing(IntEnum):
    """Where an avatar looks, clockwise from north, as Melting Pot numbers it."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


AHEAD: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The cell in front of (0, 0) by facing; the one to the right of facing f is AHEAD[(f + 1) % 4]."""


class Move(IntEnum):
    """The primitive moves of the grid substrates, as Melting Pot numbers them; steps are relative to the facing."""

    NOOP = 0
    FORWARD = 1
    BACKWARD = 2
    STEP_LEFT = 3
    STEP_RIGHT = 4
    TURN_LEFT = 5
    TURN_RIGHT = 6
    INTERACT = 7


QUARTERS: Mapping[int, int] = {Move.FORWARD: 0, Move.STEP_RIGHT: 1, Move.BACKWARD: 2, Move.STEP_LEFT: 3}
"""By how many quarter turns clockwise from the facing a step goes."""
STEP_BY_QUARTERS = {quarters: Move(move) for move, quarters in QUARTERS.items()}
TURNS: Mapping[int, int] = {Move.TURN_LEFT: 3, Move.TURN_RIGHT: 1}


class Pose(NamedTuple):
    """Where an avatar stands and where it looks."""

    x: int
    y: int
    facing: int

    @property
    def cell(self) -> Cell:
        return self.x, self.y

    def place(self, forward: int, right: int) -> Cell:
        """The cell so many steps ahead and to the right; both may be negative."""
        (fx, fy), (rx, ry) = AHEAD[self.facing], AHEAD[(self.facing + 1) % 4]
        return self.x + forward * fx + right * rx, self.y + forward * fy + right * ry

    def offset(self, cell: Cell) -> tuple[int, int]:
        """How far ahead and to the right a cell lies: the inverse of `place`."""
        dx, dy = cell[0] - self.x, cell[1] - self.y
        (fx, fy), (rx, ry) = AHEAD[self.facing], AHEAD[(self.facing + 1) % 4]
        return dx * fx + dy * fy, dx * rx + dy * ry

    def after(self, move: int) -> Pose:
        """The pose a move leads to where nothing is in the way."""
        if move in TURNS:
            return Pose(self.x, self.y, (self.facing + TURNS[move]) % 4)
        if move in QUARTERS:
            dx, dy = AHEAD[(self.facing + QUARTERS[move]) % 4]
            return Pose(self.x + dx, self.y + dy, self.facing)
        return self


def step_towards(pose: Pose, neighbour: Cell) -> Move:
    """The step that takes an avatar to a neighbouring cell without turning."""
    direction = AHEAD.index((neighbour[0] - pose.x, neighbour[1] - pose.y))
    return STEP_BY_QUARTERS[(direction - pose.facing) % 4]


def distance(a: Cell, b: Cell) -> int:
    """Manhattan distance in cells."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


@dataclass(frozen=True)
class Layout:
    """What is known of a map beforehand: its size and its walls."""

    width: int
    height: int
    walls: frozenset[Cell]

    @classmethod
    def from_ascii(cls, text: str, walls: str = "W") -> Layout:
        """walls: the characters of what nobody can enter."""
        rows: Sequence[str] = text.strip("\n").splitlines()
        solid = frozenset((x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char in walls)
        return cls(width=max(map(len, rows)), height=len(rows), walls=solid)

    def contains(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def is_open(self, cell: Cell) -> bool:
        """Whether an avatar could ever stand there."""
        return cell in self.neighbours

    @cached_property
    def open_cells(self) -> tuple[Cell, ...]:
        """Every cell without a wall, row by row."""
        cells = ((x, y) for y in range(self.height) for x in range(self.width))
        return tuple(cell for cell in cells if cell not in self.walls)

    @cached_property
    def neighbours(self) -> dict[Cell, tuple[Cell, ...]]:
        """The open cells next to each open cell."""
        open_cells = set(self.open_cells)
        return {cell: tuple(n for n in around(cell) if n in open_cells) for cell in self.open_cells}


def around(cell: Cell) -> Iterator[Cell]:
    """The four cells next to a cell, on the map or not."""
    return ((cell[0] + dx, cell[1] + dy) for dx, dy in AHEAD)
