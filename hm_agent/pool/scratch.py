"""A folder for a process's temporary files, which is removed however the process ends."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "hm_agent_scratch_"
LOCK = ".lock"
_locks: list[int] = []
"""Descriptors of the locks that this process holds until it ends."""


def use_scratch_folder(within: str | None = None) -> Path:
    """Makes this process's temporary files lie in a folder of its own from now on, and returns that folder.

    It is removed at the process's end. If the process is killed, the next process that calls this removes it: nobody
    holds its lock any more. within: where to make it, e.g. in the folder of the process that started this one.
    """
    parent = Path(within or tempfile.gettempdir())
    if within is None:
        _clear(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    _locks.append(lock)
    tempfile.tempdir = str(folder)
    atexit.register(drop_scratch_folder, folder)
    return folder


def drop_scratch_folder(folder: Path) -> None:
    """Removes a process's own folder; processes that end without Python's exit handlers call it themselves."""
    shutil.rmtree(folder, ignore_errors=True)


def _clear(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is another user's, in use, or has just been made
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(lock)
