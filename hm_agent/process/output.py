"""The console that commands print to, which outlives whoever reads it, and the look of their tables."""

from __future__ import annotations

import os
import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table

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


def plain_table(*columns: Column | str) -> Table:
    """Returns a table without rows yet, whose only line is that below its headings."""
    return Table(*columns, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
