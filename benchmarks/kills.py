"""`kill -9` of the whole command, again and again, and the same command after each: nothing is lost or paid twice."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hm_agent.testing.commands import call, end, orphans, outcomes, start
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.melting_pot import text_player

ROUNDS = 20
EPISODES = 6
WORKERS = 3
SCENARIOS = "rws_repeated_[012],cooking_asymmetric_0"
STEPS = 300
AT_ONCE = 6
"""So many questions an episode has under way at most: it scores five hypotheses and the newest at the same time."""
EARLY = 8.0
"""Every third round is killed by the clock instead, after so many seconds at the latest: also while it starts."""


@dataclass
class Round:
    """What came of a command that was killed, or ended by itself.

    paid_again: how many requests reached the endpoint whose answers the cache had already, for everybody who asks them.
    lost: how many answers had not reached the cache when it was killed. orphans: how many processes stayed.
    """

    was_killed: bool
    paid_again: int
    lost: int
    orphans: int
    errors: str = ""


@dataclass
class Siege:
    """A grid and the endpoint it asks. undisturbed: how often each request is made by a run that nobody kills."""

    folder: Path
    server: Endpoint
    episodes: int
    steps: int = STEPS
    undisturbed: Counter[str] = field(default_factory=Counter)
    expected: Mapping[str, object] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def cache(self) -> Path:
        return self.folder / "answers.sqlite"

    def flags(self, out: Path, cache: Path) -> list[str]:
        flags = [
            f"--scenario={SCENARIOS}",
            f"--episodes={self.episodes}",
            f"--max_steps={self.steps}",
            "--bots=scripted",
        ]
        flags += [f"--workers={WORKERS}", "--model=loopback", f"--base_url={self.server.base_url}"]
        return [*flags, f"--out={out}", f"--cache={cache}"]

    def run_undisturbed(self) -> None:
        out = self.folder / "undisturbed"
        status, _, errors = call(str(out), *self.flags(out, self.folder / "undisturbed.sqlite"))
        assert status == 0, errors
        self.undisturbed, self.expected = self._take(), outcomes(out)

    def round(self, is_time: Callable[[int], bool]) -> Round:
        """Runs the command until its time has come, by the number of its requests, or until it ends."""
        kept = self._kept()
        process = start(str(self.out), *self.flags(self.out, self.cache))
        while (is_running := process.poll() is None) and not is_time(len(self.server.received)):
            time.sleep(0.005)
        if is_running:
            process.kill()
        process.wait()
        left = orphans(str(self.out))
        end(left)
        asked, errors = self._take(), process.communicate()[1]
        paid_again = (asked - (self.undisturbed - kept)).total()
        lost = asked.total() - (self._kept() - kept).total()
        return Round(process.returncode == -9, paid_again, lost, len(left), errors)

    def _take(self) -> Counter[str]:
        """What was asked since it was last taken."""
        taken = Counter(_words(received.body["messages"]) for received in self.server.received)
        self.server.received.clear()
        return taken

    def _kept(self) -> Counter[str]:
        """What the cache holds."""
        if not self.cache.exists():
            return Counter()
        with closing(sqlite3.connect(self.cache)) as file:
            rows = file.execute("SELECT request FROM answers").fetchall() if _has_table(file) else []
        return Counter(_words(json.loads(request)["messages"]) for (request,) in rows)


def _has_table(file: sqlite3.Connection) -> bool:
    return bool(file.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone())


def _words(messages: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps([(message["role"], message["content"]) for message in messages])


def moments(rounds: int, requests: int, seed: int = 0) -> list[Callable[[int], bool]]:
    """When to kill: after a share of all requests or, every third time, after some seconds."""
    stream = random.Random(seed)
    return [
        _by_clock(stream.uniform(0, EARLY)) if n % 3 == 2 else _by_count(stream.randint(1, requests // rounds))
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


def besiege(siege: Siege, rounds: int) -> list[Round]:
    """So many rounds that are killed, and a last one that is not."""
    siege.run_undisturbed()
    killed = [siege.round(is_time) for is_time in moments(rounds, siege.undisturbed.total())]
    return [*killed, siege.round(lambda received: False)]


def main() -> None:
    with TemporaryDirectory() as folder, Endpoint(text_player.answer) as server:
        siege = Siege(Path(folder), server, EPISODES)
        rounds = besiege(siege, ROUNDS)
        found = outcomes(siege.out)
    same = sum(found.get(place) == outcome for place, outcome in siege.expected.items())
    killed, lost = sum(one.was_killed for one in rounds), [one.lost for one in rounds]
    paid_again, left = sum(one.paid_again for one in rounds), sum(one.orphans for one in rounds)
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| rounds that were killed | {ROUNDS} | {killed} |")
    print(f"| results and traces as of an undisturbed run | {len(siege.expected)} | {same} of {len(found)} |")
    print(f"| calls paid again that the cache had | 0 | {paid_again} |")
    print(f"| answers under way at a kill, the most | {WORKERS * AT_ONCE} | {max(lost)} |")
    print(f"| answers under way at all kills, beside {siege.undisturbed.total()} kept | - | {sum(lost)} |")
    print(f"| processes left behind | 0 | {left} |")
    is_lost = lost[-1] > 0 or max(lost) > WORKERS * AT_ONCE
    if found != siege.expected or paid_again or left or killed != ROUNDS or is_lost:
        sys.exit(f"not as expected; the last errors: {rounds[-1].errors}")
