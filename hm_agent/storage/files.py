"""Folder names for any names, atomic writing, safe reading of files that others may have replaced, and disk errors."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

RUNS = Path("runs")
"""The folder that is written to and read where none is named."""
TEMPLATES = "prompts"
"""The folder, within a run's, of the templates that prompts were rendered from."""
REPORT = "report"
"""The default folder of a run's report, within the run's folder."""
CARD_PAGES = "cards/*/*/card.html"
"""Matches the pages of a battery's cards, within the folder of its runs."""
MOST_READ = 256_000_000
"""The most bytes of a file that is read: of stories, a task, settings, a trace."""
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


def open_regular(path: Path, most: int = MOST_READ) -> BinaryIO:
    """Opens a regular file of at most so many bytes to read it.

    Raises OSError for anything else, e.g. a named pipe, which might never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most // 1_000_000} MB", str(path))
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def read_regular(path: Path) -> bytes:
    """Reads a regular file; raises OSError as `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


def read_text(path: Path) -> str:
    """Reads a regular file in UTF-8, without a byte order mark; raises OSError, or UnicodeDecodeError if it is none."""
    with io.TextIOWrapper(open_regular(path), "utf-8-sig") as file:
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
    except OSError as error:
        if error.filename2 is None:  # a full disk names no file, a missing folder the draft
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)  # half a file is of no use
