"""Grid geometry: cells, facings, poses, moves, a player's window and the layout of walls.

A cell is (x, y): x counts columns from the west, y counts rows from the north, both from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Cell = tuple[int, int]
Numbers = npt.NDArray[np.intp]
"""(n,) numbers of cells on a map."""


class Facing(IntEnum):
    """The direction an avatar faces, clockwise from north, as Melting Pot numbers it."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


AHEAD: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The step ahead, (dx, dy), by facing; the step to the right at facing f is AHEAD[(f + 1) % 4]."""


class Move(IntEnum):
    """The actions that planning uses, as Melting Pot numbers them; steps are relative to the facing.

    A substrate may have more, see `actions_of` in the simulator.
    """

    NOOP = 0
    FORWARD = 1
    BACKWARD = 2
    STEP_LEFT = 3
    STEP_RIGHT = 4
    TURN_LEFT = 5
    TURN_RIGHT = 6
    INTERACT = 7


STEP_QUARTERS: Mapping[int, int] = {Move.FORWARD: 0, Move.STEP_RIGHT: 1, Move.BACKWARD: 2, Move.STEP_LEFT: 3}
"""The direction of each step, in quarter turns clockwise from the facing."""
STEP_BY_QUARTERS = {quarters: Move(move) for move, quarters in STEP_QUARTERS.items()}
TURNS: Mapping[int, int] = {Move.TURN_LEFT: 3, Move.TURN_RIGHT: 1}
"""The quarter turns clockwise that each turn makes."""


class Pose(NamedTuple):
    """An avatar's cell and facing."""

    x: int
    y: int
    facing: int

    @property
    def cell(self) -> Cell:
        return self.x, self.y

    def to_json(self) -> tuple[int, int, Facing]:
        """The form in traces: [x, y, "north"]."""
        return self.x, self.y, Facing(self.facing)

    def place(self, forward: int, right: int) -> Cell:
        """The cell at an offset in steps ahead and to the right; both may be negative."""
        (fx, fy), (rx, ry) = AHEAD[self.facing], AHEAD[(self.facing + 1) % 4]
        return self.x + forward * fx + right * rx, self.y + forward * fy + right * ry

    def offset(self, cell: Cell) -> tuple[int, int]:
        """The (ahead, right) offset of a cell: the inverse of `place`."""
        dx, dy = cell[0] - self.x, cell[1] - self.y
        (fx, fy), (rx, ry) = AHEAD[self.facing], AHEAD[(self.facing + 1) % 4]
        return dx * fx + dy * fy, dx * rx + dy * ry

    def after(self, move: int) -> Pose:
        """The pose after a move that nothing blocks."""
        if move in TURNS:
            return Pose(self.x, self.y, (self.facing + TURNS[move]) % 4)
        if move in STEP_QUARTERS:
            dx, dy = AHEAD[(self.facing + STEP_QUARTERS[move]) % 4]
            return Pose(self.x + dx, self.y + dy, self.facing)
        return self


def step_towards(pose: Pose, neighbour: Cell) -> Move:
    """The step, without turning, that leads to a neighbouring cell."""
    direction = AHEAD.index((neighbour[0] - pose.x, neighbour[1] - pose.y))
    return STEP_BY_QUARTERS[(direction - pose.facing) % 4]


def distance(a: Cell, b: Cell) -> int:
    """Manhattan distance in cells."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def nearest(here: Cell, cells: Iterable[Cell]) -> Cell | None:
    """The cell at the least distance, of several the one with the least x, then y; None if there is no cell."""
    return min(cells, key=lambda cell: (distance(here, cell), cell), default=None)


@dataclass(frozen=True)
class Window:
    """The rectangle of cells that a player sees around its own, in cells to each side; ahead is up in the frame.

    Cells are numbered row by row from the top left.
    """

    left: int
    right: int
    forward: int
    backward: int

    @property
    def rows(self) -> int:
        return self.forward + 1 + self.backward

    @property
    def columns(self) -> int:
        return self.left + 1 + self.right

    @property
    def own_index(self) -> int:
        """The number of the player's own cell."""
        return self.forward * self.columns + self.left

    @cached_property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """(ahead, right) of each cell of the window, row by row from the top left."""
        rows, columns = range(self.rows), range(self.columns)
        return tuple((self.forward - row, column - self.left) for row in rows for column in columns)

    def shows(self, pose: Pose, cell: Cell) -> bool:
        """True if the window of a player at this pose contains a cell; walls block no view."""
        ahead, right = pose.offset(cell)
        return -self.backward <= ahead <= self.forward and -self.left <= right <= self.right

    def cells(self, pose: Pose) -> tuple[Cell, ...]:
        """The map cells in the window of a player at this pose, in the order of `offsets`."""
        x, y, facing = pose
        return tuple([(x + dx, y + dy) for dx, dy in self._shifts[facing]])

    @cached_property
    def _shifts(self) -> tuple[tuple[Cell, ...], ...]:
        """By facing, where each cell of the window lies from the player's own: the columns to the right, rows below."""
        return tuple(tuple(Pose(0, 0, facing).place(*offset) for offset in self.offsets) for facing in range(4))


