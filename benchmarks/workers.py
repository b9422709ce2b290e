"""How much sixteen workers get done while an endpoint takes its time, against one."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from hm_agent.testing.commands import call, outcomes
from hm_agent.testing.endpoint import Endpoint, Response
from hm_agent.testing.melting_pot import text_player

LATENCY = 0.2
CREW = 16
TARGET = 8.0
STEPS = 1000
SCENARIO = "rws_repeated_1"


class Meter:
    """Answers, and keeps the times of its answers."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self._lock = Lock()

    def answer(self, body: dict[str, Any]) -> Response:
        response = text_player.answer(body)
        with self._lock:
            self.times.append(time.perf_counter())
        return response


@dataclass(frozen=True)
class Pace:
    """What was done in how many seconds, from the command's start to its end.

    calls_per_second: between the first and the last, which leaves out what takes as long for one as for hundreds.
    """

    workers: int
    episodes: int
    calls: int
    seconds: float
    calls_per_second: float

    @property
    def episodes_per_second(self) -> float:
        return self.episodes / self.seconds


def pace(workers: int, episodes: int) -> Pace:
    """Plays by the whole command, with an empty cache for none."""
    meter = Meter()
    with TemporaryDirectory() as folder, Endpoint(meter.answer, delay=LATENCY) as server:
        out = Path(folder) / "out"
        flags = [f"--scenario={SCENARIO}", f"--episodes={episodes}", f"--max_steps={STEPS}", "--bots=scripted"]
        flags += [f"--workers={workers}", "--model=loopback", f"--base_url={server.base_url}", f"--out={out}"]
        started = time.perf_counter()
        status, _, errors = call(str(out), *flags)
        seconds = time.perf_counter() - started
        assert status == 0, errors
        assert len(outcomes(out)) == 2 * episodes
    between = meter.times[-1] - meter.times[0]
    return Pace(workers, episodes, len(meter.times), seconds, (len(meter.times) - 1) / between)


def main() -> None:
    alone, crew = pace(1, 2), pace(CREW, 3 * CREW)
    print(f"{SCENARIO}, {STEPS} steps, {1000 * LATENCY:g} ms for each answer.\n")
    print("| workers | episodes | calls | seconds | episodes/s | calls/s |\n| --- | --- | --- | --- | --- | --- |")
    for one in (alone, crew):
        rates = f"{one.episodes_per_second:.3f} | {one.calls_per_second:.2f}"
        print(f"| {one.workers} | {one.episodes} | {one.calls} | {one.seconds:.1f} | {rates} |")
    ratio = crew.episodes_per_second / alone.episodes_per_second
    print(f"\n{ratio:.1f} times the episodes a second (target: {TARGET:g})")
    print(f"{crew.calls_per_second / alone.calls_per_second:.1f} times the calls a second")
    if ratio < TARGET:
        sys.exit(f"the target of {TARGET:g} is missed")
