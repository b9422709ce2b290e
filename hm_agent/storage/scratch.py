"""Folders for a process's temporary files, which are removed however the process ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path

PREFIX = "hm_agent_"
LOCK = ".lock"
LONGEST_PATH = 107 - len("/pymp-12345678/listener-12345678")
"""The most bytes of a scratch folder's path: workers are started through a socket in it, and the path of a socket has
at most 107 bytes (unix(7))."""
SHORT_PARENTS = ("/tmp", "/var/tmp", "/dev/shm")
AFTER_ITS_SOCKETS = -200
"""The exit priority of removing the folder: multiprocessing removes its own folder, which is inside, at -100."""
_locks: list[int] = []
"""Descriptors of the locks that this process holds until it ends."""


def use_scratch_folder(within: str | None = None) -> Path:
    """Makes a folder for all further temporary files of this process, and returns it.

    It is removed when the process ends. If the process is killed, the next process that calls this function removes it,
    because nobody holds its lock any more. within: the folder to make it in, e.g. that of the parent process.
    """
    parent = Path(within or _parent_folder())
    if within is None:
        _remove_abandoned(parent)
    folder = make_folder(PREFIX, parent)
    tempfile.tempdir = str(folder)
    Finalize(None, drop_scratch_folder, [folder], exitpriority=AFTER_ITS_SOCKETS)
    return folder


def make_folder(prefix: str, parent: Path | None = None) -> Path:
    """Makes a folder that stays at least as long as this process lives. prefix: begins with PREFIX.

    After that, the next process that calls `use_scratch_folder` removes it, unless it was removed before.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / LOCK).exists():
            _locks.append(lock)
            return folder
        os.close(lock)  # another process removed the folder before it was locked


def leave_room_for_sockets() -> None:
    """Gives this process a scratch folder if a socket's path in the present folder would be too long."""
    if len(os.fsencode(tempfile.gettempdir())) > LONGEST_PATH:
        use_scratch_folder()


def _parent_folder() -> str:
    """Returns the system's folder for temporary files, or another one if its path is too long."""
    usual = tempfile.gettempdir()
    if len(os.fsencode(usual)) + len(f"/{PREFIX}12345678") <= LONGEST_PATH:
        return usual
    return next((folder for folder in SHORT_PARENTS if os.access(folder, os.W_OK | os.X_OK)), usual)


def drop_scratch_folder(folder: Path) -> None:
    """Removes a process's own folder; processes that end without Python's exit handlers have to call it."""
    shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    """Removes the user's folders whose process has died, so that their lock is free."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # the folder is another user's, in use, or has just been made
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(lock)
