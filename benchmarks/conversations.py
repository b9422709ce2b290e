"""Two processes play 200 episodes at the same time, with an endpoint that takes a second for each answer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from hm_agent.testing.endpoint import Endpoint, Response
from tests.support import schema_player
from tests.support.commands import outcomes, processes, start
from tests.support.melting_pot import text_player

LATENCY = 1.0
EPISODES = 200
WORKERS = 2
TARGET = 0.8
MAX_BYTES = 6_000_000_000
PERIOD = 3.0
"""Seconds between two samples of the memory, which are costly for the kernel."""
COMPARED = 6
"""Episodes that are also played one by one."""
WORLDS: Mapping[str, tuple[list[str], Callable[[Mapping[str, Any]], Response]]] = {
    "exploretom": (["--scenario=exploretom_a4", "--agent=reader", "--max_steps=20"], schema_player.answer),
    # Few random answers that fit the schema are valid in the game.
    "symmtom": (["--scenario=symmtom_w6_n3_c3", "--max_steps=20", "--count_unanswered"], schema_player.answer),
    "melting_pot": (["--scenario=rws_repeated_1", "--max_steps=150", "--bots=scripted"], text_player.answer),
}
"""By world: the flags of its grid, and the function that answers its questions."""


class Counter:
    """Answers requests and keeps the times at which they are answered."""

    def __init__(self, answer: Callable[[Mapping[str, Any]], Response]) -> None:
        self._answer, self._lock = answer, Lock()
        self.times: list[float] = []

    def answer(self, body: dict[str, Any]) -> Response:
        with self._lock:
            self.times.append(time.perf_counter())
        return self._answer(body)


@dataclass(frozen=True)
class Played:
    """The outcomes and costs of one command.

    rate: answers per second in the middle half of the answers. bytes: the most memory of its processes. cpu_seconds: of
    its processes; endpoint_seconds: of the endpoint, which shares their cores.
    """

    outcomes: Mapping[str, object]
    calls: int
    seconds: float
    rate: float
    bytes: int
    cpu_seconds: float
    endpoint_seconds: float


class Watch:
    """The peak memory of a command's processes together (PSS, bytes), and the CPU seconds of all of them."""

    def __init__(self, mark: str) -> None:
        self._mark, self.bytes = mark, 0
        self._seconds: dict[int, float] = {}

    @property
    def cpu_seconds(self) -> float:
        return sum(self._seconds.values())

    def look(self) -> None:
        shares = 0
        for process in processes(self._mark):
            try:
                memory = Path(f"/proc/{process}/smaps_rollup").read_text()
                times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
            except OSError:  # the process has ended
                continue
            shares += 1024 * sum(int(line.split()[1]) for line in memory.splitlines() if line.startswith("Pss:"))
            self._seconds[process] = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        self.bytes = max(self.bytes, shares)


def play(world: str, episodes: int, *how: str) -> Played:
    flags, answer = WORLDS[world]
    counter = Counter(answer)
    with TemporaryDirectory() as folder, Endpoint(counter.answer, delay=LATENCY) as server:
        out = Path(folder) / "out"
        grid = [*flags, f"--episodes={episodes}", *server.flags, f"--out={out}"]
        started, own, watch = time.perf_counter(), time.process_time(), Watch(str(out))
        process = start(str(out), *grid, *how, "--noreplay")
        while process.poll() is None:
            watch.look()
            time.sleep(PERIOD)
        seconds = time.perf_counter() - started
        _, errors = process.communicate()
        assert process.returncode == 0, errors
        played = outcomes(out)
    quarter = len(counter.times) // 4
    between = counter.times[3 * quarter] - counter.times[quarter]
    cpu = watch.cpu_seconds, time.process_time() - own
    return Played(played, len(counter.times), seconds, 2 * quarter / between, watch.bytes, *cpu)


def main() -> None:
    headings = "world | episodes | calls | seconds | calls/s | of 200 open requests | GB | as one by one"
    print(f"| {headings} | CPU s | of the endpoint |")
    print("|" + " --- |" * 10)
    missed = False
    for world in WORLDS:
        many = play(world, EPISODES, f"--workers={WORKERS}", f"--concurrency={EPISODES // WORKERS}")
        few = play(world, COMPARED, "--workers=1", "--concurrency=1")
        same = sum(many.outcomes.get(place) == outcome for place, outcome in few.outcomes.items())
        share = many.rate * LATENCY / EPISODES
        print(
            f"| {world} | {EPISODES} | {many.calls} | {many.seconds:.0f} | {many.rate:.0f} | {share:.0%} "
            f"| {many.bytes / 1e9:.1f} | {same} of {len(few.outcomes)} "
            f"| {many.cpu_seconds:.0f} | {many.endpoint_seconds:.0f} |",
            flush=True,
        )
        missed |= share < TARGET or many.bytes > MAX_BYTES or same < len(few.outcomes)
    if missed:
        sys.exit(f"a target is missed: {TARGET:.0%} of open requests, {MAX_BYTES / 1e9:g} GB, all outcomes alike")
