"""Prepares the process of a command: signals end it in an orderly way, and any text can be printed."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType

from hm_agent.process.interruptions import interrupt
from hm_agent.storage.scratch import use_scratch_folder


def prepare_process() -> None:
    """Makes SIGTERM and SIGHUP act like a second Ctrl-C; printing never fails; temporary files vanish at the end."""
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` ignores it
        signal.signal(signal.SIGHUP, _hang_up)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    use_scratch_folder()


def _hang_up(number: int, frame: FrameType | None) -> None:
    """Handles SIGHUP: sends output for the closed terminal to the null device, and interrupts."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream.isatty():
                os.dup2(nowhere, stream.fileno())
    interrupt(number)


def printable(text: str) -> str:
    """Returns a text that is safe to print: control characters, which a terminal would obey, become escapes."""
    return "".join(
        sign if sign.isprintable() or sign == "\n" else sign.encode("unicode_escape").decode() for sign in text
    )
