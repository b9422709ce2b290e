"""Ctrl-C, kept from what it would only tear."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def put_off() -> Iterator[set[signal.Signals | int]]:
    """Lets an interruption wait until this is over; gives the signals that were blocked before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_interruptibly(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """As asyncio.run, but that an event loop half made or half closed is never interrupted: it would only complain."""
    with put_off() as before:
        return asyncio.run(_heard(work, before))


async def _heard(work: Callable[[], Coroutine[Any, Any, T]], before: set[signal.Signals | int]) -> T:
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        return await work()
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
