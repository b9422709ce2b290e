"""Draws with Matplotlib what a page can show in light and in dark: the same to the byte for the same data.

Colours are drawn as stand-ins and replaced by the names of CSS variables, so that the page decides what they are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.figures.picture import Panel

INK, MUTED, LINE, BAND, PAGE = "#010101", "#020202", "#030303", "#040404", "#050505"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
"""Okabe and Ito's, which the colour-blind can tell apart, but for yellow, lost on white; black is the page's ink."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p", "h", "<", ">", "*")
_NAMES = {INK: "ink", MUTED: "muted", LINE: "line", BAND: "band", PAGE: "page"}
VARIABLES = _NAMES | {colour: f"series-{number}" for number, colour in enumerate(COLOURS)}

WIDTH = 440
"""Of a panel, in CSS pixels: what a phone can show without making letters too small."""
_STYLE: Mapping[Any, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hm_agent",
    "figure.dpi": 72,
    "font.size": 12,
    "text.color": INK,
    "text.parse_math": False,  # a name may hold a dollar sign
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LINE,
    "grid.linewidth": 1,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.left": False,
}
_STROKES = 'stroke-linejoin="round" stroke-linecap="butt"'
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


@dataclass(frozen=True)
class Key:
    """How a contestant is drawn."""

    colour: str
    marker: str


Keys = Mapping[Condition, Key]


def keys(contestants: Sequence[Condition]) -> Keys:
    """A colour and a marker for each."""
    return {
        one: Key(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]) for place, one in enumerate(contestants)
    }


def draw(name: str, label: str, height: float, paint: Callable[[Axes], None], width: float = WIDTH) -> Panel:
    """One panel. name: makes the ids within the picture its own. height, width: in CSS pixels."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        paint(figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=_NO_METADATA)
    return Panel(name, _element(text.getvalue(), name, label), label)


def head(axes: Axes, title: str) -> None:
    """A title that starts where the panel does."""
    figure = axes.get_figure()
    assert figure is not None
    figure.suptitle(title, x=0.004, ha="left", fontsize=13, fontweight="bold")


def sample(name: str, label: str, key: Key) -> Panel:
    """A marker as a legend shows it."""

    def paint(axes: Axes) -> None:
        axes.set_axis_off()
        axes.plot([0], [0], key.marker, color=key.colour, markersize=8)

    return draw(name, label, 16, paint, width=16)


def legend(name: str, contestants: Sequence[Condition], labels: Mapping[Condition, str], keys: Keys) -> list[Panel]:
    return [sample(f"{name}-key-{place}", labels[one], keys[one]) for place, one in enumerate(contestants)]


def _element(document: str, name: str, label: str) -> str:
    """An SVG document as an element within a page, with ids and colours of its own."""
    element = document[document.index("<svg") :].strip()
    # Its style sheet would hold for the whole page; the same, inherited, holds for the picture alone.
    element = re.sub(r"<style.*?</style>", "", element, flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        element = element.replace(colour, f"var(--{variable})")
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", element)
    element = re.sub(r' (?:width|height)="[\d.]+pt"', "", element, count=2)
    return element.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" {_STROKES}', 1)
