"""Draws the pictures of a video: a `Pen` draws text, blocks and lines on one card, a `Canvas` arranges the cards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Concatenate, NamedTuple, ParamSpec

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw, ImageFont

Pixels = npt.NDArray[np.uint8]
Content = ParamSpec("Content")

BACKGROUND = "#0e1217"
RAISED = "#1c232c"
FRAME = "#323c48"
FAINT = "#7d8896"
SOFT = "#b3bdc9"
BRIGHT = "#f0f4f8"
ACCENT = "#f5b84b"
GAIN = "#63d297"
LOSS = "#f2777a"

LEADING = 1.4
"""The distance between two baselines, in font sizes."""
BORDER = 2
"""The width of a tile's frame, in pixels."""

# Pillow's own font lacks glyphs for these characters, which models often write.
_SUBSTITUTES = str.maketrans({"–": "-", "—": "-", "−": "-", "→": "->", "≥": ">=", "≤": "<=", "×": "x", "•": "·"})

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Box(NamedTuple):
    """A rectangle of a picture, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


@cache
def font(size: int) -> Font:
    """Returns the font that comes with Pillow, which is the same on every machine."""
    return ImageFont.load_default(size)


def wrap(text: str, size: int, width: float, lines: int) -> list[str]:
    """Breaks a text into at most `lines` lines of at most `width` pixels; an ellipsis marks where it was cut."""
    face = font(size)
    broken = list(islice(_broken_lines(text.translate(_SUBSTITUTES), face, width), lines + 1))
    if len(broken) > lines:
        last = broken[lines - 1]
        fitting = _fitting_length(last, face, width - face.getlength("…"))
        broken[lines - 1 :] = [last[:fitting].rstrip(" .,;:") + "…"]
    return broken


class Pen:
    """Draws one card: a rectangle with coordinates from its top left."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width, height), BACKGROUND)
        self.width, self.height = width, height
        self._draw = ImageDraw.Draw(self.image)

    def write(self, at: tuple[float, float], text: str, size: int, colour: str, anchor: str = "la") -> None:
        """Writes one line. anchor: the alignment, as Pillow names it."""
        self._draw.text(at, text.translate(_SUBSTITUTES), fill=colour, font=font(size), anchor=anchor)

    def paragraph(
        self, at: tuple[float, float], text: str, size: int, colour: str, *, lines: int, width: float | None = None
    ) -> float:
        """Writes wrapped text, by default as far as the right edge; returns the y of the next line."""
        x, y = at
        for line in wrap(text, size, width or self.width - x, lines):
            self.write((x, y), line, size, colour)
            y += round(LEADING * size)
        return y

    def caption(self, text: str, aside: str = "") -> None:
        """Writes the card's title at its top left, and `aside` at its top right."""
        self.write((0, 0), text, 13, FAINT)
        self.write((self.width, 0), aside, 13, FAINT, anchor="ra")

    def block(self, box: tuple[float, float, float, float], colour: str, radius: float = 2) -> None:
        """Fills the rectangle (x, y, width, height)."""
        x, y, width, height = box
        self._draw.rounded_rectangle((x, y, x + width - 1, y + height - 1), radius, fill=colour)

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: int = 2) -> None:
        self._draw.line(points, fill=colour, width=width, joint="curve")


def heading(pen: Pen, title: str, subtitle: str, size: int = 22) -> None:
    """Draws the card with a video's title and, below it, a smaller line."""
    pen.paragraph((0, 0), title, size, BRIGHT, lines=1)
    pen.paragraph((0, 36), subtitle, 15, FAINT, lines=1)


def clock(pen: Pen, step: int, steps: int | None = None) -> None:
    """Draws the card with the step's number and, if there is a fixed number of steps, that."""
    pen.write((pen.width, 0), f"step {step}" if steps is None else f"step {step} of {steps}", 15, SOFT, anchor="ra")


def _broken_lines(text: str, font: Font, width: float) -> Iterator[str]:
    line = ""
    for piece in _pieces(text, font, width):
        longer = f"{line} {piece}" if line else piece
        if font.getlength(longer) > width:
            yield line
            longer = piece
        line = longer
    if line:
        yield line


