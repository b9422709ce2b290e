"""Kills the whole command with `kill -9` and starts it again, repeatedly: no answer may be lost or paid for twice."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hm_agent.testing.endpoint import Endpoint
from tests.support.commands import call, end, orphans, outcomes, overriding, processes, start

WORKERS = 3
SCENARIOS = "rws_repeated_[012],cooking_asymmetric_0"
STEPS = 300
MOMENT = 0.2
"""Seconds between the kill of a worker and that of the whole command."""
LATEST_KILL = 8.0
"""Every third round is killed at a random time within these seconds after its start, so some die while they start."""


@dataclass
class KillRound:
    """One run of the command, killed or not.

    is_as_undisturbed: True if the run was killed, or left the same results and traces as a run that never was.
    paid_again: requests whose answers were in the cache already. lost: answers that were sent and never reached the
    cache. orphans: processes left behind.
    """

    was_killed: bool
    is_as_undisturbed: bool
    paid_again: int
    lost: int
    orphans: int
    errors: str = ""


@dataclass
class KillTrial:
    """A grid of episodes and its endpoint.

    grid: the flags that say what is played. undisturbed: how often a run that is not killed makes each request.
    expected: the results and traces of that run.
    """

    folder: Path
    server: Endpoint
    episodes: int
    steps: int = STEPS
    grid: Sequence[str] = (f"--scenario={SCENARIOS}", "--bots=scripted", "--concurrency=1")
    undisturbed: Counter[str] = field(default_factory=Counter)
    expected: Mapping[str, object] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def cache(self) -> Path:
        return self.folder / "answers.sqlite"

    def flags(self, out: Path, cache: Path) -> list[str]:
        flags = [*self.grid, f"--episodes={self.episodes}", f"--max_steps={self.steps}", "--retry_failed"]
        flags += [f"--workers={WORKERS}", *self.server.flags]
        return overriding(*flags, f"--out={out}", f"--cache={cache}")

    def run_undisturbed(self) -> None:
        out = self.folder / "undisturbed"
        status, _, errors = call(str(out), *self.flags(out, self.folder / "undisturbed.sqlite"))
        assert status == 0, errors
        self.undisturbed, self.expected = self._take_requests(), outcomes(out)

    def round(self, is_time: Callable[[int], bool], *, first_a_worker: bool = False) -> KillRound:
        """Runs the command until it ends, or kills it once `is_time`, given the number of its requests, is True.

        first_a_worker: True to kill one of its other processes a moment before.
        """
        cached = self._cached_requests()
        process = start(str(self.out), *self.flags(self.out, self.cache))
        while (is_running := process.poll() is None) and not is_time(len(self.server.received)):
            time.sleep(0.005)
        if is_running and first_a_worker:
            end(sorted(set(processes(str(self.out))) - {process.pid})[-1:])
            time.sleep(MOMENT)
        if is_running:
            process.kill()
        process.wait()
        left = orphans(str(self.out))
        end(left)
        self.server.join_clients()
        requests, errors = self._take_requests(), process.communicate()[1]
        lost = requests.total() - (self._cached_requests() - cached).total()
        asked_again = (requests - (self.undisturbed - cached)).total()
        # Where a worker is killed first, the others may ask again what it has lost.
        paid_again = max(0, asked_again - lost) if first_a_worker else asked_again
        was_killed = process.returncode == -9
        is_as_undisturbed = was_killed or outcomes(self.out) == self.expected
        return KillRound(was_killed, is_as_undisturbed, paid_again, lost, len(left), errors)

    def rounds(self, parts: int, seed: int = 0) -> Iterator[KillRound]:
        """Yields rounds without end, killed at moments that the seed draws; every other one kills a worker first.

        parts: a round that is killed after a number of requests sees at most one of so many parts of all requests, so
        that many rounds work on one run. After a round that ended by itself, the next one starts from nothing.
        """
        for number, is_time in enumerate(moments(self.undisturbed.total() // parts, seed)):
            done = self.round(is_time, first_a_worker=number % 2 == 1)
            yield done
            if not done.was_killed:
                shutil.rmtree(self.out, ignore_errors=True)
                for path in self.folder.glob(f"{self.cache.name}*"):
                    path.unlink()

    def _take_requests(self) -> Counter[str]:
        """Counts the requests received since the last call, and clears them."""
        requests = Counter(_words(received.body["messages"]) for received in self.server.received)
        self.server.received.clear()
        return requests

    def _cached_requests(self) -> Counter[str]:
        """The requests whose answers are in the cache."""
        if not self.cache.exists():
            return Counter()
        with closing(sqlite3.connect(self.cache)) as file:
            has_table = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone()
            rows = file.execute("SELECT request FROM answers").fetchall() if has_table else []
        return Counter(_words(json.loads(request)["messages"]) for (request,) in rows)


def _words(messages: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps([(message["role"], message["content"]) for message in messages])


def moments(most_requests: int, seed: int) -> Iterator[Callable[[int], bool]]:
    """Yields when to kill each round: two after 1 to `most_requests` requests, every third after some seconds."""
    stream = random.Random(seed)
    while True:
        yield _by_count(stream.randint(1, most_requests))
        yield _by_count(stream.randint(1, most_requests))
        yield _by_clock(stream.uniform(0, LATEST_KILL))


def _by_count(requests: int) -> Callable[[int], bool]:
    return lambda received: received >= requests


def _by_clock(seconds: float) -> Callable[[int], bool]:
    end: float | None = None

    def is_time(received: int) -> bool:
        nonlocal end
        end = time.monotonic() + seconds if end is None else end
        return time.monotonic() >= end

    return is_time


def run_trial(trial: KillTrial, kills: int) -> list[KillRound]:
    """Runs rounds until `kills` of them were killed, and a last one that is not killed."""
    trial.run_undisturbed()
    done: list[KillRound] = []
    endless = trial.rounds(parts=kills)
    while sum(finished.was_killed for finished in done) < kills:
        done.append(next(endless))
    return [*done, trial.round(lambda received: False)]
