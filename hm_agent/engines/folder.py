"""The folder of a run: one run at a time, and room for what it leaves."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hm_agent.config import ConfigError

LOCK = ".lock"
EPISODE = 10_000_000
"""How many bytes an episode may leave: a trace of one to three MB, and a video of about as much."""
RESERVE = 50_000_000
"""So many bytes are to stay free in any case."""


@contextmanager
def occupied(out: Path, episodes: int) -> Iterator[None]:
    """Keeps a folder, made where it is missing, for this run.

    Raises ConfigError where another run is at work in it or where so many episodes have no room, OSError where it can't
    be written to. The lock ends with its process, however that ends.
    """
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"--out={out}: another run is at work there; wait for it, or name another folder"
            ) from None
        free, wanted = shutil.disk_usage(out).free, RESERVE + EPISODE * episodes
        if free < wanted:
            raise ConfigError(
                f"--out={out}: its disk has {free / 1e6:.0f} MB left, and {episodes} episodes may take "
                f"{wanted / 1e6:.0f} MB: make room, or name a folder on another disk"
            )
        yield
