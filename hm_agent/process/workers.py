"""Worker processes for calculations that need no messages: an interruption ends them, whatever they are at."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context


@contextmanager
def worker_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Starts worker processes for the context; any exception in it, such as an interruption, ends them at once.

    A generator that yields within the context has to be closed, e.g. by `contextlib.closing`: an exception in the code
    that iterates over it does not reach the generator.
    """
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts) as pool:
        try:
            yield pool
        except BaseException:
            for process in active_children():  # the executor itself would wait for the calls under way
                process.terminate()
            raise


def _ignore_interrupts() -> None:
    """Makes a worker ignore Ctrl-C, which reaches all processes of a terminal: the parent process ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
