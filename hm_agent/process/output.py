"""The console that commands print to, which outlives whoever reads it."""

from __future__ import annotations

import os
import sys

from rich.console import Console

WIDTH = 120
"""Characters of a line in the output to files and pipes."""


class _LastingConsole(Console):
    """Prints nothing more once its reader, e.g. `head`, has ended; what is played costs money, and is in files."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("hm-agent: nobody reads the output any more; the command goes on", file=sys.stderr, flush=True)


def output_console() -> Console:
    """Returns a console for standard output; its lines have `WIDTH` characters unless it is a terminal."""
    console = _LastingConsole()
    return console if console.is_terminal else _LastingConsole(width=WIDTH)
