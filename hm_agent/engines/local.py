"""Several episodes at once on this machine, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext

from hm_agent.engines.crew import Crew, Gone, Line
from hm_agent.engines.engine import Progress
from hm_agent.engines.worker import Word, work
from hm_agent.experiment import Episode
from hm_agent.interruptions import put_off
from hm_agent.models.budget import Account
from hm_agent.recording.result import Result

PRELOADED = ["hm_agent.worlds.melting_pot.simulator.world", "hm_agent.engines.worker"]
"""Melting Pot takes seconds to import: one process does it, and every worker begins as a copy of that."""


class LocalEngine:
    """Worker processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def play(self, episodes: Sequence[Episode], account: Account, progress: Progress) -> Generator[Result]:
        yield from Crew(_Machine(), self._workers, progress).play(episodes, account)


class _Machine:
    """Where all workers share what one process has imported."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(PRELOADED)

    def open(self) -> _Process:
        return _Process(self._context)

    def wait(self, lines: Collection[Line], timeout: float | None = None) -> Iterable[Line]:
        return wait(lines, timeout)


class _Process:
    """A worker process, and the line to it."""

    def __init__(self, context: ForkServerContext) -> None:
        self.line, far = context.Pipe()
        self._process = context.Process(target=work, args=(far,), daemon=True)
        with _undisturbed():
            self._process.start()
        far.close()

    def send(self, word: object) -> None:
        with suppress(OSError):
            self.line.send(word)

    def hear(self) -> Word:
        try:
            word: Word = self.line.recv()
        except (EOFError, OSError):
            self._process.join()
            raise Gone(f"its process ended with exit code {self._process.exitcode}") from None
        return word

    def is_taken(self) -> bool:
        return self._process.is_alive()

    def interrupt(self) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGINT)

    def end(self, grace: float) -> None:
        self.send(None)
        self._process.join(grace)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.line.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Puts interruptions off. Processes begun meanwhile are born deaf to them: half begun, they would only complain."""
    resource_tracker.ensure_running()  # it would begin with the first of them, and let interruptions through again
    with put_off():
        yield
