"""A process that plays one episode after the other, as it is told over a connection."""

from __future__ import annotations

import gc
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any

from hm_agent.engines.engine import Heartbeat, Pulse
from hm_agent.experiment import Episode
from hm_agent.models.ledger import Account, BudgetSpent
from hm_agent.models.providers import Provider, provider_of
from hm_agent.playing import play
from hm_agent.recording.result import INTERRUPTED, Result


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to do in the run's ledger: one of its methods, and with what."""

    method: str
    arguments: tuple[Any, ...]

    def make(self, account: Account) -> object:
        return _METHODS[self.method](account, *self.arguments)


_METHODS: Mapping[str, Callable[..., object]] = {
    "take_call": Account.take_call,
    "pay": Account.pay,
    "has_answered": Account.has_answered,
    "claim": Account.claim,
    "release": Account.release,
}


@dataclass(frozen=True, slots=True)
class Crash:
    """An episode that came to grief outside of its own loop. is_disk: whether a file could not be written."""

    reason: str
    is_disk: bool = False


Word = Pulse | Entry | Result | Crash
"""What a worker says; it waits for the answer to an entry."""


class RemoteLedger:
    """The ledger as a worker has it: every entry is made by the process that keeps the account."""

    def __init__(self, keeper: Connection) -> None:
        self._keeper = keeper

    def take_call(self) -> None:
        self._enter("take_call")

    def pay(self, cost: float | None) -> None:
        self._enter("pay", cost)

    def has_answered(self) -> bool:
        return bool(self._enter("has_answered"))

    def claim(self, key: str) -> bool:
        return bool(self._enter("claim", key))

    def release(self, key: str) -> None:
        self._enter("release", key)

    def _enter(self, method: str, *arguments: Any) -> object:
        self._keeper.send(Entry(method, arguments))
        answer = self._keeper.recv()
        if isinstance(answer, BudgetSpent):
            raise answer
        return answer


def work(keeper: Connection) -> None:
    """Plays what it is sent until that is None; an interruption ends the episode under way, then the worker."""
    provider: Provider | None = None
    try:
        os.setpgrp()  # a terminal's Ctrl-C is for the parent, which passes it on
        Thread(target=_end_with_parent, daemon=True).start()
        # What was imported stays; to collect it would take long, copy shared memory, and swallow an interruption.
        gc.freeze()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        while (episode := keeper.recv()) is not None:
            provider = provider or provider_of(episode.experiment.model, RemoteLedger(keeper))
            result = _played(episode, provider, keeper)
            keeper.send(result)
            if isinstance(result, Result) and result.status == INTERRUPTED:
                return
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return
    finally:
        if provider is not None:
            provider.close()


def _played(episode: Episode, provider: Provider, keeper: Connection) -> Result | Crash:
    try:
        return play(episode, provider, Heartbeat(keeper.send))
    except OSError as error:
        return Crash(str(error), is_disk=True)
    except Exception:  # noqa: BLE001 - one episode's trouble is not the others'
        return Crash(traceback.format_exc())


def _end_with_parent() -> None:
    """Ends this process at once when its parent is gone: nobody else would."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
