"""Kills the whole command with `kill -9` and starts it again, repeatedly: no answer may be lost or paid for twice."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hm_agent.testing.commands import call, end, orphans, outcomes, processes, start
from hm_agent.testing.endpoint import Endpoint

WORKERS = 3
SCENARIOS = "rws_repeated_[012],cooking_asymmetric_0"
STEPS = 300
MOMENT = 0.2
"""Seconds between the kill of a worker and that of the whole command."""
LATEST_KILL = 8.0
"""Seconds after the start within which every third round is killed by the clock, so that some die while they start."""


@dataclass
class KillRound:
    """One run of the command, killed or not.

    paid_again: requests whose answers the cache held already. lost: answers sent that never reached the cache.
    orphans: processes left behind.
    """

    was_killed: bool
    paid_again: int
    lost: int
    orphans: int
    errors: str = ""


@dataclass
class KillTrial:
    """A grid of episodes and its endpoint.

    grid: the flags of what is played. undisturbed: how often a run that is not killed makes each request. expected:
    that run's results and traces.
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
        flags += [f"--workers={WORKERS}", "--model=loopback", f"--base_url={self.server.base_url}"]
        return [*flags, f"--out={out}", f"--cache={cache}"]

    def run_undisturbed(self) -> None:
        out = self.folder / "undisturbed"
        status, _, errors = call(str(out), *self.flags(out, self.folder / "undisturbed.sqlite"))
        assert status == 0, errors
        self.undisturbed, self.expected = self._take(), outcomes(out)

    def round(self, is_time: Callable[[int], bool], *, first_a_worker: bool = False) -> KillRound:
        """Runs the command until it ends or `is_time`, given the number of its requests, says to kill it.

        first_a_worker: kills one of its other processes a moment before.
        """
        kept = self._kept()
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
        asked, errors = self._take(), process.communicate()[1]
        paid_again = (asked - (self.undisturbed - kept)).total()
        lost = asked.total() - (self._kept() - kept).total()
        return KillRound(process.returncode == -9, paid_again, lost, len(left), errors)

    def _take(self) -> Counter[str]:
        """The requests since the last call of this."""
        taken = Counter(_words(received.body["messages"]) for received in self.server.received)
        self.server.received.clear()
        return taken

    def _kept(self) -> Counter[str]:
        """The requests whose answers the cache holds."""
        if not self.cache.exists():
            return Counter()
        with closing(sqlite3.connect(self.cache)) as file:
            has_table = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone()
            rows = file.execute("SELECT request FROM answers").fetchall() if has_table else []
        return Counter(_words(json.loads(request)["messages"]) for (request,) in rows)


def _words(messages: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps([(message["role"], message["content"]) for message in messages])


def moments(rounds: int, requests: int, seed: int = 0) -> list[Callable[[int], bool]]:
    """When to kill each round: after a number of requests; every third round after a number of seconds."""
    stream = random.Random(seed)
    return [
        _by_clock(stream.uniform(0, LATEST_KILL)) if n % 3 == 2 else _by_count(stream.randint(1, requests // rounds))
        for n in range(rounds)
    ]


def _by_count(requests: int) -> Callable[[int], bool]:
    return lambda received: received >= requests


def _by_clock(seconds: float) -> Callable[[int], bool]:
    end: float | None = None

    def is_time(received: int) -> bool:
        nonlocal end
        end = time.monotonic() + seconds if end is None else end
        return time.monotonic() >= end

    return is_time


def run_trial(trial: KillTrial, rounds: int) -> list[KillRound]:
    """Runs `rounds` rounds that are killed and a last one that is not."""
    trial.run_undisturbed()
    times = moments(rounds, trial.undisturbed.total())
    killed = [trial.round(is_time, first_a_worker=number % 2 == 1) for number, is_time in enumerate(times)]
    return [*killed, trial.round(lambda received: False)]
