"""Plays several episodes at the same time in one event loop: in this process, or in a worker process of the pool."""

from __future__ import annotations

import asyncio
import os
import pickle
import select
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from threading import Event, Thread

from hm_agent.episode import is_being_cancelled
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.played_episode import crashed, cut_short
from hm_agent.experiment.playing import play
from hm_agent.models.budget import Budget
from hm_agent.models.cache import AnswerCache
from hm_agent.models.providers import ModelPool
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.progress import Heartbeat, Progress, Pulse
from hm_agent.pool.shared_state import RemoteState, StateRequest
from hm_agent.process.interruptions import LOOK_INTERVAL, run_interruptibly
from hm_agent.process.starting import leave_out_of_collections
from hm_agent.recording.result import INTERRUPTED, Result
from hm_agent.storage.files import DiskError
from hm_agent.storage.scratch import drop_scratch_folder, use_scratch_folder


@dataclass(frozen=True, slots=True)
class Crash:
    """An episode that ended by an error outside its own loop. is_disk: True if a file could not be written."""

    reason: str
    is_disk: bool = False


Outcome = Result | Crash | None
"""How an episode ended; None if it was cancelled outside its own loop."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Tells a worker to play an episode. number: identifies it in the worker's messages.

    place: the episode's scenario, lineup and number. experiment: None if the worker has it already, since that of many
    scenarios is large. Both are pickled apart from this message: a worker may lack modules of the user's additions.
    """

    number: int
    place: bytes
    experiment: bytes | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Tells a worker to end its episodes as after an interruption, and then to exit."""


@dataclass(frozen=True, slots=True)
class EpisodeNews:
    """A worker's message about one of its episodes: its progress, or how it ended."""

    number: int
    news: Pulse | Outcome


WorkerMessage = StateRequest | EpisodeNews


async def _play_or_crash(episode: Episode, models: ModelPool, emit: Callable[[Pulse], None], at_once: int) -> Outcome:
    try:
        return await play(episode, models, Heartbeat(emit, at_once))
    except DiskError as error:
        return Crash(str(error), is_disk=True)
    except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 - must not end other episodes
        is_cancelled = isinstance(error, asyncio.CancelledError) and is_being_cancelled()
        return None if is_cancelled else Crash(traceback.format_exc())


# In this process


class InlinePlayer:
    """Plays episodes in this process, `at_once` of them at the same time."""

    def __init__(self, at_once: int, budget: Budget, cache: AnswerCache | None, progress: Progress) -> None:
        self._at_once, self._budget, self._cache, self._progress = at_once, budget, cache, progress
        self._results: list[Result] = []
        self._running: dict[asyncio.Task[Outcome], Episode] = {}

    def play(self, due: DueEpisodes) -> list[Result]:
        """Plays all episodes as `run` does; returns their results."""
        run_interruptibly(lambda: self._play(due))
        return self._results

    async def _play(self, due: DueEpisodes) -> None:
        models: ModelPool | None = None
        try:
            while True:
                while len(self._running) < self._at_once and (episode := due.take()):
                    models = models or ModelPool(episode.experiment.model, self._budget, self._cache)
                    self._begin(episode, models)
                due.heed_interruption()
                if not self._running:
                    return
                ended, _ = await asyncio.wait(self._running, timeout=LOOK_INTERVAL, return_when=asyncio.FIRST_COMPLETED)
                if any(result.status == INTERRUPTED for task in ended if (result := self._end(task, due))):
                    raise KeyboardInterrupt
        finally:
            await self._cut_short(due)
            if models is not None:
                models.close()

    def _begin(self, episode: Episode, models: ModelPool) -> None:
        self._progress.begin(episode)
        emit = partial(self._progress.pulse, episode)
        self._running[asyncio.ensure_future(_play_or_crash(episode, models, emit, self._at_once))] = episode

    def _end(self, task: asyncio.Task[Outcome], due: DueEpisodes) -> Result | None:
        """Records and reports the end of an episode; raises OSError if a file could not be written."""
        episode = self._running.pop(task)
        outcome = None if task.cancelled() else task.result()
        result = result_of(episode, outcome)
        due.end(episode, result)
        if result is not None:
            self._progress.end(episode, result)
            self._results.append(result)
        return result

    async def _cut_short(self, due: DueEpisodes) -> None:
        """Cancels the episodes that are being played; each still writes its files."""
        for task in self._running:
            task.cancel()
        while self._running:
            ended, _ = await asyncio.wait(self._running)
            for task in ended:
                self._end(task, due)


