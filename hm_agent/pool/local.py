"""Plays several episodes at once on this machine, each in a worker process; also what a worker process runs."""

from __future__ import annotations

import gc
import multiprocessing
import os
import select
import signal
import sys
import traceback
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from threading import Thread
from types import ModuleType

from hm_agent.experiment import Episode
from hm_agent.models.budget import RunBudget
from hm_agent.models.providers import ModelPool
from hm_agent.playing import defer_interruptions, play
from hm_agent.pool.pool import Crash, Pool, Waitable, WorkerLost, WorkerMessage
from hm_agent.pool.progress import Heartbeat, Progress
from hm_agent.pool.shared_state import RemoteState
from hm_agent.recording.result import INTERRUPTED, Result


class LocalEngine:
    """Plays episodes in worker processes of this machine.

    preloaded: names of modules that one process imports once; every worker is forked from that process.
    """

    def __init__(self, workers: int, preloaded: Sequence[str]) -> None:
        self._workers, self._preloaded = workers, preloaded

    def play(self, episodes: Sequence[Episode], budget: RunBudget, progress: Progress) -> Generator[Result]:
        yield from Pool(LocalHost(self._preloaded), self._workers, progress).play(episodes, budget)


class LocalHost:
    """Starts workers on this machine."""

    def __init__(self, preloaded: Sequence[str]) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([*preloaded, __name__])

    def start_worker(self) -> LocalWorker:
        return LocalWorker(self._context)

    def wait(self, waitables: Collection[Waitable], timeout: float | None = None) -> Iterable[Waitable]:
        return wait(waitables, timeout)


@contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keeps a process that is started from running the user's script again: a worker needs nothing of it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class LocalWorker:
    """A worker process of this machine, behind a pipe."""

    def __init__(self, context: ForkServerContext) -> None:
        self.waitable, remote_end = context.Pipe()
        self._process = context.Process(target=work, args=(remote_end,), daemon=True)
        # The first worker would start the resource tracker, which unblocks interruptions again.
        resource_tracker.ensure_running()
        # The process inherits the blocked signal: interrupted while it starts, it would only print a traceback.
        with defer_interruptions(), _main_module_hidden():
            self._process.start()
        remote_end.close()

    def send(self, message: object) -> None:
        with suppress(OSError):
            self.waitable.send(message)

    def receive(self) -> WorkerMessage:
        try:
            message: WorkerMessage = self.waitable.recv()
        except (EOFError, OSError):
            self._process.join()
            raise WorkerLost(f"its process ended with exit code {self._process.exitcode}") from None
        return message

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def interrupt(self) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGINT)

    def stop(self, grace: float) -> None:
        self.send(None)
        self._process.join(grace)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.waitable.close()


def work(pool: Connection) -> None:
    """Plays the episodes that the pool sends until it sends None. An interruption ends the episode and the worker."""
    models: ModelPool | None = None
    try:
        os.setpgrp()  # a terminal's Ctrl-C is for the parent, which passes it on
        Thread(target=_exit_with_pool, args=(pool.fileno(),), daemon=True).start()
        # Imported modules stay for good. Collecting them would take long, copy shared memory and swallow an interrupt.
        gc.freeze()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        state = RemoteState(pool)
        while (episode := pool.recv()) is not None:
            settings = episode.experiment.model
            models = models or ModelPool(settings, state, state if settings.cache else None)
            result = _play_or_crash(episode, models, pool)
            pool.send(result)
            if isinstance(result, Result) and result.status == INTERRUPTED:
                return
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return
    finally:
        if models is not None:
            models.close()


def work_at(descriptor: int) -> None:
    """Runs `work` with the connection of an inherited file descriptor."""
    work(Connection(descriptor))


def _play_or_crash(episode: Episode, models: ModelPool, pool: Connection) -> Result | Crash:
    try:
        return play(episode, models, Heartbeat(pool.send))
    except OSError as error:
        return Crash(str(error), is_disk=True)
    except Exception:  # noqa: BLE001 - one episode's error must not end the other episodes
        return Crash(traceback.format_exc())


def _exit_with_pool(descriptor: int) -> None:
    """Exits this process as soon as the other end of the pipe is closed, since nobody else would end it then."""
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is reported whatever events are asked for
    poll.poll()
    os._exit(1)
