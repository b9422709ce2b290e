"""Drawing on one rectangle of a picture: text that never overflows, blocks, lines; and the colours of it all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

BACKGROUND = "#0e1217"
RAISED = "#1c232c"
FRAME = "#323c48"
FAINT = "#7d8896"
SOFT = "#b3bdc9"
BRIGHT = "#f0f4f8"
ACCENT = "#f5b84b"
GAIN = "#63d297"
LOSS = "#f2777a"
SELF = "#5aa9ff"

LEADING = 1.4
"""From one baseline to the next, in font sizes."""

# Pillow's own font has no glyphs for these signs, which models like to write.
_SPELLED = str.maketrans({"–": "-", "—": "-", "−": "-", "→": "->", "≥": ">=", "≤": "<=", "×": "x", "•": "·"})

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Box(NamedTuple):
    """A rectangle of a picture, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


@cache
def font(size: int) -> Font:
    """The font that comes with Pillow, the same wherever the project runs."""
    return ImageFont.load_default(size)


def wrap(text: str, size: int, width: float, lines: int) -> list[str]:
    """A text in at most so many lines of at most a width in pixels; an ellipsis ends it where it was cut."""
    broken = list(islice(_break(text.translate(_SPELLED), font(size), width), lines + 1))
    if len(broken) > lines:
        broken[lines - 1 :] = [_ellipsis(broken[lines - 1], font(size), width)]
    return broken


class Pen:
    """Draws on a rectangle of its own, whose coordinates start at its top left."""

    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width, height), BACKGROUND)
        self.width, self.height = width, height
        self._draw = ImageDraw.Draw(self.image)

    def write(self, at: tuple[float, float], text: str, size: int, colour: str, anchor: str = "la") -> None:
        """Writes one line, in the alignment Pillow's anchors name."""
        self._draw.text(at, text.translate(_SPELLED), fill=colour, font=font(size), anchor=anchor)

    def paragraph(
        self, at: tuple[float, float], text: str, size: int, colour: str, *, lines: int, width: float | None = None
    ) -> float:
        """Writes wrapped text, as far as the right edge where no width is given; returns where the next line begins."""
        x, y = at
        for line in wrap(text, size, width or self.width - x, lines):
            self.write((x, y), line, size, colour)
            y += round(LEADING * size)
        return y

    def caption(self, text: str, aside: str = "") -> None:
        """Names the rectangle at its top left, and says something aside at its top right."""
        self.write((0, 0), text, 13, FAINT)
        self.write((self.width, 0), aside, 13, FAINT, anchor="ra")

    def block(self, box: tuple[float, float, float, float], colour: str, radius: float = 2) -> None:
        """Fills (x, y, width, height)."""
        x, y, width, height = box
        self._draw.rounded_rectangle((x, y, x + width - 1, y + height - 1), radius, fill=colour)

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: int = 2) -> None:
        self._draw.line(points, fill=colour, width=width, joint="curve")


def _break(text: str, font: Font, width: float) -> Iterator[str]:
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
    """The words of a text; those too long for a line in parts that fit."""
    for word in text.split():
        while font.getlength(word) > width:
            fitting = _fitting(word, font, width)
            yield word[:fitting]
            word = word[fitting:]
        yield word


def _ellipsis(line: str, font: Font, width: float) -> str:
    return line[: _fitting(line, font, width - font.getlength("…"))].rstrip(" .,;:") + "…"


def _fitting(text: str, font: Font, width: float) -> int:
    """How many characters from the left fit a width, at least one."""
    return max(1, bisect_right(range(1, len(text) + 1), width, key=lambda count: font.getlength(text[:count])))
