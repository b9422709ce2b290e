"""Files that are never there in part."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes beside the file and renames, so that a reader never sees half of it; errors are `OSError`.

    Text is written as UTF-8, its line ends as they are.
    """
    draft = path.with_name(f".{path.name}")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # half a file is of no use
        raise
