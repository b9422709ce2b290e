"""A process that plays one episode after the other, as it is told over a connection."""

from __future__ import annotations

import gc
import os
import select
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Thread

from hm_agent.engines.books import Entry, RemoteBooks
from hm_agent.engines.engine import Heartbeat, Pulse
from hm_agent.experiment import Episode
from hm_agent.models.providers import Provider, provider_of
from hm_agent.playing import play
from hm_agent.recording.result import INTERRUPTED, Result


@dataclass(frozen=True, slots=True)
class Crash:
    """An episode that came to grief outside of its own loop. is_disk: whether a file could not be written."""

    reason: str
    is_disk: bool = False


Word = Pulse | Entry | Result | Crash
"""What a worker says; it waits for the answer to an entry."""


def work(keeper: Connection) -> None:
    """Plays what it is sent until that is None; an interruption ends the episode under way, then the worker."""
    provider: Provider | None = None
    try:
        os.setpgrp()  # a terminal's Ctrl-C is for the parent, which passes it on
        Thread(target=_end_with, args=(keeper.fileno(),), daemon=True).start()
        # What was imported stays; to collect it would take long, copy shared memory, and swallow an interruption.
        gc.freeze()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        books = RemoteBooks(keeper)
        while (episode := keeper.recv()) is not None:
            provider = provider or provider_of(episode.experiment.model, books, books)
            result = _played(episode, provider, keeper)
            keeper.send(result)
            if isinstance(result, Result) and result.status == INTERRUPTED:
                return
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return
    finally:
        if provider is not None:
            provider.close()


def serve(keeper: int) -> None:
    """Works for whoever is at the other end of a file descriptor."""
    work(Connection(keeper))


def _played(episode: Episode, provider: Provider, keeper: Connection) -> Result | Crash:
    try:
        return play(episode, provider, Heartbeat(keeper.send))
    except OSError as error:
        return Crash(str(error), is_disk=True)
    except Exception:  # noqa: BLE001 - one episode's trouble is not the others'
        return Crash(traceback.format_exc())


def _end_with(keeper: int) -> None:
    """Ends this process at once when its keeper is gone: nobody else would."""
    line = select.poll()
    line.register(keeper, 0)  # that the other end hangs up is told in any case
    line.poll()
    os._exit(1)
