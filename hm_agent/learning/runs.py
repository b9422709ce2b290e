"""What commands that train share: runs in a process of their own, and their progress in a line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.process.workers import calls_in_workers
from hm_agent.storage.files import write_whole


class TrainingFailed(RuntimeError):
    """Training can't go on, e.g. since a loss is not finite; what it saved before is kept."""


def seeds_in(given: Sequence[str], below: int) -> list[int]:
    """The seeds that a flag names, each once; raises ConfigError for what is none, or not below the limit."""
    if not given or not all(seed.isdecimal() and int(seed) < below for seed in given):
        raise ConfigError(f"--seeds={','.join(given)}: seeds are whole numbers below {below}, with commas")
    return list(dict.fromkeys(map(int, given)))


def train_all(train: Callable[..., str], calls: Iterable[tuple[Any, ...]], after: Callable[[], object]) -> int:
    """Trains runs one after the other, prints the line that each returns, and calls `after`; returns the exit status.

    They are trained in a process of its own, which Ctrl-C ends at once; while JAX compiles, it would see no signal.
    """
    try:
        with calls_in_workers(1, train, calls) as trained:
            for run in trained:
                print(run.result())
                after()
    except TrainingFailed as error:
        problem = str(error)
    except BrokenProcessPool:
        problem = "the process that trains was killed, perhaps for want of memory; the same command goes on"
    else:
        return 0
    print(f"\nhm-agent train: {problem}", file=sys.stderr)
    return 1


def kept_json(path: Path, measure: Callable[[], dict[str, Any]], asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a JSON file says; unless it is one that says what is `asked`, writes and returns what `measure` returns."""
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text("utf-8"))
        if isinstance(found, dict) and asked.items() <= found.items():
            return found
    measured = measure()
    write_whole(path, json.dumps(measured, indent=2) + "\n")
    return measured


class ProgressLine:
    """Shows the progress of one run: by one line that changes in a terminal, else by a line every 30 seconds.

    unit: of what is played, e.g. `episodes`.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._started, self._shown, self._first = time.monotonic(), -60.0, 0

    def show(
        self, name: str, updates: int, of: int, size: int, rewards: Sequence[float], best: float, more: str = ""
    ) -> None:
        """Shows a run after an update, if the line before is old enough, or the update is the last.

        updates, of: those done, and all. size: the units that each plays. rewards: of the latest updates. best: of a
        checkpoint; infinite without one. more: what else there is to say.
        """
        now = time.monotonic()
        self._first = self._first or updates
        if now - self._shown < (0.2 if sys.stderr.isatty() else 30.0) and updates < of:
            return
        self._shown = now
        left = (now - self._started) / (updates - self._first + 1) * (of - updates)
        judged = f"best {best:.1f}, " if isfinite(best) else ""
        line = (
            f"{name}: {updates * size:,} of {of * size:,} {self._unit}, reward {sum(rewards) / len(rewards):.1f}, "
            f"{judged}{more}{left:.0f} s left"
        )
        print(
            f"\r{line:<110}" if sys.stderr.isatty() else line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr
        )

    def end(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)
