"""Where files lie, as a page links them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote


@dataclass(frozen=True)
class Link:
    """A file that a page leads to. address: relative to the page's folder."""

    name: str
    address: str


def address(path: Path, folder: Path) -> str:
    """A file's place as seen from a folder, for an attribute of a page."""
    return quote(Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix())
