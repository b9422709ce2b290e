"""The Jinja2 environment of all pages; words and colours of a page are in its templates."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from hm_agent.storage.compiled_templates import keep_compiled

SHARED = Path(__file__).parent
"""The folder of templates that every page may include."""


def environment(templates: Path) -> Environment:
    """The environment of the templates in a folder and in `SHARED`; values are escaped in HTML templates alone."""
    jinja = Environment(
        loader=FileSystemLoader([templates, SHARED]),
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    jinja.filters.update({function.__name__: function for function in (minus, coded, breakable, digest)})
    keep_compiled(jinja)
    return jinja


def minus(text: str) -> str:
    """Gives numbers a real minus sign, which is as wide as a plus."""
    return re.sub(r"(?<!\w)-(?=\d)", "−", text)


def coded(text: str) -> Markup:
    """Turns text in backticks into code elements."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def breakable(text: str) -> Markup:
    """Lets a name break after an underscore or a plus in a narrow column."""
    return Markup(str(escape(text)).replace("_", "_<wbr>").replace("+", "+<wbr>"))


def digest(text: str) -> str:
    """The hash of a script or style, by which a page's Content-Security-Policy allows this one alone."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
