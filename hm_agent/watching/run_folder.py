"""Reads a folder of runs again and again while they are played: results, traces, and how many episodes will come."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, Result, read_result
from hm_agent.storage.files import read_regular

PLAN = ".plan.json"
"""The file in which a run records how many episodes its folder will have, those of earlier runs included."""
CHECKED = 1_000
"""How many of the bytes read last are compared with the trace, to notice that it was begun anew."""
READ_AT_ONCE = 8_000_000
"""How many bytes of a trace are read for one look at it; the rest waits for the next."""
LINE = 200
"""How many characters of a trace's latest event, or of the reason for an episode's end, are shown."""


@dataclass
class RunningEpisode:
    """An episode without a result, as far as its trace shows. scenario: its full name.

    step: how many steps it has taken. rewards: the sum so far by seat. latest: its last event in words, with the step's
    number in the trace. cost: of the calls that the cache did not answer, None if one has no price. when: the
    modification time of the trace, in seconds. _position: how many bytes of it have been read; _last_read: the last.
    """

    scenario: str
    agent: str
    model: str
    episode: str
    step: int = 0
    latest: str = ""
    questions: int = 0
    calls: int = 0
    cost: float | None = 0.0
    rewards: dict[str, float] = field(default_factory=dict)
    when: float = 0.0
    _position: int = 0
    _last_read: bytes = b""

    def was_restarted(self, path: Path) -> bool:
        """True if the trace no longer has what was read of it, since the episode is played anew."""
        with path.open("rb") as file:
            file.seek(self._position - len(self._last_read))
            return file.read(len(self._last_read)) != self._last_read

    def read_on(self, path: Path) -> None:
        """Reads the complete lines that were appended to the trace since the last call."""
        with path.open("rb") as file:
            file.seek(self._position)
            new, self.when = file.read(READ_AT_ONCE), os.fstat(file.fileno()).st_mtime
        complete = new[: new.rfind(b"\n") + 1]
        self._position += len(complete)
        self._last_read = (self._last_read + complete)[-CHECKED:]
        for text in complete.splitlines():
            try:
                line = json.loads(text)
                if "step" in line:
                    self._add(line)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
                continue  # lines that are not in the trace's format are ignored

    def _add(self, line: Mapping[str, Any]) -> None:
        seat, reward = str(line["seat"]), float(line["reward"])
        if not isfinite(reward):
            raise ValueError(f"reward {reward}")
        self.step = int(line["step"]) + 1
        self.rewards[seat] = self.rewards.get(seat, 0.0) + reward
        for event in line.get("events", ()):
            self.latest = f"step {line['step']}, {seat}: {event['words']}"[:LINE]
        for question in line.get("questions", ()):
            self.questions += 1
            for call in question.get("calls", ()):
                self.calls += 1
                price = 0.0 if call.get("cached") else call.get("cost")
                self.cost = None if price is None or self.cost is None else self.cost + float(price)


@dataclass(frozen=True)
class EndedEpisode:
    """An episode with a result. when: the modification time of its result file, in seconds."""

    folder: Path
    result: Result
    when: float


@dataclass(frozen=True)
class FolderState:
    """All episodes of a folder. running: by folder. unreadable: how many results can't be read."""

    ended: Sequence[EndedEpisode]
    running: Mapping[Path, RunningEpisode]
    unreadable: int


class RunFolder:
    """A folder of runs; a result is read again only if its file has changed, and of a trace only what is new."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._ended: dict[Path, tuple[tuple[int, int], Result | None]] = {}
        self._running: dict[Path, RunningEpisode] = {}

    def read(self) -> FolderState:
        ended, running, unreadable = [], {}, 0
        for folder in sorted(self.out.glob("*/*/*/episode-*")):
            file = next((path for name in (FILE, UNFINISHED) if (path := folder / name).is_file()), None)
            with suppress(FileNotFoundError):  # an episode that is to be played anew has just lost its files
                if file is not None:
                    self._running.pop(folder, None)
                    episode = self._read_ended(folder, file)
                    unreadable += episode is None
                    ended += [episode] if episode else []
                elif (folder / trace.FILE).is_file():
                    running[folder] = self._read_running(folder)
        return FolderState(ended, running, unreadable)

    def _read_ended(self, folder: Path, file: Path) -> EndedEpisode | None:
        status = file.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        if self._ended.get(file, (None, None))[0] != stamp:
            self._ended[file] = (stamp, read_result(file))
        result = self._ended[file][1]
        return EndedEpisode(folder, result.judged, status.st_mtime) if result else None

    def _read_running(self, folder: Path) -> RunningEpisode:
        path = folder / trace.FILE
        running = self._running.get(folder)
        if running is None or running.was_restarted(path):
            scenario, agent, model, episode = folder.relative_to(self.out).parts
            running = self._running[folder] = RunningEpisode(scenario, agent, model, episode)
        running.read_on(path)
        return running

    def planned(self) -> int | None:
        """Returns the number of episodes that the folder will have; None if it is not known."""
        try:
            episodes = json.loads(read_regular(self.out / PLAN))["episodes"]
            return episodes if isinstance(episodes, int) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