def result_of(episode: Episode, outcome: Outcome) -> Result | None:
    """Returns the result of an episode, None if it has written its own before it was cut short.

    Raises OSError if a file could not be written.
    """
    match outcome:
        case Crash(reason, is_disk=True):
            raise OSError(reason)
        case Crash(reason):
            return crashed(episode, reason)
        case None:
            return cut_short(episode)
    return outcome


# In a worker process


def work(connection: Connection, scratch_within: str | None = None) -> None:
    """Plays the episodes that the pool sends, until the pool says to stop or is gone.

    scratch_within: the folder in which to make the folder for temporary files.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pool handles them, and tells its workers to stop
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    is_done = Event()
    Thread(target=_exit_with_pool, args=(connection.fileno(), is_done), daemon=True).start()
    # Imported modules stay for good: garbage collection would take long to visit them, and copy shared memory.
    leave_out_of_collections()
    scratch = use_scratch_folder(scratch_within)
    try:
        asyncio.run(_WorkerLoop(connection).serve())
    except (EOFError, ConnectionError):
        return
    finally:
        is_done.set()
        drop_scratch_folder(scratch)


def _exit_with_pool(descriptor: int, is_done: Event) -> None:
    """Exits this process as soon as the other end of the connection is closed: nothing else would end it then."""
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is reported whatever events are asked for
    poll.poll()
    if not is_done.is_set():
        os._exit(1)


class _WorkerLoop:
    """Plays the episodes that arrive through a connection, and sends back what becomes of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._state = connection, RemoteState(connection, self._receive_soon)
        self._packed = b""
        self._experiment: Experiment | None = None
        self._models: ModelPool | None = None
        self._tasks: dict[asyncio.Task[None], int] = {}
        self._stop = asyncio.Event()

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(self._connection.fileno(), self._receive)
        await self._stop.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        loop.remove_reader(self._connection.fileno())
        if self._models is not None:
            self._models.close()

    def _receive_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._receive)

    def _receive(self) -> None:
        """Handles all messages that have come, also those that came while the worker waited for a `StateAnswer`."""
        try:
            while self._state.backlog or self._connection.poll():
                backlog = self._state.backlog
                self._handle(backlog.popleft() if backlog else self._connection.recv())
        except (EOFError, OSError):
            self._stop.set()

    def _handle(self, message: object) -> None:
        match message:
            case Begin(number):
                try:
                    episode = self._unpacked(message)
                except Exception:  # noqa: BLE001 - a user's modules may raise anything
                    self._connection.send(EpisodeNews(number, Crash(traceback.format_exc())))
                else:
                    self._begin(number, episode)
            case Stop():
                self._stop.set()

    def _unpacked(self, message: Begin) -> Episode:
        """The episode to play; raises what unpickling does, for each episode anew."""
        if message.experiment is not None:
            self._packed, self._experiment = message.experiment, None
        self._experiment = self._experiment or pickle.loads(self._packed)
        return Episode(self._experiment, *pickle.loads(message.place))

    def _begin(self, number: int, episode: Episode) -> None:
        settings = episode.experiment.model
        cache = self._state if settings.cache else None
        self._models = self._models or ModelPool(settings, self._state, cache)
        self._tasks[asyncio.ensure_future(self._play(number, episode, self._models))] = number

    async def _play(self, number: int, episode: Episode, models: ModelPool) -> None:
        def send(news: Pulse | Outcome) -> None:
            self._connection.send(EpisodeNews(number, news))

        send(await _play_or_crash(episode, models, send, len(self._tasks)))
        task = asyncio.current_task()
        if task is not None:
            del self._tasks[task]
