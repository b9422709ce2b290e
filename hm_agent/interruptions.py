"""Ctrl-C (SIGINT), deferred while it would do harm."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def defer_interruptions() -> Iterator[set[signal.Signals | int]]:
    """Blocks SIGINT until the context ends; yields the signals that were blocked before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_interruptibly(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine as asyncio.run does, but defers SIGINT while the event loop is set up and closed.

    An interruption then would leave a half-made loop behind, which only prints warnings.
    """

    async def work_unblocked() -> T:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            return await work()
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    with defer_interruptions() as before:
        return asyncio.run(work_unblocked())
