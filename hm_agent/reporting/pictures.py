"""What a report's figures are made of: panels under one title, the keys of conditions, legends, and words that fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from textwrap import wrap
from typing import TYPE_CHECKING

from hm_agent.bounds import kept_start
from hm_agent.reporting.conditions import Condition, Labels
from hm_agent.reporting.drawing import (
    AS_SVG,
    COLOURS,
    MUTED,
    PAGE,
    STYLES,
    WIDTH,
    Drawing,
    FigureFiles,
    FigureStyle,
    drawn_file,
    drawn_svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p", "h", "<", ">", "*")
LETTERS_PER_EM = 1.9
"""How many letters of an average text fit into one em, the height of its letters."""
EMS_PER_SIGN = 0.7
"""The width of a character of a name, digits and underscores included, in em."""
FEWEST_LETTERS = 12
"""The shortest line of an axis label, in letters, however long the names beside it are."""
MOST_LETTERS = 200
"""The longest text in a picture; Matplotlib takes a fifth of a second for each that has thousands."""
LEGEND_GAP, LEGEND_ROW = 5, 1.7
"""The width of a legend entry without its label, in letters, and the height of a row of entries, in em."""


@dataclass(frozen=True)
class Key:
    """The colour and the marker with which a condition is drawn. is_hollow: True for a marker without a filling."""

    colour: str
    marker: str
    is_hollow: bool = False

    @property
    def filling(self) -> str:
        return PAGE if self.is_hollow else self.colour


Keys = Mapping[Condition, Key]


@dataclass(frozen=True)
class Panel:
    """One drawing. name: unique within a report. label: what it shows, in words. height, width: in CSS pixels."""

    name: str
    label: str
    height: float
    paint: Callable[[Axes], None] = field(repr=False, compare=False)
    width: float = WIDTH

    def drawing(self, entries: Sequence[LegendEntry] = ()) -> Drawing:
        """What a page and an SVG file show, with a legend of these entries."""
        return drawn_svg(*self._with_legend(STYLES[AS_SVG.style], self.width, entries))

    def file(self, files: FigureFiles, entries: Sequence[LegendEntry] = ()) -> bytes:
        """The bytes of a file of another format or style."""
        return drawn_file(files, *self._with_legend(STYLES[files.style], STYLES[files.style].width, entries))

    def _with_legend(
        self, style: FigureStyle, width: float, entries: Sequence[LegendEntry]
    ) -> tuple[float, float, Callable[[Figure], None]]:
        """The width and height of a figure with this drawing and a legend, in points, and what paints it."""
        longest = max((len(in_picture(entry.label)) for entry in entries), default=0)
        per_row = max(1, int(LETTERS_PER_EM * width / style.letters / (longest + LEGEND_GAP)))
        rows = -(-len(entries) // per_row)

        def paint(figure: Figure) -> None:
            self.paint(figure.add_subplot())
            if entries:
                _add_legend(figure, entries, per_row)

        return width, self.height * style.height + LEGEND_ROW * rows * style.letters, paint


@dataclass(frozen=True)
class LegendEntry:
    """A label of a legend with a small drawing, in a page; name: unique within a report."""

    name: str
    label: str
    key: Key

    @property
    def svg(self) -> str:
        return _marker(self.key).element(self.name, self.label)


@dataclass(frozen=True)
class Picture:
    """A figure of the report: panels under one title, and a legend."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    legend: tuple[LegendEntry, ...] = ()

    @cached_property
    def _drawings(self) -> Mapping[Panel, Drawing]:
        return {panel: panel.drawing(self.legend) for panel in self.panels}

    def element(self, panel: Panel) -> str:
        """The element of a panel for a page, without the legend."""
        return self._drawings[panel].element(panel.name, panel.label)

    def file(self, panel: Panel, files: FigureFiles) -> bytes:
        """The bytes of a file with a panel and the legend."""
        return self._drawings[panel].file if files == AS_SVG else panel.file(files, self.legend)


def keys(conditions: Sequence[Condition]) -> Keys:
    """A colour and a marker for each condition."""
    return {
        condition: Key(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)])
        for place, condition in enumerate(conditions)
    }


def distinct_keys(conditions: Sequence[Condition], drawn_as: Keys) -> Keys:
    """Keys for the conditions of one picture: the report's or, if two of them share a colour here, new ones."""
    own = {condition: drawn_as[condition] for condition in conditions}
    return own if len({key.colour for key in own.values()}) == len(own) else keys(conditions)


def reference_keys(references: Sequence[Condition]) -> Keys:
    """Keys for the conditions by which others are measured: grey, with markers from the end of the list."""
    return {reference: Key(MUTED, MARKERS[-1 - place % len(MARKERS)]) for place, reference in enumerate(references)}


def legend(name: str, conditions: Sequence[Condition], labels: Labels, keys: Keys) -> list[LegendEntry]:
    """An entry for each condition."""
    return [
        LegendEntry(f"{name}-key-{place}", labels[condition], keys[condition])
        for place, condition in enumerate(conditions)
    ]


def in_picture(text: str) -> str:
    """A text that results bring along, e.g. a name or a unit, as a picture shows it."""
    return kept_start(text, MOST_LETTERS)


def add_title(axes: Axes, title: str) -> None:
    """Adds a title that is aligned with the panel's left edge."""
    figure = axes.get_figure()
    assert figure is not None
    figure.suptitle(in_picture(title), x=0.004, ha="left")


def width_in_em(axes: Axes) -> float:
    """The width of the figure of some axes, in em."""
    import matplotlib as mpl

    figure = axes.get_figure()
    assert figure is not None
    return float(figure.bbox.width / figure.dpi * 72 / mpl.rcParams["font.size"])


def wrap_axis_label(names: Sequence[str], label: str, width: float) -> list[str]:
    """Wraps the label of a horizontal axis to the width that the names of the vertical axis leave.

    width: of the figure, in em.
    """
    room = width - EMS_PER_SIGN * max(map(len, names), default=0)
    return wrap(label, max(FEWEST_LETTERS, int(LETTERS_PER_EM * room)), break_long_words=False)


def _add_legend(figure: Figure, entries: Sequence[LegendEntry], per_row: int) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=entry.key.colour,
            marker=entry.key.marker,
            markerfacecolor=entry.key.filling,
            linestyle="none",
            label=in_picture(entry.label),
        )
        for entry in entries
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=per_row, handletextpad=0.3, columnspacing=1.2)


@cache
def _marker(key: Key) -> Drawing:
    """The drawing of a legend's entry, one for the many conditions of a report that look the same."""

    def paint(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.plot([0], [0], key.marker, color=key.colour, markerfacecolor=key.filling, markersize=8)

    return drawn_svg(16, 16, paint)
