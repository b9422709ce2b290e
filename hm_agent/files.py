"""Folder names for any names, atomic writing, safe reading of files that others may have replaced, and disk errors."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

RUNS = Path("runs")
"""The folder that is written to and read where none is named."""
TEMPLATES = "prompts"
"""The folder, within a run's, of the templates that prompts were rendered from."""
REPORT = "report"
"""The default folder of a run's report, within the run's folder."""
CARD_PAGES = "cards/*/*/card.html"
"""Matches the pages of a battery's cards, within the folder of its runs."""
LONGEST_NAME = 100
"""The most characters of a folder's name; file systems allow 255 bytes."""
_PLAIN = re.compile(r"(?!\.)[\w.-]+", re.ASCII)


class DiskError(OSError):
    """A run can't read or write its files. It ends the run: other episodes would fare no better."""


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raises every OSError from within as a DiskError."""
    try:
        yield
    except DiskError:
        raise
    except OSError as error:
        # Only with an error number does an OSError have a file name.
        details = (error.errno, error.strerror, error.filename) if error.errno else (str(error),)
        raise DiskError(*details) from error


def folder_name(names: Sequence[str]) -> str:
    """Returns the name of a folder for a list of names: the names joined by `+`, if that is a valid folder name.

    If it is not, or if a name could be mistaken for several, other characters are replaced and a hash of the names is
    appended, so that no two lists share a folder.
    """
    joined = "+".join(names)
    if len(joined) <= LONGEST_NAME and all(_PLAIN.fullmatch(name) for name in names):
        return joined
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_.+-]+', '-', joined)[: LONGEST_NAME - 9].lstrip('.')}-{digest}"


def path_in_words(path: Path) -> str:
    """Returns a path as text for pages and tables; bytes that are not UTF-8 become backslash escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_regular(path: Path) -> bytes:
    """Reads a regular file. Raises OSError, also for anything else, e.g. a named pipe, which might never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no file")
        return file.read()


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file atomically: a reader sees the old content or the new one, never a part. Raises OSError.

    Of several writers at the same time, one's content stays. Text is written as UTF-8, with its line ends unchanged.
    """
    if not path.name:  # `.` and `/`: no draft can lie beside them
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)  # half a file is of no use
        raise
