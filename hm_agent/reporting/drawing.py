"""How figures are drawn with Matplotlib: the same data give the same bytes.

In a page a picture takes the page's colours, light or dark: it is drawn in placeholder colours, which are then replaced
by CSS variables. A picture in a file of its own has the page's light colours, its letters as text, and its legend
inside, so that any program shows it; as both are one drawing, the page leaves the legend out. Matplotlib takes long to
import, so it is imported when something is drawn.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from hm_agent.flags.fields import flag_field
from hm_agent.pages.rendering import SHARED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, LINE, BAND, PAGE = "page ink", "page muted", "page line", "page band", "page page"
COLOURS = tuple(f"page series-{number}" for number in range(8))
"""The palette of conditions (hm_agent/pages/colours.css.j2), after Okabe and Ito's for the colour-blind."""
_NAMED = (INK, MUTED, LINE, BAND, PAGE, *COLOURS)
"""The names of colours that Matplotlib knows while something is drawn: `page ` and a name of a page's CSS variable."""
_STAND_INS = {name: f"#{number:06x}" for number, name in enumerate(_NAMED, 0x0A0B01)}
WIDTH = 440
"""The width of a panel in CSS pixels: on a phone its letters are still large enough."""
_SETTINGS: Mapping[Any, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hm_agent",
    "pdf.fonttype": 42,
    "figure.dpi": 72,
    "figure.titleweight": "bold",
    "text.color": INK,
    "text.parse_math": False,  # a name may hold a dollar sign
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LINE,
    "grid.linewidth": 1,
    "legend.frameon": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.left": False,
}
_STROKES = 'stroke-linejoin="round" stroke-linecap="butt"'
_NO_METADATA: Mapping[str, Mapping[str, None]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "CreationDate", "Producer")),
    "png": {"Software": None},
}
FORMATS = tuple(_NO_METADATA)
"""The file formats of pictures."""
PNG_DPI = 200


@dataclass(frozen=True)
class FigureStyle:
    """How large a figure and its letters are, in points; a panel's height is multiplied by `height`."""

    width: float
    letters: float
    title: float
    height: float = 1.0


STYLES: Mapping[str, FigureStyle] = {
    "screen": FigureStyle(WIDTH, letters=12, title=13),
    "column": FigureStyle(240, letters=8, title=9, height=0.75),
}
"""By name; `column` is as wide as a column of a paper, 3.33 inches."""


@dataclass(frozen=True)
class FigureFiles:
    """The format and style in which figures are written. kind: one of `FORMATS`; style: one of `STYLES`."""

    kind: str = flag_field(
        "svg", "The format of figures, beside SVG, in which they are always written.", "figure_format", choices=FORMATS
    )
    style: str = flag_field(
        "screen",
        "The width of figures: of a page on the screen, or of a paper's column.",
        "figure_style",
        choices=tuple(STYLES),
    )


AS_SVG = FigureFiles()


def drawn_svg(width: float, height: float, paint: Callable[[Figure], None]) -> Drawing:
    """width, height: in points."""
    with _drawn(STYLES[AS_SVG.style], _STAND_INS, width, height) as figure:
        paint(figure)
        document = _saved(figure, AS_SVG.kind).decode()
        return Drawing(document, max((legend.get_window_extent().y1 for legend in figure.legends), default=0.0))


def drawn_file(files: FigureFiles, width: float, height: float, paint: Callable[[Figure], None]) -> bytes:
    """Paints a figure in the pages' light colours; returns the file's bytes. width, height: in points."""
    with _drawn(STYLES[files.style], page_colours(), width, height) as figure:
        paint(figure)
        return _saved(figure, files.kind)


