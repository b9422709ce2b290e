"""Pictures of a report, drawn with Matplotlib as SVG that is the same to the byte for the same data.

A picture takes its colours from the page it stands in, light or dark: colours are drawn as stand-ins, which are then
replaced by the names of CSS variables. Matplotlib takes long to import, so it is imported when something is drawn.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from hm_agent.reporting.conditions import Condition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, LINE, BAND, PAGE = "#010101", "#020202", "#030303", "#040404", "#050505"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
"""Okabe and Ito's palette for the colour-blind, without yellow, which is lost on white; black is the page's ink."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p", "h", "<", ">", "*")
_NAMES = {INK: "ink", MUTED: "muted", LINE: "line", BAND: "band", PAGE: "page"}
VARIABLES = _NAMES | {colour: f"series-{number}" for number, colour in enumerate(COLOURS)}

WIDTH = 440
"""The width of a panel in CSS pixels: on a phone its letters are still large enough."""
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
class Panel:
    """One drawing. name: unique within a report. svg: an element for a page. label: what it shows, in words."""

    name: str
    svg: str
    label: str


@dataclass(frozen=True)
class Picture:
    """A figure of the report: panels under one title, and a legend with a small drawing for each label."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[Panel, ...] = ()


@dataclass(frozen=True)
class Key:
    """How a condition is drawn."""

    colour: str
    marker: str


Keys = Mapping[Condition, Key]


def keys(conditions: Sequence[Condition]) -> Keys:
    """A colour and a marker for each condition."""
    return {
        one: Key(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]) for place, one in enumerate(conditions)
    }


def draw(name: str, label: str, height: float, paint: Callable[[Axes], None], width: float = WIDTH) -> Panel:
    """Draws a panel. name: prefixes the ids in the SVG, to make them unique in a page. height, width: in CSS pixels."""
    # What Matplotlib logs about its caches would look like something wrong with a run.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        paint(figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=_NO_METADATA)
    return Panel(name, _element(text.getvalue(), name, label), label)


def head(axes: Axes, title: str) -> None:
    """Adds a title that is aligned with the panel's left edge."""
    figure = axes.get_figure()
    assert figure is not None
    figure.suptitle(title, x=0.004, ha="left", fontsize=13, fontweight="bold")


def legend(name: str, conditions: Sequence[Condition], labels: Mapping[Condition, str], keys: Keys) -> list[Panel]:
    """The marker of each condition, drawn small."""

    def paint(key: Key, axes: Axes) -> None:
        axes.set_axis_off()
        axes.plot([0], [0], key.marker, color=key.colour, markersize=8)

    return [
        draw(f"{name}-key-{place}", labels[one], 16, partial(paint, keys[one]), width=16)
        for place, one in enumerate(conditions)
    ]


def _element(document: str, name: str, label: str) -> str:
    """The SVG element of a document, with ids of its own and CSS variables for colours."""
    element = document[document.index("<svg") :].strip()
    # A style sheet would apply to the whole page; the same as attributes of the element applies to this picture only.
    element = re.sub(r"<style.*?</style>", "", element, flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        element = element.replace(colour, f"var(--{variable})")
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", element)
    element = re.sub(r' (?:width|height)="[\d.]+pt"', "", element, count=2)
    return element.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" {_STROKES}', 1)
