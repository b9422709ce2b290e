"""Renders reports and pages: Jinja2 templates in templates/, where every word and colour of them is written."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

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
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    words = (wording.number, wording.with_error, wording.interval, wording.known, wording.counted, wording.listed)
    made.filters.update({word.__name__: word for word in words})
    made.filters["minus"] = minus
    made.filters["coded"] = coded
    made.filters["breakable"] = breakable
    made.filters["cell"] = cell
    made.filters["digest"] = digest
    return made


def minus(text: str) -> str:
    """Numbers with a real minus sign, which is as wide as a plus."""
    return re.sub(r"(?<!\w)-(?=\d)", "−", text)


def coded(text: str) -> Markup:
    """Text for a page, with what stands in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def breakable(text: str) -> Markup:
    """A name that a narrow column may break after an underscore."""
    return Markup(str(escape(text)).replace("_", "_<wbr>"))


def cell(text: str) -> str:
    """Text that a Markdown table holds in one cell."""
    return " ".join(text.replace("|", "\\|").split())


def digest(text: str) -> str:
    """A script or style as a page's Content-Security-Policy names it, to allow it and no other."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
