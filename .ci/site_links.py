"""Hooks of MkDocs: the site also shows benchmarks/results/, as results/; links to what it lacks are text."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\[([^\]]+)\]\((\.\.?/[^)#\s]*)(#[^)\s]*)?\)")
FOLDERS = {"benchmarks/results/": "results/", "docs/": ""}
"""The folders of the repository that the site shows, and their places on the site."""


def on_files(files: Any, *, config: Any) -> Any:
    """Adds the files of benchmarks/results/."""
    from mkdocs.structure.files import File  # comes with the extra `docs`, which the tests lack

    benchmarks = Path(config.config_file_path).parent / "benchmarks"
    for path in sorted((benchmarks / "results").rglob("*")):
        if path.is_file():
            place = path.relative_to(benchmarks).as_posix()
            files.append(File(place, str(benchmarks), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """The page with its links from one folder to another as they are on the site."""
    at = posixpath.dirname(page.file.src_uri)
    here = f"benchmarks/{at}" if at.startswith("results") else posixpath.join("docs", at)

    def shown(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, link[2]))
        for folder, place in FOLDERS.items():
            if target.startswith(folder):
                path = posixpath.relpath(place + target.removeprefix(folder), at or ".")
                return f"[{link[1]}]({path}{link[3] or ''})"
        return link[1]

    return LINK.sub(shown, markdown)
