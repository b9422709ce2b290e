"""Files that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes beside the file and renames, so that a reader never sees half of it; errors are `OSError`."""
    draft = path.with_name(f".{path.name}")
    try:
        draft.write_text(text, "utf-8", newline="")
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # half a file is of no use
        raise
