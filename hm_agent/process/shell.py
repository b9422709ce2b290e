"""What a command needs of the process it runs in: signals that end it tidily, and a terminal that takes any text."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType

from hm_agent.process.interruptions import interrupt
from hm_agent.process.scratch import use_scratch_folder


def prepare_process() -> None:
    """Makes SIGTERM and SIGHUP end the command as Ctrl-C does, output never fail, and temporary files go with it."""
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` ignores it
        signal.signal(signal.SIGHUP, _hang_up)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    use_scratch_folder()


def _hang_up(number: int, frame: FrameType | None) -> None:
    """The terminal is gone, so nothing can be shown on it any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream.isatty():
                os.dup2(nowhere, stream.fileno())
    interrupt()


def printable(text: str) -> str:
    """The text as a terminal may show it: control characters, which could command it, are written out."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else sign.encode("unicode_escape").decode() for sign in text
    )
