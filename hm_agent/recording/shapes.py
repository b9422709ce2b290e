"""Shapes of a drawing, which pages draw as SVG and videos with Pillow; colours are given by name.

Lengths are in a unit that the drawing chooses, y grows downwards. A page takes the colours from its own scheme, Pillow
takes them from `PALETTE`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw

from hm_agent.recording.drawing import BACKGROUND, font

Kind = Literal["box", "disc", "line", "polygon", "text"]
Anchor = Literal["middle", "start", "end"]
Point = tuple[float, float]

AGENT_COLOURS = 8
"""The number of agents' colours; a ninth agent has the first one's colour."""
PALETTE: Mapping[str, str] = {
    "page": BACKGROUND,
    "ink": "#e4e6e8",
    "muted": "#a0a8b0",
    "line": "#323a42",
    "wash": "#171c22",
    "band": "#2a323b",
    "gain": "#63d297",
    "loss": "#f2777a",
    "glow": "#edb23d",
    "agent-0": "#4aa8e6",
    "agent-1": "#f0813a",
    "agent-2": "#2fc39b",
    "agent-3": "#dd9bc0",
    "agent-4": "#edb23d",
    "agent-5": "#86cdf3",
    "agent-6": "#a6a6a6",
    "agent-7": "#e4e6e8",
}
"""Every colour by its name: those of the pages' dark scheme."""
_PILLOW_ANCHORS: Mapping[Anchor, str] = {"middle": "mm", "start": "lm", "end": "rm"}
_MEASURED, _WIDEST = 100, 1.12
"""The size at which Pillow's font is measured, and how much wider than it the fonts of pages may be."""
TAIL = 4
"""How many characters of a shortened text's end are kept: names often differ only there."""
SMOOTH = 2
"""How many times larger a picture is painted than it is shown, so that its edges are smooth."""


def colour_of(agent: int) -> str:
    """The name of an agent's colour."""
    return f"agent-{agent % AGENT_COLOURS}"


@dataclass(frozen=True, slots=True)
class DrawnShape:
    """One shape, drawn over those before it.

    numbers: of a box x, y, width, height and the radius of its corners; of a disc x, y and the radius; of a line or a
    polygon x and y of each point; of a text x and y of its anchor and its height. fill, stroke: names of colours, None
    for none. width: of the stroke. opacity: of the whole shape, 0 to 1. words: of a text. anchor: the point of a text's
    middle line that lies at x and y. title: the tooltip of the shape on a page.
    """

    kind: Kind
    numbers: tuple[float, ...]
    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0
    opacity: float = 1.0
    words: str = ""
    anchor: Anchor = "middle"
    title: str = ""

    def to_json(self) -> Sequence[object]:
        """The fields in order, for the page's script; anchor and title are left out if both are the default."""
        numbers = [round(number, 3) for number in self.numbers]
        fields = [self.kind, numbers, self.fill, self.stroke, self.width, self.opacity, self.words]
        if self.title or self.anchor != "middle":
            fields += [self.anchor, self.title]
        return fields


def text(
    at: Point,
    words: str,
    size: float,
    *,
    colour: str = "ink",
    anchor: Anchor = "middle",
    title: str = "",
    over_figures: float = 0.0,
) -> DrawnShape:
    """A line of text.

    over_figures: the width of an outline in the page's colour that sets the text off from shapes below it; 0 for none.
    """
    edge = "page" if over_figures else None
    return DrawnShape("text", (*at, size), colour, edge, over_figures, words=words, anchor=anchor, title=title)


def text_width(words: str, size: float) -> float:
    """Estimates the width of a line of text on a page or in a video; the fonts of pages differ by a few percent."""
    return font(_MEASURED).getlength(words) * _WIDEST * size / _MEASURED


def shortened(words: str, size: float, width: float) -> str:
    """Shortens a text to a width: its beginning, an ellipsis and, of long texts, its last `TAIL` characters."""
    if text_width(words, size) <= width:
        return words
    end = words[-TAIL:] if len(words) > 2 * TAIL else ""
    most = len(words) - len(end)
    fitting = bisect_right(range(1, most), width, key=lambda count: text_width(f"{words[:count]}…{end}", size))
    return f"{words[:fitting]}…{end}" if fitting else f"{words[:1]}…"


def line(start: Point, end: Point, colour: str, width: float, opacity: float = 1.0) -> DrawnShape:
    return DrawnShape("line", (*start, *end), stroke=colour, width=width, opacity=opacity)


def disc(at: Point, radius: float, fill: str | None, stroke: str | None = None, width: float = 0.0) -> DrawnShape:
    return DrawnShape("disc", (*at, radius), fill, stroke, width)


def polygon(points: Iterable[Point], colour: str, opacity: float = 1.0) -> DrawnShape:
    return DrawnShape("polygon", tuple(number for point in points for number in point), fill=colour, opacity=opacity)


def painted(
    shapes: Iterable[DrawnShape], width: float, pixels: int, *, height: float | None = None
) -> npt.NDArray[np.uint8]:
    """Renders a drawing as (H, pixels, 3). width, height: the drawing's size in its own unit; a square by default."""
    scale = pixels * SMOOTH / width
    rows = round(pixels * (height or width) / width)
    image = Image.new("RGB", (pixels * SMOOTH, rows * SMOOTH), PALETTE["page"])
    draw = ImageDraw.Draw(image, "RGBA")
    for shape in shapes:
        _paint(draw, shape, scale)
    return np.asarray(image.reduce(SMOOTH))


def _paint(draw: ImageDraw.ImageDraw, shape: DrawnShape, scale: float) -> None:
    fill, stroke = _rgba(shape.fill, shape.opacity), _rgba(shape.stroke, shape.opacity)
    numbers = [number * scale for number in shape.numbers]
    width = max(1, round(shape.width * scale)) if stroke else 0
    match shape.kind:
        case "box":
            x, y, wide, high, radius = numbers
            draw.rounded_rectangle((x, y, x + wide - 1, y + high - 1), radius, fill, stroke, width)
        case "disc":
            # Pillow's outline lies within the circle, SVG's on both sides of it.
            x, y, radius = numbers
            reach = radius + width / 2
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill, stroke, width)
        case "line":
            draw.line(numbers, stroke, width)
        case "polygon":
            draw.polygon(numbers, fill)
        case "text":
            x, y, size = numbers
            edge = width // 2  # Pillow's lies around the letters, half of SVG's below them
            anchor = _PILLOW_ANCHORS[shape.anchor]
            draw.text(
                (x, y), shape.words, fill, font(round(size)), anchor=anchor, stroke_width=edge, stroke_fill=stroke
            )


def _rgba(colour: str | None, opacity: float) -> tuple[int, ...] | None:
    return (*ImageColor.getrgb(PALETTE[colour])[:3], round(255 * opacity)) if colour else None
