"""Interruptions wait while they would do harm, whichever thread takes the signal, and cancel what runs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from threading import Event, Thread, main_thread

import pytest

from hm_agent.process.interruptions import (
    defer_interruptions,
    interrupt,
    postponing_interruption,
    run_interruptibly,
    told_of_interruptions,
)


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def raise_here() -> None:
    signal.raise_signal(signal.SIGINT)


def raise_elsewhere() -> None:
    """Another thread takes the signal, as a library's may."""
    is_over = Event()
    other = Thread(target=is_over.wait)
    other.start()
    assert other.ident
    signal.pthread_kill(other.ident, signal.SIGINT)
    is_over.set()
    other.join()


@pytest.mark.parametrize("raise_signal", [raise_here, raise_elsewhere])
def test_an_interruption_waits_for_the_end_of_the_context(raise_signal: Callable[[], None]) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - what is interrupted goes on
        with defer_interruptions():
            with defer_interruptions():
                raise_signal()
                done.append("inner")
            done.append("outer")
        done.append("never")
    assert done == ["inner", "outer"]


def test_who_wants_to_be_told_of_an_interruption_is_told_while_it_waits() -> None:
    told = []
    with told_of_interruptions(lambda: told.append("now")):
        with pytest.raises(KeyboardInterrupt), defer_interruptions():  # noqa: PT012 - what is interrupted goes on
            raise_here()
            assert told == ["now"]
        with pytest.raises(KeyboardInterrupt):
            raise_here()
    with pytest.raises(KeyboardInterrupt):
        raise_here()
    assert told == ["now", "now"]


def test_the_first_ctrl_c_is_postponed_and_neither_the_second_nor_another_signal() -> None:
    told = []
    for number, count in ((signal.SIGINT, 1), (signal.SIGTERM, 0)):
        with postponing_interruption(lambda: told.append("first")), pytest.raises(KeyboardInterrupt):  # noqa: PT012
            with defer_interruptions():
                interrupt(number)
                assert len(told) == count
            interrupt()
        told.clear()


def test_what_runs_in_another_thread_is_not_told_of_the_main_thread_s_interruptions() -> None:
    told = []

    def work() -> None:
        with told_of_interruptions(lambda: told.append("now")), pytest.raises(KeyboardInterrupt):
            interrupt()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert told == []


def test_a_failure_does_not_hide_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt), defer_interruptions():  # noqa: PT012 - what fails was interrupted before
        raise_here()
        raise ZeroDivisionError


@pytest.mark.parametrize("raise_signal", [raise_here, raise_elsewhere])
def test_an_interruption_cancels_what_runs_and_lets_it_clean_up(raise_signal: Callable[[], None]) -> None:
    done = []

    async def work() -> None:
        try:
            asyncio.get_running_loop().call_soon(raise_signal)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            done.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(work)
    assert done == ["cleaned up"]


def test_an_interruption_is_one_where_a_loop_is_running_already() -> None:
    """As in Jupyter, whose loop does not handle the signal."""
    done = []

    async def work() -> None:
        try:
            main = main_thread().ident
            assert main
            signal.pthread_kill(main, signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            done.append("cleaned up")

    async def cell() -> None:
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(work)

    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(cell())
    assert done == ["cleaned up"]


def test_a_second_interruption_ends_what_does_not_end() -> None:
    async def work() -> None:
        try:
            raise_here()
            await asyncio.sleep(0)
        finally:
            raise_here()
            await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(work)


def test_what_is_not_interrupted_returns_what_it_made() -> None:
    async def work() -> int:
        return 42

    assert run_interruptibly(work) == 42


def test_a_command_that_ignores_the_terminal_s_interruptions_is_ended_by_others() -> None:
    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(interrupt)
        await asyncio.Event().wait()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(work)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
