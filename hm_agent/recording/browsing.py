"""Assembles a self-contained HTML page that lists items with filters and shows one item at a time.

The caller's template extends `browsing.html.j2`, its script the class `Listing` of browsing.js; both are in
hm_agent/pages.
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
from hm_agent.recording.replay.page import read_joined

TEMPLATE = "browse.html.j2"
CHUNK = 50
"""Items per compressed chunk; the page decompresses a chunk when the first of its items is opened."""
_SCRIPTS = (*(REPLAY_TEMPLATES / f"{name}.js" for name in ("dom", "shapes", "viewer", "film")), SHARED / "browsing.js")
_STYLES = (REPLAY_TEMPLATES / "replay.css", SHARED / "browsing.css")


def browse_page(
    templates: Path, own: Sequence[Path], listed: Sequence[Any], detailed: Mapping[str, Sequence[Any]], **words: object
) -> str:
    """Returns the page's HTML.

    templates: the folder of `browse.html.j2`. own: the caller's scripts and styles, which follow the shared ones.
    listed: the JSON values that the list needs at once. detailed: by kind, one JSON value for each item, loaded when
    the item is opened. words: variables of the template, among them `title`.
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
        style=Markup(read_joined([*_STYLES, *own], ".css")),
        script=Markup(read_joined([*_SCRIPTS, *own], ".js")),
    )


def _packed(values: Sequence[Any]) -> str:
    text = CompressedText()
    text.add(json.dumps(values, separators=(",", ":")).encode())
    return text.base64()
