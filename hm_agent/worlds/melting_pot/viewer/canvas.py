"""The pixels of a video's picture, of which only those that change are drawn again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

import numpy as np
import numpy.typing as npt
from PIL import ImageColor

from hm_agent.worlds.melting_pot.viewer.pen import BACKGROUND, FRAME, Box, Pen

Pixels = npt.NDArray[np.uint8]
Content = ParamSpec("Content")

BORDER = 2
"""The width of a tile's frame."""


class Canvas:
    """A picture of so many pixels. pixels: (height, width, 3) uint8, valid until the next drawing."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels: Pixels = np.full((height, width, 3), ImageColor.getrgb(BACKGROUND), np.uint8)
        self._shown: dict[Box, tuple[object, ...]] = {}

    def draw(
        self,
        box: Box,
        card: Callable[Concatenate[Pen, Content], None],
        *content: Content.args,
        **options: Content.kwargs,
    ) -> None:
        """Has a card drawn in a box, unless that card with that content is what the box shows already."""
        shown = (card, content, options)
        if self._shown.get(box) == shown:
            return
        self._shown[box] = shown
        pen = Pen(box.width, box.height)
        card(pen, *content, **options)
        self._window(box)[:] = np.asarray(pen.image)

    def show(self, box: Box, image: Pixels) -> None:
        """Puts an image, enlarged and with a thin frame, where it fits a box."""
        place = fit(image, box)
        if box not in self._shown:
            self._shown[box] = (place,)
            self._window(Box(place.x - 1, place.y - 1, place.width + 2, place.height + 2))[:] = ImageColor.getrgb(FRAME)
        factor = place.width // image.shape[1]
        self._window(place)[:] = image.repeat(factor, axis=1).repeat(factor, axis=0)

    def frame(self, box: Box, image: Pixels, tile: tuple[int, int], size: int, colour: str) -> None:
        """Frames one tile of an image shown in a box: (column, row) of tiles of so many pixels of the image."""
        place = fit(image, box)
        side = size * (place.width // image.shape[1])
        within = self._window(Box(place.x + tile[0] * side, place.y + tile[1] * side, side, side))
        for edge in (within[:BORDER], within[-BORDER:], within[:, :BORDER], within[:, -BORDER:]):
            edge[:] = ImageColor.getrgb(colour)

    def _window(self, box: Box) -> Pixels:
        return self.pixels[box.y : box.y + box.height, box.x : box.x + box.width]


def fit(image: Pixels, box: Box) -> Box:
    """Where an (H, W, 3) image lies in a box: as many times its size as there is room for, to the left and above."""
    height, width = image.shape[:2]
    factor = min(box.width // width, box.height // height)
    return Box(box.x, box.y, factor * width, factor * height)
