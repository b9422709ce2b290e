"""Renders reports and the list of episodes, by the templates in templates/."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment

from hm_agent.pages.rendering import environment
from hm_agent.reporting import wording
from hm_agent.reporting.figures.picture import Panel

TEMPLATES = Path(__file__).parent / "templates"


def page(template: str, **told: object) -> str:
    """What is told, as a template puts it."""
    return _environment().get_template(template).render(told)


def standalone(panel: Panel) -> str:
    """A panel as a file of its own, which brings the page's colours and a size along."""
    style = _environment().get_template("colours.css.j2").render(root="svg")
    tag, rest = panel.svg.split(">", 1)
    sized = re.sub(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', r'width="\1" height="\2" \g<0>', tag)
    return f"{sized}>\n<style>\n{style}\nsvg {{ background: var(--page); }}\n</style>{rest}\n"


@cache
def _environment() -> Environment:
    made = environment(TEMPLATES)
    words = (wording.number, wording.with_error, wording.interval, wording.known, wording.counted, wording.listed)
    made.filters.update({word.__name__: word for word in (*words, cell)})
    return made


def cell(text: str) -> str:
    """Text that a Markdown table holds in one cell."""
    return " ".join(text.replace("|", "\\|").split())
