"""Renders reports and the list of episodes from the templates in templates/, and addresses the files they link."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment

from hm_agent.pages.rendering import environment
from hm_agent.reporting import wording
from hm_agent.reporting.ceilings import told_mark
from hm_agent.reporting.drawing import Panel

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Link:
    """A file that a page links to. address: relative to the page's folder."""

    name: str
    address: str


def address(path: Path, folder: Path) -> str:
    """The address of a file relative to a folder, quoted for an attribute of a page."""
    return quote(Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix())


def page(template: str, **values: object) -> str:
    return _environment().get_template(template).render(values)


def standalone(panel: Panel) -> str:
    """A panel as an SVG file of its own, with the page's colours and a size."""
    style = _environment().get_template("colours.css.j2").render(root="svg")
    tag, rest = panel.svg.split(">", 1)
    sized = re.sub(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', r'width="\1" height="\2" \g<0>', tag)
    return f"{sized}>\n<style>\n{style}\nsvg {{ background: var(--page); }}\n</style>{rest}\n"


@cache
def _environment() -> Environment:
    made = environment(TEMPLATES)
    numbers = (wording.number, wording.with_error, wording.interval, wording.percent, wording.known)
    made.filters.update({word.__name__: word for word in (*numbers, wording.counted, wording.listed, told_mark, cell)})
    return made


def cell(text: str) -> str:
    """Text escaped for one cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())
