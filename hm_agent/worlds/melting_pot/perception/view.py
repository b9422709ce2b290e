"""The player's own window: which patch shows which cell, and what is on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE, UNKNOWN, Atlas, Pixels

Labels = list[int]
"""The label index of each cell of the window, row by row from the top left."""


@dataclass(frozen=True)
class Window:
    """The shape of what a player sees: so many cells ahead, behind and to either side; ahead is up."""

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
    def own_cell(self) -> int:
        """The position of the player's own cell in `Labels`."""
        return self.forward * self.columns + self.left

    @cached_property
    def offsets(self) -> tuple[tuple[int, int], ...]:
        """(ahead, right) of each cell of the window, in the order of `Labels`."""
        return tuple(self._offsets())

    def _offsets(self) -> Iterator[tuple[int, int]]:
        for row in range(self.rows):
            for column in range(self.columns):
                yield self.forward - row, column - self.left

    def shows(self, pose: Pose, cell: Cell) -> bool:
        """Whether a player at this pose sees a cell, walls or no walls."""
        ahead, right = pose.offset(cell)
        return -self.backward <= ahead <= self.forward and -self.left <= right <= self.right

    def cells(self, pose: Pose) -> tuple[Cell, ...]:
        """The cells of the map that a player at this pose sees, in the order of `Labels`."""
        return tuple(pose.place(ahead, right) for ahead, right in self.offsets)


def label_patches(rgb: Pixels, atlas: Atlas) -> Labels:
    """Names every sprite of a frame by exact look-up, UNKNOWN where nothing fits.

    rgb: (H, W, 3) uint8, H and W multiples of 8.
    """
    rows, columns = rgb.shape[0] // SPRITE_SIZE, rgb.shape[1] // SPRITE_SIZE
    patches = rgb.reshape(rows, SPRITE_SIZE, columns, SPRITE_SIZE, 3).swapaxes(1, 2).tobytes()
    size, look_up = SPRITE_SIZE * SPRITE_SIZE * 3, atlas.index.get
    return [look_up(patches[start : start + size], UNKNOWN) for start in range(0, len(patches), size)]
