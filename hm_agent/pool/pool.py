"""Plays episodes on several worker processes at once, wherever they run; messages pass through connections."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Protocol

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.played_episode import crashed, cut_short
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.progress import Progress, Pulse
from hm_agent.pool.shared_state import Holdings, SharedState, StateRequest
from hm_agent.pool.worker import Begin, EpisodeNews, Stop, WorkerMessage, result_of, work
from hm_agent.process.interruptions import LOOK_INTERVAL, defer_interruptions, starting_processes
from hm_agent.recording.result import Result
from hm_agent.storage.scratch import leave_room_for_sockets

GRACE = 3.0
"""Seconds without a message after which workers that were told to stop are killed."""


class WorkerLink(Protocol):
    """A worker process: the connection to it, and what can be done if it does not respond."""

    @property
    def connection(self) -> Connection: ...

    def fate(self) -> str:
        """Returns how the process ended, once its connection is closed."""
        ...

    def end(self, grace: float) -> None:
        """Waits for the process to end by itself for `grace` seconds, then kills it."""
        ...


class Host(Protocol):
    """A place that runs workers: this machine or a cluster."""

    def start(self, workers: int) -> Sequence[WorkerLink]:
        """Starts worker processes; raises ConfigError if that fails."""
        ...


class LocalHost:
    """Starts workers on this machine. preloaded: names of modules that the fork server imports for all workers."""

    def __init__(self, preloaded: Sequence[str]) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([*preloaded, work.__module__])

    def start(self, workers: int) -> Sequence[WorkerLink]:
        leave_room_for_sockets()
        return [self._start() for _ in range(workers)]

    def _start(self) -> LocalLink:
        connection, remote_end = self._context.Pipe()
        process = self._context.Process(target=work, args=(remote_end, tempfile.gettempdir()), daemon=True)
        with starting_processes(), _main_module_hidden():
            _start_by_fork_server(process)
        remote_end.close()
        return LocalLink(connection, process)


def _start_by_fork_server(process: multiprocessing.process.BaseProcess) -> None:
    """Starts a process, at the second try by a new fork server, since the first one may have been killed meanwhile.

    Raises ConfigError if that fails, too.
    """
    try:
        process.start()
    except (EOFError, ConnectionError):
        try:
            process.start()
        except (EOFError, ConnectionError) as error:
            raise ConfigError("no worker process starts: the server that forks them was killed twice") from error


@contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keeps new processes from running the user's script again, of which a worker needs nothing."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@dataclass(frozen=True)
class LocalLink:
    """A worker process of this machine, behind a pipe."""

    connection: Connection
    process: multiprocessing.process.BaseProcess

    def fate(self) -> str:
        self.process.join()
        return f"its process ended with exit code {self.process.exitcode}"

    def end(self, grace: float) -> None:
        self.process.join(grace)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


@dataclass(eq=False)
class _PoolWorker:
    """A worker as the pool sees it. episodes: what it plays, by number. held: its share of the shared state.

    experiment: the one that was sent to it last.
    """

    link: WorkerLink
    experiment: Experiment | None = None
    episodes: dict[int, Episode] = field(default_factory=dict)
    held: Holdings = field(default_factory=Holdings)
    is_lost: bool = False

    def send(self, message: object) -> None:
        with suppress(OSError):  # the worker is lost, which `receive` finds
            self.link.connection.send(message)

    def receive(self) -> WorkerMessage | None:
        """Returns the worker's next message, None if the worker is lost."""
        try:
            message: WorkerMessage = self.link.connection.recv()
        except (EOFError, OSError):
            return None
        return message


