"""A hook of MkDocs: on the site, links to files outside docs/ are plain text, for those files don't lie there."""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]*)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """The page with the text alone of each link that leads out of docs/."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        is_outside = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if is_outside else link[0]

    return LINK.sub(shown, markdown)