def drawn_grid(
    files: FigureFiles,
    paints: Sequence[Callable[[Axes], None]],
    columns: int,
    width: float,
    height: float,
    finish: Callable[[Figure], None] = lambda figure: None,
) -> bytes:
    """Paints panels of this size, in points, side by side; a figure as wide as a column has one column of them.

    columns: the most there are side by side, so that fewer panels leave no room empty beside them.
    finish: called with the figure once all panels are painted.
    """
    style, columns = STYLES[files.style], min(columns, len(paints))
    if files.style != "screen":
        columns, width = 1, style.width
    rows = -(-len(paints) // columns)

    def paint_all(figure: Figure) -> None:
        for axes, paint in zip_longest(figure.subplots(rows, columns, squeeze=False).flat, paints):
            paint(axes) if paint else axes.set_axis_off()
        finish(figure)

    return drawn_file(files, columns * width, rows * style.height * height, paint_all)


@dataclass(frozen=True)
class Drawing:
    """An SVG document with placeholders for colours. legend: the height of its legend, at the bottom, in points."""

    document: str
    legend: float

    @property
    def file(self) -> bytes:
        """The document in the pages' light colours."""
        return _coloured(self.document, page_colours()).encode()

    def element(self, name: str, label: str) -> str:
        """The document's element without the legend, with ids that begin with `name` and CSS variables for colours."""
        element = self.document[self.document.index("<svg") :].strip()
        # A style sheet would apply to the whole page; attributes of the element apply to this picture only.
        element = re.sub(r"<style.*?</style>", "", element, flags=re.DOTALL)
        element = re.sub(r'  <g id="legend_1">\n.*?\n  </g>\n', "", element, flags=re.DOTALL)
        element = re.sub(
            r'viewBox="0 0 ([\d.]+) ([\d.]+)"',
            lambda box: f'viewBox="0 0 {box[1]} {float(box[2]) - self.legend:g}"',
            element,
            count=1,
        )
        element = _coloured(element, {name: f"var(--{name.removeprefix('page ')})" for name in _NAMED})
        element = re.sub(r'\bid="', f'id="{name}-', element)
        element = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", element)
        element = re.sub(r' (?:width|height)="[\d.]+pt"', "", element, count=2)
        return element.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" {_STROKES}', 1)


def _coloured(svg: str, colours: Mapping[str, str]) -> str:
    """Puts colours, by the names of `_NAMED`, in place of their placeholders."""
    for name, stand_in in _STAND_INS.items():
        svg = svg.replace(stand_in, colours[name])
    return svg


@cache
def page_colours() -> Mapping[str, str]:
    """The light colours of pages by the names of `_NAMED`; the page itself is white."""
    light = (SHARED / "colours.css.j2").read_text("utf-8").partition("@media")[0]
    defined = {f"page {name}": colour for name, colour in re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light)}
    return {name: defined[name] for name in _NAMED} | {PAGE: "#ffffff"}


@contextmanager
def _drawn(style: FigureStyle, colours: Mapping[str, str], width: float, height: float) -> Iterator[Figure]:
    """Yields an empty figure, to be painted and saved within the context. width, height: in points."""
    # Messages of Matplotlib about its caches would look like errors of a run.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl
    from matplotlib.colors import get_named_colors_mapping
    from matplotlib.figure import Figure

    for name, colour in colours.items():  # one by one, since `update` would leave its cache as it is
        get_named_colors_mapping()[name] = colour
    letters: dict[Any, object] = {"font.size": style.letters, "figure.titlesize": style.title}
    faces: dict[Any, object] = dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), PAGE)
    with mpl.rc_context(), warnings.catch_warnings():
        # A name may have characters that Matplotlib's font lacks; programs that show an SVG file use their own fonts.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from font", UserWarning)
        warnings.filterwarnings("ignore", r"constrained_layout not applied", UserWarning)  # names leave it no room
        mpl.rcdefaults()
        mpl.rcParams.update({**_SETTINGS, **letters, **faces})
        yield Figure(figsize=(round(width) / 72, round(height) / 72), layout="constrained")


def _saved(figure: Figure, kind: str) -> bytes:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    content, metadata = io.BytesIO(), dict(_NO_METADATA[kind])
    dpi = PNG_DPI if kind == "png" else "figure"
    if kind == "svg":  # `savefig` would draw everything twice, only to lay it out
        FigureCanvasSVG(figure).print_svg(content, metadata=metadata)  # type: ignore[no-untyped-call]
    else:
        figure.savefig(content, format=kind, metadata=metadata, dpi=dpi)
    return content.getvalue()
