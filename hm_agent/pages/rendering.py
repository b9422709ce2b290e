"""Renders pages: Jinja2 templates, where every word and colour of a page is written."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

SHARED = Path(__file__).parent
"""Where the templates lie that any page may include."""


def environment(templates: Path) -> Environment:
    """For the templates of a folder. What they are told is escaped where they are HTML."""
    made = Environment(
        loader=FileSystemLoader([templates, SHARED]),
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update({word.__name__: word for word in (minus, coded, breakable, digest)})
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


def digest(text: str) -> str:
    """A script or style as a page's Content-Security-Policy names it, to allow it and no other."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