class Pool:
    """Plays episodes on `size` workers, each of which plays up to `at_once` at the same time.

    Lost workers are replaced. If a lost worker played one episode, that episode has failed; if it played several, any
    of them may have ended it, so they are played again, each alone on a worker.
    """

    def __init__(
        self, host: Host, size: int, at_once: int, state: SharedState, progress: Progress, due: DueEpisodes
    ) -> None:
        self._host, self._size, self._at_once = host, size, at_once
        self._state, self._progress, self._due = state, progress, due
        self._workers: list[_PoolWorker] = []
        self._suspects: deque[Episode] = deque()
        self._alone: set[int] = set()
        self._numbers = count()
        self._results: list[Result] = []

    def play(self) -> list[Result]:
        """Plays all episodes as `run` does; returns their results."""
        try:
            while True:
                self._assign()
                self._due.heed_interruption()
                if not any(worker.episodes for worker in self._workers):
                    return self._results
                self._receive(LOOK_INTERVAL)
        finally:
            self._due.is_over = True
            self._shut_down()

    def _assign(self) -> None:
        """Gives episodes to the workers that play the fewest until all are busy or none may begin."""
        while not self._due.is_over:
            worker = self._least_busy()
            if worker is not None and not self._has_room(worker):
                return
            is_alone = bool(self._suspects) and not (worker and worker.episodes)
            episode = self._suspects.popleft() if is_alone else self._due.take()
            if episode is None:
                return
            self._begin(worker or self._start(), episode, is_alone=is_alone)

    def _least_busy(self) -> _PoolWorker | None:
        """Returns a worker with the fewest episodes, None if another worker is to be started."""
        self._workers = [worker for worker in self._workers if not worker.is_lost]
        if len(self._workers) < self._size:
            return None
        return min(self._workers, key=lambda worker: (not self._has_room(worker), len(worker.episodes)))

    def _has_room(self, worker: _PoolWorker) -> bool:
        return len(worker.episodes) < self._at_once and not self._alone & worker.episodes.keys()

    def _start(self) -> _PoolWorker:
        """Starts all missing workers, and returns one of them."""
        self._workers += [_PoolWorker(link) for link in self._host.start(self._size - len(self._workers))]
        return self._workers[-1]

    def _begin(self, worker: _PoolWorker, episode: Episode, *, is_alone: bool) -> None:
        number = next(self._numbers)
        with defer_interruptions():  # an episode that the worker never received would count as failed
            self._progress.begin(episode)
            worker.episodes[number] = episode
            if is_alone:
                self._alone.add(number)
            place = pickle.dumps((episode.scenario, episode.lineup, episode.number))
            is_known = worker.experiment is episode.experiment
            worker.send(Begin(number, place, None if is_known else pickle.dumps(episode.experiment)))
            worker.experiment = episode.experiment

    def _receive(self, timeout: float | None = None) -> bool:
        """Waits for messages and handles one of each worker that sent any; False if none came in time."""
        by_connection = {worker.link.connection: worker for worker in self._workers if not worker.is_lost}
        ready = wait(list(by_connection), timeout)
        for connection in ready:
            self._handle_message(by_connection[connection])  # type: ignore[index]
        return bool(ready)

    def _handle_message(self, worker: _PoolWorker) -> None:
        """Handles a worker's next message; raises OSError if a file could not be written."""
        with defer_interruptions():  # else the end of an episode could be read and not recorded
            message = worker.receive()
            if isinstance(message, StateRequest):
                worker.send(self._state.execute(message, worker.held))
            elif message is not None:
                self._handle_news(worker, message)
        if message is None:
            self._lose(worker)

    def _handle_news(self, worker: _PoolWorker, message: EpisodeNews) -> None:
        if isinstance(message.news, Pulse):
            self._progress.pulse(worker.episodes[message.number], message.news)
            return
        episode = worker.episodes.pop(message.number)
        self._end(episode, result_of(episode, message.news))

    def _end(self, episode: Episode, result: Result | None) -> None:
        self._due.end(episode, result)
        if result is not None:
            self._progress.end(episode, result)
            self._results.append(result)

    def _lose(self, worker: _PoolWorker) -> None:
        """Ends a lost worker: a single episode has failed, several are suspects, to be played alone."""
        worker.is_lost = True
        self._state.give_back(worker.held)
        fate = worker.link.fate()
        worker.link.end(0)
        episodes = list(worker.episodes.values())
        worker.episodes.clear()
        if len(episodes) == 1:
            self._end(episodes[0], crashed(episodes[0], fate))
        else:
            self._suspects += episodes

    def _shut_down(self) -> None:
        """Has all workers end their episodes; waits for them until no message has come for `GRACE` seconds."""
        for worker in self._workers:
            worker.send(Stop())
        try:
            while any(worker.episodes and not worker.is_lost for worker in self._workers) and self._receive(GRACE):
                continue
        finally:
            deadline = time.monotonic() + GRACE
            for worker in self._workers:
                if not worker.is_lost:
                    worker.link.end(0 if worker.episodes else max(0.0, deadline - time.monotonic()))
                self._suspects += worker.episodes.values()
            for episode in self._suspects:
                self._end(episode, cut_short(episode))
