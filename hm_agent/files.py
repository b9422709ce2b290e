"""Files that are never there in part."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes beside the file and renames, so that a reader never sees half of it; errors are `OSError`.

    Text is written as UTF-8, its line ends as they are.
    """
    if not path.name:  # `.` and `/`, which have no place beside them
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name}")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # half a file is of no use
        raise
