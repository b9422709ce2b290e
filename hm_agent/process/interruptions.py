"""Handles interruptions (Ctrl-C, and signals that end a command like it): defers them, or cancels a coroutine.

By default an interruption raises KeyboardInterrupt wherever the main thread happens to be. In an event loop, or while a
process is being started, that leaves inconsistent state behind. Blocking the signal is not enough: another thread of
the process may receive it, and Python then runs the handler in the main thread all the same. So the handler is
replaced.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from multiprocessing import resource_tracker
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

LOOK_INTERVAL = 0.25
"""Seconds between two looks whether a signal has come: one that comes just before a wait begins does not end it."""

_actions: list[Callable[[], None]] = []
"""An interruption calls the last of these; without any, it raises KeyboardInterrupt."""
_listeners: list[Callable[[], None]] = []
"""An interruption calls all of these at once, also while interruptions are deferred."""
_postponing: list[Callable[[], None]] = []
"""Ctrl-C only calls and removes the last of these, if there is any."""


def interrupt(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """Handles an interruption; it can be the handler of a signal. Ctrl-C may be postponed, other signals are not."""
    if number == signal.SIGINT and _postponing:
        _postponing.pop()()
        return
    for tell in _listeners:
        tell()
    _act()


def _act() -> None:
    if not _actions:
        raise KeyboardInterrupt
    _actions[-1]()


@contextmanager
def told_of_interruptions(tell: Callable[[], None]) -> Iterator[None]:
    """Within the context, calls `tell` at every interruption, also while interruptions are deferred."""
    with _registered(tell, _listeners):
        yield


@contextmanager
def postponing_interruption(tell: Callable[[], None]) -> Iterator[None]:
    """Within the context, the first Ctrl-C only calls `tell`, at once; what comes after it interrupts."""
    with _registered(tell, _postponing):
        yield


@contextmanager
def defer_interruptions() -> Iterator[None]:
    """Defers interruptions until the context ends."""
    waiting: list[None] = []
    try:
        with _registered(lambda: waiting.append(None), _actions):
            yield
    finally:
        if waiting:
            _act()


@contextmanager
def starting_processes() -> Iterator[None]:
    """Defers interruptions, and has processes that are started in the context begin with Ctrl-C blocked.

    Interrupted before it is ready, a process would only print a traceback.
    """
    resource_tracker.ensure_running()  # the first process would start it, which unblocks SIGINT again
    with defer_interruptions():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_interruptibly(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine as asyncio.run does; an interruption cancels it, and a second one raises KeyboardInterrupt.

    Interruptions are deferred while the event loop is set up and closed. If a loop is running already, as in Jupyter,
    the coroutine gets a loop in a thread of its own.
    """
    try:
        if _is_in_event_loop():
            return _run_in_a_thread(work)
        with defer_interruptions():
            return asyncio.run(_cancelled_by_interruption(work))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _cancelled_by_interruption(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    running, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def cancel() -> None:
        if task.cancelling():
            raise KeyboardInterrupt
        task.cancel()
        running.call_soon_threadsafe(lambda: None)  # wakes the loop, so that it notices the cancellation

    with _registered(cancel, _actions):
        return await work()


@contextmanager
def _registered(action: Callable[[], None], actions: list[Callable[[], None]]) -> Iterator[None]:
    """Adds an action to a list within the context; does nothing outside the main thread, which handles signals."""
    if current_thread() is not main_thread():
        yield
        return
    with _own_handler():
        actions.append(action)
        try:
            yield
        finally:
            if action in actions:
                actions.remove(action)


@contextmanager
def _own_handler() -> Iterator[None]:
    """Within the context, Ctrl-C calls `interrupt` instead of Python's default handler."""
    before = signal.getsignal(signal.SIGINT)
    try:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, interrupt)
        yield
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, before)


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_a_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine in another thread and waits for it; an interruption cancels it, as in asyncio.run."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()
    ended: Future[T] = Future()

    async def work_as_task() -> T:
        task = asyncio.ensure_future(work())
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    def run() -> None:
        try:
            ended.set_result(asyncio.run(work_as_task()))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            ended.set_exception(error)

    # The context tells Jupyter in which cell the output of the new thread belongs.
    thread = Thread(target=copy_context().run, args=(run,), daemon=True)
    try:
        with defer_interruptions():
            thread.start()
        while not ended.done():
            wait([ended], LOOK_INTERVAL)
        return ended.result()
    except KeyboardInterrupt:
        if ended.done():
            raise
        loop, task = begun.result()
        loop.call_soon_threadsafe(task.cancel)
        return ended.result()