def _pieces(text: str, font: Font, width: float) -> Iterator[str]:
    """The words of a text; words longer than a line are cut into parts that fit."""
    for word in text.split():
        while font.getlength(word) > width:
            fitting = _fitting_length(word, font, width)
            yield word[:fitting]
            word = word[fitting:]
        yield word


def _fitting_length(text: str, font: Font, width: float) -> int:
    """The number of characters from the left that fit a width, at least one."""
    return max(1, bisect_right(range(1, len(text) + 1), width, key=lambda count: font.getlength(text[:count])))


class Canvas:
    """A video's picture made of cards and images. pixels: (720, 1280, 3) uint8; every method draws into this array."""

    def __init__(self) -> None:
        self.pixels: Pixels = np.full((720, 1280, 3), ImageColor.getrgb(BACKGROUND), np.uint8)
        self._shown: dict[Box, tuple[object, ...]] = {}

    def draw(
        self,
        box: Box,
        card: Callable[Concatenate[Pen, Content], None],
        *content: Content.args,
        **options: Content.kwargs,
    ) -> None:
        """Draws a card in a box, unless the box shows the same card with the same content already."""
        shown = (card, content, options)
        if self._shown.get(box) == shown:
            return
        self._shown[box] = shown
        pen = Pen(box.width, box.height)
        card(pen, *content, **options)
        self._window(box)[:] = np.asarray(pen.image)

    def show(self, box: Box, image: Pixels) -> None:
        """Puts an image into a box, enlarged by a whole factor and with a thin frame."""
        place = fit(image, box)
        if box not in self._shown:
            self._shown[box] = (place,)
            self._window(Box(place.x - 1, place.y - 1, place.width + 2, place.height + 2))[:] = ImageColor.getrgb(FRAME)
        factor = place.width // image.shape[1]
        self._window(place)[:] = image.repeat(factor, axis=1).repeat(factor, axis=0)

    def paint(self, box: Box, image: Pixels) -> None:
        """Puts an image as it is into the top left of a box; what is higher than the box is cut off."""
        height = min(len(image), box.height)
        self._window(box)[:height, : image.shape[1]] = image[:height]

    def cover(self, box: Box, image: Pixels, words: str) -> None:
        """Writes words in place of an image that `show` would put into a box."""
        place = fit(image, box)
        pen = Pen(place.width, place.height)
        pen.paragraph((12, place.height // 2 - 21), words, 15, SOFT, lines=2, width=place.width - 24)
        self._window(place)[:] = np.asarray(pen.image)

    def frame(self, box: Box, image: Pixels, tile: tuple[int, int], size: int, colour: str, name: str) -> None:
        """Frames a tile, (column, row), of the image shown in a box, and writes a name above it.

        size: the side of a tile in the image's pixels.
        """
        place = fit(image, box)
        side = size * (place.width // image.shape[1])
        within = self._window(Box(place.x + tile[0] * side, place.y + tile[1] * side, side, side))
        for edge in (within[:BORDER], within[-BORDER:], within[:, :BORDER], within[:, -BORDER:]):
            edge[:] = ImageColor.getrgb(colour)
        label = Pen(round(font(13).getlength(name)) + 6, 16)
        label.write((3, 8), name, 13, colour, anchor="lm")
        left = max(box.x, place.x + tile[0] * side + (side - label.width) // 2)
        self._window(Box(left, max(0, place.y + tile[1] * side - 17), label.width, 16))[:] = np.asarray(label.image)

    def _window(self, box: Box) -> Pixels:
        return self.pixels[box.y : box.y + box.height, box.x : box.x + box.width]


def fit(image: Pixels, box: Box) -> Box:
    """The part of a box, at its top left, that an (H, W, 3) image fills if enlarged by the largest whole factor."""
    height, width = image.shape[:2]
    factor = min(box.width // width, box.height // height)
    return Box(box.x, box.y, factor * width, factor * height)
