"""Plays episodes on several workers at once, whatever connects the workers to this process."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from hm_agent.experiment import Episode
from hm_agent.models.budget import RunBudget
from hm_agent.playing import crashed, cut_short
from hm_agent.pool.progress import Progress, Pulse
from hm_agent.pool.shared_state import SharedState, StateRequest
from hm_agent.recording.result import Result

GRACE = 3.0
"""Seconds that workers get to end their episodes after an interruption."""
Waitable = Any
"""An object that a host can wait for: it becomes ready when a worker sends a message or ends."""


@dataclass(frozen=True, slots=True)
class Crash:
    """An episode whose error was raised outside its own loop. is_disk: True if a file could not be written."""

    reason: str
    is_disk: bool = False


WorkerMessage = Pulse | StateRequest | Result | Crash
"""What a worker sends. After a `StateRequest` it waits for the answer."""


class WorkerLost(Exception):
    """A worker has ended or can't be reached; the message says why."""


class Worker(Protocol):
    """The connection to one worker process."""

    @property
    def waitable(self) -> Waitable: ...

    def send(self, message: object) -> None:
        """Sends a message, or drops it if the worker is lost: the next `receive` reports the loss."""
        ...

    def receive(self) -> WorkerMessage:
        """Returns the worker's next message; raises WorkerLost if there will be none."""
        ...

    def is_alive(self) -> bool:
        """True if an idle worker can still take an episode."""
        ...

    def interrupt(self) -> None: ...

    def stop(self, grace: float) -> None:
        """Ends the worker. It may be given `grace` seconds to end by itself before it is killed."""
        ...


class Host(Protocol):
    """A place that runs workers: this machine or a cluster."""

    def start_worker(self) -> Worker:
        """Starts an idle worker."""
        ...

    def wait(self, waitables: Collection[Waitable], timeout: float | None = None) -> Iterable[Waitable]:
        """Returns those that are ready, as soon as there is one; none after `timeout` seconds."""
        ...


class Pool:
    """Assigns episodes to at most `size` workers. A lost worker fails its episode, and another worker replaces it."""

    def __init__(self, host: Host, size: int, progress: Progress) -> None:
        self._host, self._size, self._progress = host, size, progress
        self._workers: list[_PoolWorker] = []

    def play(self, episodes: Sequence[Episode], budget: RunBudget) -> Generator[Result]:
        """Plays the episodes as `Engine.play` does."""
        waiting = deque(episodes)
        with closing(SharedState(budget, episodes[0].experiment.model.cache)) as state:
            try:
                while waiting or any(worker.episode for worker in self._workers):
                    self._assign(waiting)
                    for result in self._receive(state):
                        if result.stops_the_run:
                            waiting.clear()
                        yield result
            finally:
                self._shut_down(state)

    def _assign(self, waiting: deque[Episode]) -> None:
        """Gives waiting episodes to idle workers, and starts workers while there are fewer than `size`."""
        for worker in list(self._workers):
            if not (worker.episode or worker.connection.is_alive()):
                self._workers.remove(worker)
                worker.connection.stop(0)
        while waiting:
            idle = next((worker for worker in self._workers if not worker.episode), None)
            if idle is None:
                if len(self._workers) == self._size:
                    return
                idle = _PoolWorker(self._host.start_worker())
                self._workers.append(idle)
            self._progress.begin(waiting[0])
            idle.begin(waiting.popleft())

    def _receive(self, state: SharedState) -> Iterator[Result]:
        """Waits for messages and yields the results among them. Raises OSError if a worker could not write a file."""
        by_waitable = {worker.connection.waitable: worker for worker in self._workers if worker.episode}
        for waitable in self._host.wait(by_waitable):
            worker = by_waitable[waitable]
            episode = worker.episode
            assert episode is not None
            message = worker.receive(state)
            match message:
                case Pulse():
                    self._progress.pulse(episode, message)
                case Result() | Crash():
                    worker.episode = None
                    if isinstance(message, Crash) and message.is_disk:
                        raise OSError(message.reason)
                    result = message if isinstance(message, Result) else crashed(episode, message.reason)
                    self._progress.end(episode, result)
                    yield result

    def _shut_down(self, state: SharedState) -> None:
        """Interrupts the episodes that are being played, and stops all workers."""
        for worker in self._workers:
            if worker.episode:
                worker.connection.interrupt()
        try:
            self._receive_last(state)
        finally:
            for worker in self._workers:
                worker.connection.stop(0 if worker.episode else GRACE)
        for worker in self._workers:
            if worker.episode and (result := cut_short(worker.episode)):
                self._progress.end(worker.episode, result)

    def _receive_last(self, state: SharedState) -> None:
        """Receives the results of interrupted episodes for `GRACE` seconds; workers without one keep their episode."""
        deadline = time.monotonic() + GRACE
        playing = [worker for worker in self._workers if worker.episode]
        while playing and time.monotonic() < deadline:
            by_waitable = {worker.connection.waitable: worker for worker in playing}
            for waitable in self._host.wait(by_waitable, max(0.0, deadline - time.monotonic())):
                worker = by_waitable[waitable]
                message = worker.receive(state)
                if isinstance(message, Result) and worker.episode:
                    self._progress.end(worker.episode, message)
                    worker.episode = None
                if isinstance(message, Result | Crash):
                    playing.remove(worker)


class _PoolWorker:
    """A worker of the pool: its connection, the episode it plays, and the requests it has claimed in the budget."""

    def __init__(self, connection: Worker) -> None:
        self.connection = connection
        self.episode: Episode | None = None
        self._claims: set[str] = set()

    def begin(self, episode: Episode) -> None:
        self.episode = episode
        self.connection.send(episode)

    def receive(self, state: SharedState) -> WorkerMessage:
        """Returns the next message; answers it if it is a request. The loss of the worker counts as a crash."""
        try:
            message = self.connection.receive()
        except WorkerLost as lost:
            for key in self._claims:
                state.budget.release(key)
            return Crash(str(lost))
        if isinstance(message, StateRequest):
            answer = state.execute(message)
            match message:
                case StateRequest("claim", (key,)) if answer:
                    self._claims.add(key)
                case StateRequest("release", (key,)):
                    self._claims.discard(key)
            self.connection.send(answer)
        return message
