"""Worker processes for calculations that need no messages: they end with what started them, whatever they are at."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
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
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=depend_on_parent) as pool:
        try:
            with starting_processes():
                futures = [pool.submit(function, *arguments) for arguments in calls]
            yield futures
        finally:
            for process in active_children():  # the executor itself would wait for the calls under way
                process.terminate()


def depend_on_parent() -> None:
    """Has a worker end when its parent process does, even if that is killed, and ignore Ctrl-C.

    Ctrl-C reaches all processes of a terminal, and the parent ends its workers itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()  # waits for the end of a pipe, which closes however the parent ends
    os._exit(1)
