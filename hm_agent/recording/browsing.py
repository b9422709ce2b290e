"""Assembles a page that lists things with filters, and shows one of them at a time: a file that needs nothing else.

The page's template extends `browsing.html.j2`, its script `Listing` of browsing.js; both are in hm_agent/pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hm_agent.pages.rendering import SHARED, environment
from hm_agent.recording.replay.film import CompressedText
from hm_agent.recording.replay.page import TEMPLATES as REPLAY_TEMPLATES

TEMPLATE = "browse.html.j2"
CHUNK = 50
"""How many things are packed together; a page unpacks only those that are looked at."""
_SCRIPTS = (*(REPLAY_TEMPLATES / f"{name}.js" for name in ("dom", "shapes", "viewer", "film")), SHARED / "browsing.js")
_STYLES = (REPLAY_TEMPLATES / "replay.css", SHARED / "browsing.css")


def browse_page(
    templates: Path,
    own: Sequence[Path],
    listed: Sequence[Any],
    detailed: Mapping[str, Sequence[Any]],
    **words: object,
) -> str:
    """The page's text.

    templates: the folder of `browse.html.j2`. own: scripts and styles, after the page's. listed: JSON values, all of
    which the list needs at once. detailed: by kind, a value for each thing that is read when it is looked at. words:
    for the template, `title` among them.
    """
    packed = {"set": _packed(listed)}
    for kind, values in detailed.items():
        for number, first in enumerate(range(0, len(values), CHUNK)):
            packed[f"{kind}-{number}"] = _packed(values[first : first + CHUNK])
    page = environment(templates).get_template(TEMPLATE)
    return page.render(
        **words,
        chunk=CHUNK,
        packed=packed,
        style=_joined([*_STYLES, *own], ".css"),
        script=_joined([*_SCRIPTS, *own], ".js"),
    )


def _joined(files: Sequence[Path], ending: str) -> Markup:
    return Markup("\n".join(path.read_text("utf-8") for path in files if path.suffix == ending))


def _packed(values: Sequence[Any]) -> str:
    text = CompressedText()
    text.add(json.dumps(values, separators=(",", ":")).encode())
    return text.base64()
