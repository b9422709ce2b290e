"""The picture of ExploreToM's search: the accuracy on the hardest story so far, by the number of evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hm_agent.reporting.drawing import COLOURS, MUTED, STYLES, FigureFiles, drawn_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_HEIGHT, COLUMNS, WIDTH = 210, 2, 330
"""The height and width of a panel, in points, and the number of columns of panels."""

Curve = Sequence[float]
"""The mean accuracy on the hardest story so far, after each evaluation; one value for a method without a search."""


def search_figure(curves: Mapping[str, Mapping[str, Curve]], files: FigureFiles) -> bytes:
    """A panel for each reader, with a line for each method. curves: by reader and name of the method."""
    style = STYLES[files.style]
    rows = -(-len(curves) // COLUMNS)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True, sharey=True).flat
        for axes, (reader, lines) in zip(panels, curves.items(), strict=False):
            _paint(axes, reader, lines)
        for axes in panels[len(curves) - COLUMNS : len(curves)]:
            axes.set_xlabel("evaluations a story")
        for axes in panels[len(curves) :]:
            axes.set_axis_off()
        figure.supylabel("accuracy about the hardest story so far", color=MUTED, fontsize=style.letters)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)

    return drawn_file(files, COLUMNS * WIDTH, (rows * PANEL_HEIGHT + 30) * style.height, paint)


def _paint(axes: Axes, reader: str, lines: Mapping[str, Curve]) -> None:
    for place, (method, curve) in enumerate(lines.items()):
        if len(curve) > 1:
            axes.plot(range(1, len(curve) + 1), curve, color=COLOURS[place], label=method)
        else:
            axes.axhline(curve[0], color=COLOURS[place], linestyle="--", linewidth=1, label=method)
    axes.set_title(reader)
