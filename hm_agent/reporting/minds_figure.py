"""The picture of the study of minds, as PNG: for each world, literal beside functional Theory of Mind."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from hm_agent.reporting.drawing import COLOURS
from hm_agent.reporting.minds import MindRow, MindStudy
from hm_agent.reporting.statistics import Difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL_WIDTH, BAR_HEIGHT, FRAME_HEIGHT = 4.2, 0.62, 1.5
"""In inches."""
BAR = 0.38
LITERAL, FUNCTIONAL = COLOURS[0], COLOURS[1]


def minds_png(study: MindStudy) -> bytes:
    """A panel for each world, with two bars an agent, intervals, and a mark at the base rate of the literal one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    most = max(len(study.of(suite)) for suite in study.suites)
    figure = Figure(figsize=(PANEL_WIDTH * len(study.suites), FRAME_HEIGHT + BAR_HEIGHT * most), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(study.suites), squeeze=False)[0]
    for axes, suite in zip(panels, study.suites, strict=True):
        _paint(study, study.of(suite), axes)
        axes.set_title(suite.title, fontsize=11)
    shown = panels[0].get_legend_handles_labels()
    figure.legend(*shown, fontsize=8, loc="outside lower center", ncols=3, frameon=False)
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=110, metadata={"Software": None})
    return png.getvalue()


def _paint(study: MindStudy, rows: list[MindRow], axes: Axes) -> None:
    for place, row in enumerate(rows):
        _bar(axes, place - BAR / 2, row.literal, LITERAL, "literal" if place == 0 else None)
        _bar(axes, place + BAR / 2, row.functional, FUNCTIONAL, "functional" if place == 0 else None)
        if row.base_rate is not None:
            ends = place - BAR, place
            axes.plot([100 * row.base_rate] * 2, ends, color="black", label="base rate" if place == 0 else None)
    axes.set_yticks(range(len(rows)), [study.labels[row.condition] for row in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.axvline(0, color="0.6", linewidth=1)
    axes.set_xlabel("%")


def _bar(axes: Axes, place: float, found: Difference | None, colour: str, label: str | None) -> None:
    """A bar in per cent with its interval; nothing where nothing was measured."""
    if found is None:
        return
    axes.barh(place, 100 * found.mean, BAR, color=colour, label=label)
    if found.interval:
        axes.plot([100 * end for end in found.interval], [place, place], color="0.25", linewidth=1.2)
