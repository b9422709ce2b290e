"""Worker processes for calculations that need no messages: an interruption ends them, whatever they are at."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from hm_agent.process.interruptions import starting_processes

T = TypeVar("T")


@contextmanager
def calls_in_workers(
    workers: int, function: Callable[..., T], calls: Iterable[tuple[Any, ...]]
) -> Iterator[Sequence[Future[T]]]:
    """Calls a function in worker processes for the context, whose end ends them at once, with calls under way.

    calls: the arguments of each call; they are begun in this order. A generator that yields within the context has to
    be closed, e.g. by `contextlib.closing`: an exception in the code that iterates over it does not reach the
    generator.
    """
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts) as pool:
        try:
            with starting_processes():
                futures = [pool.submit(function, *arguments) for arguments in calls]
            yield futures
        finally:
            for process in active_children():  # the executor itself would wait for the calls under way
                process.terminate()


def _ignore_interrupts() -> None:
    """Makes a worker ignore Ctrl-C, which reaches all processes of a terminal: the parent process ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
