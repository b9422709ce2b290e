"""What holds while a command's modules are imported; so it imports next to nothing itself."""

from __future__ import annotations

import gc
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


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Within the context, where modules are imported, no garbage is looked for, and later not in what they define.

    That stays for good, so looking through it finds nothing, and takes a tenth of a command's time.
    """
    gc.disable()
    try:
        yield
    finally:
        leave_out_of_collections()
        gc.enable()


def leave_out_of_collections() -> None:
    """Never looks for garbage in all that is there now, and from now on only after 20,000 new objects, not after 700.

    Little of what an episode makes refers to itself, which alone keeps it from being freed at once.
    """
    gc.freeze()
    gc.set_threshold(20_000)
