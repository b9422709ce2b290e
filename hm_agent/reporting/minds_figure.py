"""The picture of the study of minds: for each world, literal beside functional Theory of Mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hm_agent.reporting.drawing import COLOURS, STYLES, FigureFiles, drawn_file
from hm_agent.reporting.minds import MindRow, MindStudy
from hm_agent.reporting.statistics import ClusteredMean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_WIDTH, BAR_HEIGHT, FRAME_HEIGHT = 302, 45, 108
"""In points; a figure as wide as a column has one column of panels."""
BAR = 0.38
LITERAL, FUNCTIONAL = COLOURS[0], COLOURS[1]


def minds_figure(study: MindStudy, files: FigureFiles) -> bytes:
    """A panel for each world, with two bars an agent, intervals, and a mark at the base rate of the literal one."""
    most = max(len(study.of(suite)) for suite in study.suites)
    style, count = STYLES[files.style], len(study.suites)
    columns, width = (min(2, count), PANEL_WIDTH) if files.style == "screen" else (1, style.width)
    rows = -(-count // columns)

    def paint_all(figure: Figure) -> None:
        panels = figure.subplots(rows, columns, squeeze=False).flat
        for axes, suite in zip(panels, study.suites, strict=False):
            _paint(study, study.of(suite), axes)
            axes.set_title(suite.title)
        for axes in panels[count:]:
            axes.set_axis_off()
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)

    height = FRAME_HEIGHT + BAR_HEIGHT * most
    return drawn_file(files, columns * width, rows * style.height * height, paint_all)


def _paint(study: MindStudy, rows: list[MindRow], axes: Axes) -> None:
    for place, row in enumerate(rows):
        _bar(axes, place - BAR / 2, row.literal, LITERAL, "literal" if place == 0 else None)
        _bar(axes, place + BAR / 2, row.functional, FUNCTIONAL, "functional" if place == 0 else None)
        if row.base_rate is not None:
            ends = place - BAR, place
            axes.plot([100 * row.base_rate] * 2, ends, color="black", label="base rate" if place == 0 else None)
    axes.set_yticks(range(len(rows)), [study.labels[row.condition] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.axvline(0, color="0.6", linewidth=1)
    axes.set_xlim(right=104)
    axes.set_xlabel("%")


def _bar(axes: Axes, place: float, found: ClusteredMean | None, colour: str, label: str | None) -> None:
    """A bar in per cent with its interval; nothing where nothing was measured."""
    if found is None:
        return
    axes.barh(place, 100 * found.mean, BAR, color=colour, label=label)
    if found.interval:
        axes.plot([100 * end for end in found.interval], [place, place], color="0.25", linewidth=1.2)
