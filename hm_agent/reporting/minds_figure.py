"""The picture of the study of minds: for each world, literal beside functional Theory of Mind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hm_agent.reporting.drawing import COLOURS, FigureFiles, drawn_grid
from hm_agent.reporting.minds import MindRow, MindStudy
from hm_agent.reporting.statistics import ClusteredMean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 2
PANEL_WIDTH, BAR_HEIGHT, FRAME_HEIGHT = 302, 45, 108
"""In points."""
BAR, MARGIN = 0.38, 4
"""The thickness of a bar, in rows, and the room at the right end of the axis, in per cent."""
BASE_RATE, LITERAL, FUNCTIONAL = "base rate", "literal", "functional"
PAINTS = {LITERAL: COLOURS[0], FUNCTIONAL: COLOURS[1]}


def minds_figure(study: MindStudy, files: FigureFiles) -> bytes:
    """A panel for each world with two bars for each agent, intervals, and a mark at the literal measure's base rate."""
    most = max(len(study.of(suite)) for suite in study.suites)
    paints = [partial(_paint, study.of(suite), suite.title) for suite in study.suites]
    height = FRAME_HEIGHT + BAR_HEIGHT * most
    return drawn_grid(files, paints, COLUMNS, PANEL_WIDTH, height, _add_legend)


def _add_legend(figure: Figure) -> None:
    """Adds a legend of what any panel has, since an agent or a world may lack a measure."""
    drawn = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    shown = [name for name in (BASE_RATE, LITERAL, FUNCTIONAL) if name in drawn]
    figure.legend([drawn[name] for name in shown], shown, loc="outside lower center", ncols=3)


def _paint(rows: list[MindRow], title: str, axes: Axes) -> None:
    axes.set_title(title)
    for place, row in enumerate(rows):
        _bar(axes, place - BAR / 2, row.literal, LITERAL)
        _bar(axes, place + BAR / 2, row.functional, FUNCTIONAL)
        if row.base_rate is not None:
            ends = place - BAR, place
            axes.plot([100 * row.base_rate] * 2, ends, color="black", label=BASE_RATE)
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.axvline(0, color="0.6", linewidth=1)
    axes.set_xlim(right=max(100, axes.dataLim.xmax) + MARGIN)  # a score may exceed 100%
    axes.set_xlabel("%")


def _bar(axes: Axes, place: float, measure: ClusteredMean | None, name: str) -> None:
    """Draws a bar in per cent with its interval; nothing if the measure is None."""
    if measure is None:
        return
    axes.barh(place, 100 * measure.mean, BAR, color=PAINTS[name], label=name)
    if measure.interval:
        axes.plot([100 * end for end in measure.interval], [place, place], color="0.25", linewidth=1.2)
