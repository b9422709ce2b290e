"""Renders reports and the list of episodes from templates/, and makes the addresses of the files that they link to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment

from hm_agent import wording
from hm_agent.pages.rendering import environment
from hm_agent.reporting.ceilings import told_mark

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Link:
    """A file that a page links to. address: relative to the page's folder."""

    name: str
    address: str


def address(path: Path, folder: Path) -> str:
    """The address of a file relative to a folder, quoted for an attribute of a page."""
    # As bytes, since the name of a file need not be valid text.
    return quote(os.fsencode(_relative(path.parent.absolute(), folder.absolute()) / path.name))


@lru_cache(1024)
def _relative(folder: Path, start: Path) -> Path:
    """The path of a folder relative to another one, links resolved; cached, since an episode's files all need it."""
    return Path(os.path.relpath(folder.resolve(), start.resolve()))


def page(template: str, **values: object) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    jinja = environment(TEMPLATES)
    numbers = (wording.number, wording.with_error, wording.interval, wording.percent, wording.known, wording.p_value)
    filters = (*numbers, wording.counted, wording.listed, wording.with_cached, told_mark, cell, bold)
    jinja.filters.update({function.__name__: function for function in filters})
    return jinja


def bold(text: str, wanted: object = True) -> str:
    """Text in bold in Markdown, if it is wanted."""
    return f"**{text}**" if wanted else text


def cell(text: str) -> str:
    """Text escaped for one cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())
