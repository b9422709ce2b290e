"""The exit statuses of all commands, and how a command says in one line why it ends with another one than 0."""

from __future__ import annotations

import sys
from contextlib import suppress

from hm_agent.process.shell import printable

FAILED = 1
WRONG_INPUT = 2
NO_MODEL = 3
"""No model answers, or the budget is spent."""
INTERRUPTED = 130
"""By Ctrl-C, SIGTERM or SIGHUP."""


def complain(name: str, message: str, status: int) -> int:
    """Prints a message, in one line, to standard error after the command's name; returns the given exit status."""
    words = " ".join(filter(None, map(str.strip, message.splitlines())))
    with suppress(OSError):  # standard error may be closed
        print(printable(f"{name}: {words}"), file=sys.stderr, flush=True)
    return status
