"""What a learned player's network is given of a view: each cell of its own window, and a few numbers.

A cell is told by its pixels, or by planes: one for each sprite and quarter turn that perception can find in a cell of
this substrate. Both come from the player's own frame, and nothing enters that a player may not see. Planes need no
facts of the game, so that any substrate can be learned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Pixels
from hm_agent.worlds.melting_pot.simulator.substrate import (
    actions_of,
    atlas_of,
    avatars_in,
    default_settings,
    permitted_shapes,
    window_of,
)

Sight = Literal["planes", "pixels"]
Cells: TypeAlias = npt.NDArray[np.uint8]
"""(cells, features) of a window, row by row from the top left: planes of 0 and 1, or the RGB of a cell's pixels."""
NO_NUMBERS = ("RGB", "COLLECTIVE_REWARD")
"""The permitted observations that are no numbers of a player's own."""


class InputSizes(NamedTuple):
    """The sizes of what a network is given and gives. features: of a cell. numbers: the other ones. actions: to choose.

    brightest: the largest value of a feature, which stands for 1. goals: how many of the numbers are a puppet's one-hot
    GOAL; 0 for a player without a puppeteer.
    """

    cells: int
    features: int
    numbers: int
    actions: int
    brightest: int
    goals: int = 0


def input_sizes(substrate: str, sight: Sight, goals: int = 0) -> InputSizes:
    """The sizes for all players of a substrate, or for its puppets with so many goals."""
    window = window_of(next(avatars_in(default_settings(substrate))))
    shapes = permitted_shapes(substrate)
    numbers = 1 + goals + sum(int(np.prod(shape)) for name, shape in shapes.items() if name not in NO_NUMBERS)
    is_planes = sight == "planes"
    features = 1 + len(atlas_of(substrate).sprites) if is_planes else 3 * SPRITE_SIZE**2
    cells, brightest = window.rows * window.columns, 1 if is_planes else 255
    return InputSizes(cells, features, numbers, len(actions_of(substrate)), brightest, goals)


class Planes:
    """Turns frames into planes: the first for cells that nothing explains, then one for each sprite in its turns."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._number = {sprite: number for number, sprite in enumerate(sorted(atlas.sprites, key=str), start=1)}
        self._rows = np.zeros((0, 1 + len(self._number)), np.uint8)
        """The features of each label of the atlas that was seen so far."""

    def __call__(self, rgb: Pixels) -> Cells:
        labels = self._atlas.label(rgb)
        if new := self._atlas.labels[len(self._rows) :]:
            self._rows = np.concatenate([self._rows, [self._row(label.sprites) for label in new]])
        cells: Cells = self._rows[labels]
        return cells

    def _row(self, sprites: Any) -> Cells:
        row = np.zeros(self._rows.shape[1], np.uint8)
        row[[self._number.get(sprite, 0) for sprite in sprites]] = 1
        return row


def patches(rgb: Pixels) -> Cells:
    """The pixels of a frame (H, W, 3) by cell."""
    height, width, size = len(rgb) // SPRITE_SIZE, rgb.shape[1] // SPRITE_SIZE, SPRITE_SIZE
    by_cell: Cells = rgb.reshape(height, size, width, size, 3).swapaxes(1, 2).reshape(height * width, -1)
    return by_cell


@cache
def eye_for(substrate: str, sight: Sight) -> Callable[[Pixels], Cells]:
    """What turns players' frames into cells, one for all of a process."""
    return Planes(atlas_of(substrate)) if sight == "planes" else patches


def numbers_of(view: Mapping[str, npt.NDArray[Any]], reward: float) -> npt.NDArray[np.float32]:
    """The numbers that a player is told beside its frame, after its latest reward."""
    told = [np.ravel(view[name]) for name in sorted(view) if name not in NO_NUMBERS]
    return np.concatenate([[reward], *told], dtype=np.float32)