@dataclass(frozen=True, slots=True)
class Area:
    """Some cells, in an order. numbers: the numbers on their map of those that lie on it, in the same order."""

    cells: tuple[Cell, ...]
    numbers: Numbers = field(compare=False)

    def __contains__(self, cell: Cell) -> bool:
        return cell in self.cells

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)


NOWHERE = Area((), np.empty(0, np.intp))


@dataclass(frozen=True)
class Layout:
    """A map's size and walls, which are known before an episode. Cells are numbered row by row from the top left.

    is_torus: True if whoever leaves the map comes back on the other side.
    """

    width: int
    height: int
    walls: frozenset[Cell]
    is_torus: bool = False

    @classmethod
    def from_ascii(cls, text: str, walls: str = "W") -> Layout:
        """Reads a map, one character per cell. walls: the characters of cells that nobody can enter."""
        rows: Sequence[str] = text.strip("\n").splitlines()
        solid = frozenset((x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char in walls)
        return cls(width=max(map(len, rows)), height=len(rows), walls=solid)

    def contains(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def is_at_edge(self, cell: Cell) -> bool:
        return cell[0] in (0, self.width - 1) or cell[1] in (0, self.height - 1)

    def wrapped(self, cell: Cell) -> Cell:
        """The cell on a torus that one beyond its edge stands for; on any other map the cell itself."""
        return (cell[0] % self.width, cell[1] % self.height) if self.is_torus else cell

    def seen_from(self, here: Cell, cell: Cell) -> Cell:
        """Where a cell lies for whoever is at another: on a torus the nearest way there may lead over the edge."""
        if not self.is_torus:
            return cell
        dx, dy = cell[0] - here[0], cell[1] - here[1]
        across, down = self.width // 2, self.height // 2
        return here[0] + (dx + across) % self.width - across, here[1] + (dy + down) % self.height - down

    def all_seen_from(self, here: Cell, cells: Set[Cell]) -> Set[Cell]:
        """Where some cells lie for whoever is at another."""
        return {self.seen_from(here, cell) for cell in cells} if self.is_torus else cells

    def distance(self, a: Cell, b: Cell) -> int:
        """Manhattan distance in cells, on a torus the nearest way."""
        return distance(a, self.seen_from(a, b))

    def number(self, cell: Cell) -> int:
        """The number of a cell on the map."""
        return cell[1] * self.width + cell[0]

    def cell(self, number: int) -> Cell:
        """The cell of a number."""
        y, x = divmod(number, self.width)
        return x, y

    def area(self, cells: Iterable[Cell]) -> Area:
        """Some cells, on the map or not, as an area of it."""
        listed, width, height = tuple(cells), self.width, self.height
        numbers = [y * width + x for x, y in listed if 0 <= x < width and 0 <= y < height]
        return Area(listed, np.array(numbers, np.intp))

    def is_open(self, cell: Cell) -> bool:
        """True if a cell is on the map and holds no wall."""
        return cell in self.neighbours

    @cached_property
    def open_cells(self) -> tuple[Cell, ...]:
        """All cells without a wall, row by row."""
        cells = ((x, y) for y in range(self.height) for x in range(self.width))
        return tuple(cell for cell in cells if cell not in self.walls)

    @cached_property
    def open_numbers(self) -> Numbers:
        """The numbers of all open cells, in their order."""
        return self.area(self.open_cells).numbers

    @cached_property
    def neighbours(self) -> dict[Cell, tuple[Cell, ...]]:
        """The open cells next to each open cell."""
        open_cells = set(self.open_cells)
        return {
            cell: tuple(beside for beside in map(self.wrapped, around(cell)) if beside in open_cells)
            for cell in self.open_cells
        }


def around(cell: Cell) -> Iterator[Cell]:
    """The four neighbours of a cell, on the map or not."""
    return ((cell[0] + dx, cell[1] + dy) for dx, dy in AHEAD)
