"""The throughput of sixteen workers compared with that of one, with an endpoint that takes 0.2 s for each answer.

Each worker plays one episode at a time, so that only the number of workers differs.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from hm_agent.testing.endpoint import Endpoint, Response
from tests.support.commands import call, outcomes
from tests.support.melting_pot import text_player

LATENCY = 0.2
WORKERS = 16
TARGET = 8.0
STEPS = 1000
SCENARIO = "rws_repeated_1"


class TimedPlayer:
    """The text player, keeping the times of its answers."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self._lock = Lock()

    def answer(self, body: dict[str, Any]) -> Response:
        response = text_player.answer(body)
        with self._lock:
            self.times.append(time.perf_counter())
        return response


@dataclass(frozen=True)
class Throughput:
    """The work of one command, and its seconds from start to end.

    calls_per_second: between the first answer and the last, which leaves out the fixed cost of starting and ending.
    """

    workers: int
    episodes: int
    calls: int
    seconds: float
    calls_per_second: float

    @property
    def episodes_per_second(self) -> float:
        return self.episodes / self.seconds


def measure(workers: int, episodes: int) -> Throughput:
    """Plays with the whole command."""
    timed = TimedPlayer()
    with TemporaryDirectory() as folder, Endpoint(timed.answer, delay=LATENCY) as server:
        out = Path(folder) / "out"
        flags = [f"--scenario={SCENARIO}", f"--episodes={episodes}", f"--max_steps={STEPS}", "--bots=scripted"]
        flags += [f"--workers={workers}", "--concurrency=1", f"--out={out}"]
        flags += [*server.flags]
        started = time.perf_counter()
        status, _, errors = call(str(out), *flags)
        seconds = time.perf_counter() - started
        assert status == 0, errors
        assert len(outcomes(out)) == 2 * episodes
    between = timed.times[-1] - timed.times[0]
    return Throughput(workers, episodes, len(timed.times), seconds, (len(timed.times) - 1) / between)


def main() -> None:
    single, many = measure(1, 2), measure(WORKERS, 3 * WORKERS)
    print(f"{SCENARIO}, {STEPS} steps, {1000 * LATENCY:g} ms for each answer.\n")
    print("| workers | episodes | calls | seconds | episodes/s | calls/s |\n| --- | --- | --- | --- | --- | --- |")
    for measured in (single, many):
        rates = f"{measured.episodes_per_second:.3f} | {measured.calls_per_second:.2f}"
        print(f"| {measured.workers} | {measured.episodes} | {measured.calls} | {measured.seconds:.1f} | {rates} |")
    ratio = many.episodes_per_second / single.episodes_per_second
    print(f"\n{ratio:.1f} times the episodes a second (target: {TARGET:g})")
    print(f"{many.calls_per_second / single.calls_per_second:.1f} times the calls a second")
    if ratio < TARGET:
        sys.exit(f"the target of {TARGET:g} is missed")
