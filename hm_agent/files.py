"""Names of folders made from names of things; files that are never there in part, or that others may have replaced."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

REPORT = "report"
"""The folder of a run's report within the run's, unless another is named."""
MINDS_PAGE = Path("minds", "minds.md")
"""The page of a battery's study within the folder of its runs."""
LONGEST_NAME = 100
"""Characters of a folder's name; file systems allow 255 bytes."""
_PLAIN = re.compile(r"(?!\.)[\w.-]+", re.ASCII)


def folder_name(names: Sequence[str]) -> str:
    """The name of the folder for what these names stand for: the names themselves, joined by `+`, where possible.

    A name that a folder can't have, or that could be taken for several names, is changed and gets a hash of what it
    was, so that no two things share a folder.
    """
    joined = "+".join(names)
    if len(joined) <= LONGEST_NAME and all(_PLAIN.fullmatch(name) for name in names):
        return joined
    told_apart = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_.+-]+', '-', joined)[: LONGEST_NAME - 9].lstrip('.')}-{told_apart}"


def path_in_words(path: Path) -> str:
    """A path as pages and tables can show it: what is no text in its name is written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_regular(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, also for what is no file and might never end, e.g. a pipe with a name."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no file")
        return file.read()


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
