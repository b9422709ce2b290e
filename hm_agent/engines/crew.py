"""Several workers at once, wherever they sit: hands out episodes, hears how far they are, and sends all home."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol

from hm_agent.engines.books import Books, Entry
from hm_agent.engines.engine import Progress, Pulse
from hm_agent.engines.worker import Crash, Word
from hm_agent.experiment import Episode
from hm_agent.models.budget import Account
from hm_agent.playing import crashed, cut_short
from hm_agent.recording.result import Result

GRACE = 3.0
"""For how many seconds workers may end their episodes after an interruption."""
Line = Any
"""What can be waited for until a worker has something to say."""


class Gone(Exception):
    """A worker is not there any more; the message says what became of it."""


class Seat(Protocol):
    """Where one worker sits."""

    @property
    def line(self) -> Line: ...

    def send(self, word: object) -> None:
        """Where the worker is gone, the word is lost; that it is gone is heard next."""
        ...

    def hear(self) -> Word:
        """The worker's next word; raises Gone where there will be none."""
        ...

    def is_taken(self) -> bool:
        """Whether an idle worker is still there."""
        ...

    def interrupt(self) -> None: ...

    def end(self, grace: float) -> None:
        """Sends the worker home, and ends it if it isn't gone after so many seconds."""
        ...


class Room(Protocol):
    """Where workers are found."""

    def open(self) -> Seat:
        """Another worker, who has nothing to do."""
        ...

    def wait(self, lines: Collection[Line], timeout: float | None = None) -> Iterable[Line]:
        """The lines on which there is news, as soon as there is any or so many seconds have passed."""
        ...


class Crew:
    """Where a worker is lost, the episode that it played has failed, and another takes its place."""

    def __init__(self, room: Room, size: int, progress: Progress) -> None:
        self._room, self._size, self._progress = room, size, progress
        self._workers: list[_Worker] = []

    def play(self, episodes: Sequence[Episode], account: Account) -> Generator[Result]:
        """As an engine does."""
        waiting = deque(episodes)
        with closing(Books(account, episodes[0].experiment.model.cache)) as books:
            try:
                while waiting or any(worker.episode for worker in self._workers):
                    self._hand_out(waiting)
                    for result in self._hear(books):
                        if result.stops_the_run:
                            waiting.clear()
                        yield result
            finally:
                self._dismiss(books)

    def _hand_out(self, waiting: deque[Episode]) -> None:
        """Gives everybody something to do, as far as there is anything."""
        self._part()
        while waiting:
            worker = next((worker for worker in self._workers if not worker.episode), None)
            if worker is None:
                if len(self._workers) == self._size:
                    return
                worker = _Worker(self._room.open())
                self._workers.append(worker)
            self._progress.begin(waiting[0])
            worker.begin(waiting.popleft())

    def _part(self) -> None:
        """With idle workers who are gone."""
        for worker in list(self._workers):
            if not (worker.episode or worker.seat.is_taken()):
                self._workers.remove(worker)
                worker.seat.end(0)

    def _hear(self, books: Books) -> Iterator[Result]:
        """Waits for news, and yields the results among them. Raises OSError where a file could not be written."""
        by_line = {worker.seat.line: worker for worker in self._workers if worker.episode}
        for line in self._room.wait(by_line):
            worker = by_line[line]
            episode = worker.episode
            assert episode is not None
            word = worker.hear(books)
            match word:
                case Pulse():
                    self._progress.pulse(episode, word)
                case Result() | Crash():
                    worker.episode = None
                    if isinstance(word, Crash) and word.is_disk:
                        raise OSError(word.reason)
                    result = word if isinstance(word, Result) else crashed(episode, word.reason)
                    self._progress.end(episode, result)
                    yield result

    def _dismiss(self, books: Books) -> None:
        """Ends what is still played, and everybody's work."""
        for worker in self._workers:
            if worker.episode:
                worker.seat.interrupt()
        try:
            self._hear_out(books)
        finally:
            for worker in self._workers:
                worker.seat.end(0 if worker.episode else GRACE)
        for worker in self._workers:
            if worker.episode and (result := cut_short(worker.episode)):
                self._progress.end(worker.episode, result)

    def _hear_out(self, books: Books) -> None:
        """Hears the last words of those who are at work, for a while; who has none is not done with its episode."""
        deadline = time.monotonic() + GRACE
        at_work = [worker for worker in self._workers if worker.episode]
        while at_work and time.monotonic() < deadline:
            by_line = {worker.seat.line: worker for worker in at_work}
            for line in self._room.wait(by_line, max(0.0, deadline - time.monotonic())):
                worker = by_line[line]
                word = worker.hear(books)
                if isinstance(word, Result) and worker.episode:
                    self._progress.end(worker.episode, word)
                    worker.episode = None
                if isinstance(word, Result | Crash):
                    at_work.remove(worker)


class _Worker:
    """Somebody in a seat, and the episode that it plays."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.episode: Episode | None = None
        self._claims: set[str] = set()

    def begin(self, episode: Episode) -> None:
        self.episode = episode
        self.seat.send(episode)

    def hear(self, books: Books) -> Word:
        """The next word, with entries made; the end of the worker is a crash."""
        try:
            word = self.seat.hear()
        except Gone as gone:
            for key in self._claims:
                books.release(key)
            return Crash(str(gone))
        if isinstance(word, Entry):
            self.seat.send(self._enter(word, books))
        return word

    def _enter(self, entry: Entry, books: Books) -> object:
        answer = books.make(entry)
        match entry:
            case Entry("claim", (key,)) if answer:
                self._claims.add(key)
            case Entry("release", (key,)):
                self._claims.discard(key)
        return answer
