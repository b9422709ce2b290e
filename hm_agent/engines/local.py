"""Several episodes at once on this machine, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext

from hm_agent.engines.engine import Progress, Pulse
from hm_agent.engines.worker import Crash, Entry, Word, work
from hm_agent.experiment import Episode
from hm_agent.models.ledger import Account, BudgetSpent
from hm_agent.playing import crashed, cut_short
from hm_agent.recording.result import Result

PRELOADED = ["hm_agent.worlds.melting_pot.world", "hm_agent.engines.worker"]
"""Melting Pot takes seconds to import: one process does it, and every worker begins as a copy of that."""
GRACE = 3.0
"""For how many seconds workers may end their episodes after an interruption."""


class LocalEngine:
    """Worker processes. Where one dies, the episode that it played has failed, and another takes its place."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(PRELOADED)

    def play(self, episodes: Sequence[Episode], account: Account, progress: Progress) -> Generator[Result]:
        waiting, crew = deque(episodes), list[_Worker]()
        try:
            while waiting or any(worker.episode for worker in crew):
                self._hand_out(waiting, crew, progress)
                for result in _hear(crew, account, progress):
                    if result.stops_the_run:
                        waiting.clear()
                    yield result
        finally:
            _dismiss(crew, account, progress)

    def _hand_out(self, waiting: deque[Episode], crew: list[_Worker], progress: Progress) -> None:
        """Gives everybody something to do, as far as there is anything."""
        crew[:] = [worker for worker in crew if worker.process.is_alive() or worker.episode]
        while waiting:
            worker = next((worker for worker in crew if not worker.episode), None)
            if worker is None:
                if len(crew) == self._workers:
                    return
                worker = _Worker(self._context)
                crew.append(worker)
            progress.begin(waiting[0])
            worker.begin(waiting.popleft())


class _Worker:
    """One process, the line to it, and the episode that it plays."""

    def __init__(self, context: ForkServerContext) -> None:
        self.line, far = context.Pipe()
        self.process = context.Process(target=work, args=(far,), daemon=True)
        with _undisturbed():
            self.process.start()
        far.close()
        self.episode: Episode | None = None
        self._claims: set[str] = set()

    def begin(self, episode: Episode) -> None:
        self.episode = episode
        with suppress(OSError):  # it is gone, which is heard next
            self.line.send(episode)

    def interrupt(self) -> None:
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal.SIGINT)

    def hear(self, account: Account) -> Word:
        """The next word, with entries made; the end of the process is a crash."""
        try:
            word: Word = self.line.recv()
            if isinstance(word, Entry):
                self.line.send(self._enter(word, account))
        except (EOFError, OSError):
            self.process.join()
            for key in self._claims:
                account.release(key)
            return Crash(f"its process ended with exit code {self.process.exitcode}")
        return word

    def _enter(self, entry: Entry, account: Account) -> object:
        try:
            answer = entry.make(account)
        except BudgetSpent as spent:
            return spent
        match entry:
            case Entry("claim", (key,)) if answer:
                self._claims.add(key)
            case Entry("release", (key,)):
                self._claims.discard(key)
        return answer

    def end(self) -> None:
        """Sends the process home, and ends it if it doesn't go."""
        with suppress(OSError):  # it may be gone already
            self.line.send(None)
        self.process.join(GRACE if self.episode is None else 0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.line.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Puts interruptions off. Processes begun meanwhile are born deaf to them: half begun, they would only complain."""
    resource_tracker.ensure_running()  # it would begin with the first of them, and let interruptions through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hear(crew: Sequence[_Worker], account: Account, progress: Progress) -> Iterator[Result]:
    """Waits for news, and yields the results among them. Raises OSError where a file could not be written."""
    by_line = {worker.line: worker for worker in crew if worker.episode}
    for line in wait(by_line):
        worker = by_line[line]  # type: ignore[index]
        episode = worker.episode
        assert episode is not None
        word = worker.hear(account)
        match word:
            case Pulse():
                progress.pulse(episode, word)
            case Result() | Crash():
                worker.episode = None
                if isinstance(word, Crash) and word.is_disk:
                    raise OSError(word.reason)
                result = word if isinstance(word, Result) else crashed(episode, word.reason)
                progress.end(episode, result)
                yield result


def _dismiss(crew: Sequence[_Worker], account: Account, progress: Progress) -> None:
    """Ends what is still played, and everybody's work."""
    for worker in crew:
        if worker.episode:
            worker.interrupt()
    try:
        _hear_out(crew, account, progress)
    finally:
        for worker in crew:
            worker.end()
    for worker in crew:
        if worker.episode and (result := cut_short(worker.episode)):
            progress.end(worker.episode, result)


def _hear_out(crew: Sequence[_Worker], account: Account, progress: Progress) -> None:
    """Hears the last words of those who are at work, for a while; who has none is not done with its episode."""
    deadline = time.monotonic() + GRACE
    at_work = {worker.line: worker for worker in crew if worker.episode}
    while at_work and time.monotonic() < deadline:
        for line in wait(at_work, deadline - time.monotonic()):
            worker = at_work[line]  # type: ignore[index]
            word = worker.hear(account)
            if isinstance(word, Result) and worker.episode:
                progress.end(worker.episode, word)
                worker.episode = None
            if isinstance(word, Result | Crash):
                del at_work[line]  # type: ignore[arg-type]
