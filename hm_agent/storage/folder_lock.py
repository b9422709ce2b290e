"""Locks between commands: on a folder, which keeps others out, and on a file, for which others wait."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hm_agent.config import ConfigError, check_folder
from hm_agent.wording import counted

LOCK = ".lock"
EPISODE_BYTES = 10_000_000
"""Disk space to expect for one episode: a trace of 1 to 3 MB, and a video of about the same size."""
RESERVED_BYTES = 50_000_000
"""Disk space that must stay free."""


@contextmanager
def locked(out: Path, at_once: int = 0) -> Iterator[None]:
    """Locks a folder, created if missing, against other commands; the lock ends with this process at the latest.

    at_once: how many episodes are played in it at the same time. Raises ConfigError if another command has the lock or
    if the disk has too little space for them, OSError if the folder can't be written to.
    """
    check_folder("out", out)
    out.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(out / LOCK, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ConfigError(f"--out={out}: {LOCK} in it is no file; remove it, or name another folder")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"--out={out}: another run is at work there; wait for it, or name another folder"
            ) from None
        free, needed = shutil.disk_usage(out).free, RESERVED_BYTES + EPISODE_BYTES * at_once
        if free < needed:
            what = f"{counted(at_once, 'episode')} at once may take" if at_once else "there must be"
            raise ConfigError(
                f"--out={out}: its disk has {free / 1e6:.0f} MB left, and {what} {needed / 1e6:.0f} MB: make room, "
                "or name a folder on another disk"
            )
        yield
    finally:
        os.close(descriptor)


@contextmanager
def in_turn(file: Path) -> Iterator[None]:
    """Keeps other processes that ask for the same from a file that is read and written again; waits while one has it.

    Leaves an empty `.NAME.lock` beside it. Raises OSError if the folder can't be written to.
    """
    with (file.parent / f".{file.name}{LOCK}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
