"""Tells the user when a file system call does not return, e.g. on a network folder whose server is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

LOOK_SECONDS = 0.25
"""Seconds between two checks of how long the current call has taken."""


class SilenceWatch:
    """Calls `tell` once, from a thread of its own, when a watched call has taken `seconds`.

    Watched calls come one after another, all from one thread.
    """

    def __init__(self, seconds: float, tell: Callable[[], None]) -> None:
        self._seconds, self._tell = seconds, tell
        self._began: float | None = None
        self._is_closing = Event()
        self._thread: Thread | None = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Watches the call that is made within the context."""
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="silence", daemon=True)
            self._thread.start()
        self._began = time.monotonic()
        try:
            yield
        finally:
            self._began = None

    def _watch(self) -> None:
        while not self._is_closing.wait(LOOK_SECONDS):
            began = self._began
            if began is not None and time.monotonic() - began >= self._seconds:
                self._tell()
                return

    def close(self) -> None:
        self._is_closing.set()
        if self._thread is not None:
            self._thread.join()
