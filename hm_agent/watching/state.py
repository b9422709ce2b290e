"""The current state of a folder of runs, read from results and traces: finished, failed and running episodes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hm_agent.core import per_capita
from hm_agent.files import path_in_words, read_regular
from hm_agent.questions import Usage
from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, Result, read_result
from hm_agent.registry import scenario_named
from hm_agent.reporting.runs import scenario_order

PLAN = ".plan.json"
"""The file in which a run records how many episodes its folder will have, those of earlier runs included."""
LATEST = 30
"""How many running episodes, and how many of those that ended last, are listed."""
CHECKED = 1_000
"""How many of the bytes read last are compared with the trace, to notice that it was begun anew."""
READ_AT_ONCE = 8_000_000
"""How many bytes of a trace are read for one look at it; the rest waits for the next."""
LINE = 200
"""How many characters of a trace's latest event are shown."""
SHOWN_FILES = {"replay.html": "replay", FILE: "result", UNFINISHED: "result", trace.FILE: "trace"}
"""The files of an episode that the page links to."""


@dataclass
class RunningEpisode:
    """An episode without a result, as far as its trace shows. scenario: its full name.

    step: how many steps it has taken. rewards: the sum so far by seat. latest: its last event in words, with the step's
    number in the trace. cost: of the calls that the cache did not answer, None if one has no price. _position: how many
    bytes of the trace have been read; _last_read: the last of them.
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
            new = file.read(READ_AT_ONCE)
        complete = new[: new.rfind(b"\n") + 1]
        self._position += len(complete)
        self._last_read = (self._last_read + complete)[-CHECKED:]
        for text in complete.splitlines():
            try:
                line = json.loads(text)
                if "step" in line:
                    self._add(line)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # lines that are not in the trace's format are ignored

    def _add(self, line: Mapping[str, Any]) -> None:
        seat, reward = str(line["seat"]), float(line["reward"])
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
class _Ended:
    """An episode with a result. when: the modification time of its result file, in seconds."""

    folder: Path
    result: Result
    when: float


class Watcher:
    """Reads the state of a folder of runs again and again; a result is read again only if its file has changed."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._ended: dict[Path, tuple[tuple[int, int], Result | None]] = {}
        self._running: dict[Path, RunningEpisode] = {}
        self.folders: dict[str, Path] = {}
        """The folders of all episodes that were seen, by their path below the run's folder."""

    def look(self) -> dict[str, Any]:
        """The state of the folder, in JSON types."""
        ended, running, unreadable = self._read_folders()
        ended.sort(key=lambda episode: episode.when, reverse=True)
        return {
            "out": path_in_words(self._out),
            "planned": _planned(self._out),
            "counts": _counts(ended, running),
            "unreadable": unreadable,
            "usage": _usage([episode.result for episode in ended], running),
            "groups": _groups(ended, running),
            "running": self._shown_running(running),
            "ended": [self._shown_ended(episode) for episode in ended[:LATEST]],
        }

    def _read_folders(self) -> tuple[list[_Ended], dict[Path, RunningEpisode], int]:
        ended, running, unreadable = [], {}, 0
        for folder in sorted(self._out.glob("*/*/*/episode-*")):
            self.folders[_place(folder, self._out)] = folder
            file = next((path for name in (FILE, UNFINISHED) if (path := folder / name).is_file()), None)
            if file is None:
                if (folder / trace.FILE).is_file():
                    running[folder] = self._read_running(folder)
                continue
            self._running.pop(folder, None)
            status = file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._ended.get(file, (None, None))[0] != stamp:
                self._ended[file] = (stamp, read_result(file))
            result = self._ended[file][1]
            if result is None:
                unreadable += 1
            else:
                ended.append(_Ended(folder, result.judged, status.st_mtime))
        return ended, running, unreadable

    def _read_running(self, folder: Path) -> RunningEpisode:
        path = folder / trace.FILE
        running = self._running.get(folder)
        if running is None or running.was_restarted(path):
            scenario, agent, model, episode = folder.relative_to(self._out).parts
            running = self._running[folder] = RunningEpisode(scenario, agent, model, episode)
        running.read_on(path)
        return running

    def _shown_running(self, running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
        now = time.time()
        written = {folder: (folder / trace.FILE).stat().st_mtime for folder in running}
        newest = sorted(running, key=lambda folder: written[folder], reverse=True)[:LATEST]
        return [
            {
                "scenario": _short(episode.scenario),
                "agent": episode.agent,
                "model": episode.model,
                "episode": episode.episode.removeprefix("episode-"),
                "step": episode.step,
                "reward": per_capita(episode.rewards.values()) if episode.rewards else 0.0,
                "questions": episode.questions,
                "calls": episode.calls,
                "cost": episode.cost,
                "latest": episode.latest,
                "silent": max(0, round(now - written[folder])),
                "links": self._links(folder),
            }
            for folder, episode in ((folder, running[folder]) for folder in newest)
        ]

    def _shown_ended(self, episode: _Ended) -> dict[str, Any]:
        result = episode.result
        return {
            "scenario": _short(result.scenario),
            "agent": result.agent,
            "model": result.model,
            "episode": result.episode,
            "status": result.ending,
            "is_finished": result.is_finished,
            "reason": result.short_reason[:LINE],
            "steps": result.steps,
            "value": _value(result),
            "calls": result.model_calls,
            "cost": result.usage.paid,
            "links": self._links(episode.folder),
        }

    def _links(self, folder: Path) -> list[dict[str, str]]:
        place = _place(folder, self._out)
        return [
            {"name": word, "file": name, "place": place}
            for name, word in SHOWN_FILES.items()
            if (folder / name).is_file()
        ]


def _place(folder: Path, out: Path) -> str:
    return "/".join(folder.relative_to(out).parts)


def _counts(ended: Iterable[_Ended], running: Mapping[Path, RunningEpisode]) -> dict[str, int]:
    """The number of finished, failed, cut and running episodes."""
    counts = {"finished": 0, "failed": 0, "cut": 0, "running": len(running)}
    for episode in ended:
        counts[episode.result.outcome] += 1
    return counts


def _usage(results: Iterable[Result], running: Mapping[Path, RunningEpisode]) -> dict[str, Any]:
    """The usage of all episodes so far; of running ones, tokens and unanswered questions are not known yet."""
    used = sum((result.usage for result in results), Usage())
    live = [episode.cost for episode in running.values()]
    paid = used.paid
    cost = None if paid is None or None in live else paid + sum(cost for cost in live if cost is not None)
    return {
        "questions": used.questions + sum(episode.questions for episode in running.values()),
        "unanswered": used.unanswered,
        "calls": used.calls + sum(episode.calls for episode in running.values()),
        "tokens": None
        if used.input_tokens is None or used.output_tokens is None
        else used.input_tokens + used.output_tokens,
        "cost": cost,
    }


def _groups(ended: Sequence[_Ended], running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
    """Counts episodes by status for each scenario, agent and model, with the mean of the scenario's metric so far."""
    groups: dict[tuple[str, str, str], dict[str, Any]] = {}

    def group_of(scenario: str, agent: str, model: str) -> dict[str, Any]:
        empty = {
            "scenario": _short(scenario),
            "agent": agent,
            "model": model,
            "finished": 0,
            "failed": 0,
            "cut": 0,
            "running": 0,
        }
        return groups.setdefault(
            (scenario, agent, model), empty | {"values": [], "unit": scenario_named(scenario).metric.unit}
        )

    names = {}
    for episode in ended:
        result = episode.result
        names[episode.folder.parent] = result.scenario, result.agent, result.model
        group = group_of(result.scenario, result.agent, result.model)
        group[result.outcome] += 1
        if result.is_finished and (value := _value(result)) is not None:
            group["values"].append(value)
    for folder, live in running.items():
        # A folder's name may differ from the names in its results, e.g. of a model with a slash.
        group_of(*names.get(folder.parent, (live.scenario, live.agent, live.model)))["running"] += 1
    for group in groups.values():
        values = group.pop("values")
        group["mean"] = sum(values) / len(values) if values else None
    return [groups[key] for key in sorted(groups, key=lambda key: (scenario_order(key[0]), *key))]


def _short(scenario: str) -> str:
    return scenario_named(scenario).short_name


def _value(result: Result) -> float | None:
    return result.metric(scenario_named(result.scenario).metric.name)


def _planned(out: Path) -> int | None:
    """The number of episodes that the run will have; None if it is not known."""
    try:
        episodes = json.loads(read_regular(out / PLAN))["episodes"]
        return episodes if isinstance(episodes, int) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
