"""Handles interruptions while a command's modules are imported; so it imports next to nothing itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupted_in_one_line(name: str) -> Iterator[None]:
    """Within the context, Ctrl-C prints a line that begins with `name`, and ends the process at once with status 130.

    KeyboardInterrupt would show a traceback; raised within an import, some libraries make another error of it.
    """

    def end(number: int, frame: FrameType | None) -> None:
        os.write(2, f"{name}: interrupted\n".encode())
        os._exit(130)

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else it is ignored, e.g. in the background
        signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
