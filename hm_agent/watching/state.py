"""What a folder of runs holds right now, from results and traces alone: finished, failed and running episodes."""

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
"""The file in which a run tells how many episodes it is to have."""
LATEST = 30
"""How many episodes that ended last, and how many that run, are shown one by one."""
READ_AT_ONCE = 8_000_000
"""How many bytes of a trace are read for one look at it; the rest waits for the next."""
LINE = 200
"""How many characters of a trace's latest event are shown."""
SHOWN_FILES = {"replay.html": "replay", FILE: "result", UNFINISHED: "result", trace.FILE: "trace"}
"""The files of an episode that the page links to."""


@dataclass
class RunningEpisode:
    """An episode without a result, as far as its trace tells. scenario: its full name.

    step: how many steps it has taken. rewards: the sum so far by seat. latest: its last event in words, with the step's
    number in the trace. cost: None if a call has no price.
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
    _read: int = 0

    def read_on(self, path: Path) -> None:
        """Takes in the whole lines that were written since the last look."""
        with path.open("rb") as file:
            file.seek(self._read)
            new = file.read(READ_AT_ONCE)
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            try:
                said = json.loads(line)
                if "step" in said:
                    self._take(said)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # a line that is none of ours says nothing

    def _take(self, said: Mapping[str, Any]) -> None:
        seat, reward = str(said["seat"]), float(said["reward"])
        self.step = int(said["step"]) + 1
        self.rewards[seat] = self.rewards.get(seat, 0.0) + reward
        for event in said.get("events", ()):
            self.latest = f"step {said['step']}, {seat}: {event['words']}"[:LINE]
        for question in said.get("questions", ()):
            self.questions += 1
            for call in question.get("calls", ()):
                self.calls += 1
                price = call.get("cost")
                self.cost = None if price is None or self.cost is None else self.cost + float(price)


@dataclass(frozen=True)
class _Ended:
    """An episode with a result. when: in seconds, as its file says."""

    folder: Path
    result: Result
    when: float


class Watcher:
    """Looks at a folder of runs again and again; what has ended is read once."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._ended: dict[Path, tuple[tuple[int, int], Result | None]] = {}
        self._running: dict[Path, RunningEpisode] = {}
        self.folders: dict[str, Path] = {}
        """The folders of all episodes that were seen, by their place in the run's folder."""

    def look(self) -> dict[str, Any]:
        """The state of the folder, in a form that JSON knows."""
        ended, running, unreadable = self._read_folders()
        ended.sort(key=lambda one: one.when, reverse=True)
        return {
            "out": path_in_words(self._out),
            "planned": _planned(self._out),
            "counts": _counts(ended, running),
            "unreadable": unreadable,
            "usage": _usage([one.result for one in ended], running),
            "groups": _groups(ended, running),
            "running": self._shown_running(running),
            "ended": [self._shown(one) for one in ended[:LATEST]],
        }

    def _read_folders(self) -> tuple[list[_Ended], dict[Path, RunningEpisode], int]:
        ended, running, unreadable = [], {}, 0
        for folder in sorted(self._out.glob("*/*/*/episode-*")):
            self.folders[_place(folder, self._out)] = folder
            found = next((path for name in (FILE, UNFINISHED) if (path := folder / name).is_file()), None)
            if found is None:
                if (folder / trace.FILE).is_file():
                    running[folder] = self._read_running(folder)
                continue
            self._running.pop(folder, None)
            told = found.stat()
            stamp = (told.st_mtime_ns, told.st_size)
            if self._ended.get(found, (None, None))[0] != stamp:
                self._ended[found] = (stamp, read_result(found))
            result = self._ended[found][1]
            if result is None:
                unreadable += 1
            else:
                ended.append(_Ended(folder, result.judged, told.st_mtime))
        return ended, running, unreadable

    def _read_running(self, folder: Path) -> RunningEpisode:
        path = folder / trace.FILE
        known = self._running.get(folder)
        if known is None or path.stat().st_size < known._read:  # it has begun anew
            scenario, agent, model, episode = folder.relative_to(self._out).parts
            known = self._running[folder] = RunningEpisode(scenario, agent, model, episode)
        known.read_on(path)
        return known

    def _shown_running(self, running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
        now = time.time()
        written = {folder: (folder / trace.FILE).stat().st_mtime for folder in running}
        newest = sorted(running, key=lambda folder: written[folder], reverse=True)[:LATEST]
        return [
            {
                "scenario": _short(one.scenario),
                "agent": one.agent,
                "model": one.model,
                "episode": one.episode.removeprefix("episode-"),
                "step": one.step,
                "reward": per_capita(one.rewards.values()) if one.rewards else 0.0,
                "questions": one.questions,
                "calls": one.calls,
                "cost": one.cost,
                "latest": one.latest,
                "silent": max(0, round(now - written[folder])),
                "links": self._links(folder),
            }
            for folder, one in ((folder, running[folder]) for folder in newest)
        ]

    def _shown(self, one: _Ended) -> dict[str, Any]:
        result = one.result
        return {
            "scenario": _short(result.scenario),
            "agent": result.agent,
            "model": result.model,
            "episode": result.episode,
            "status": result.ending,
            "is_finished": result.is_finished,
            "reason": " ".join((result.status.partition(": ")[2] or result.reason).split())[:LINE],
            "steps": result.steps,
            "value": _value(result),
            "calls": result.model_calls,
            "cost": result.usage.paid,
            "links": self._links(one.folder),
        }

    def _links(self, folder: Path) -> list[dict[str, str]]:
        place = _place(folder, self._out)
        return [
            {"name": word, "file": name} | {"place": place}
            for name, word in SHOWN_FILES.items()
            if (folder / name).is_file()
        ]


def _place(folder: Path, out: Path) -> str:
    return "/".join(folder.relative_to(out).parts)


def _counts(ended: Iterable[_Ended], running: Mapping[Path, RunningEpisode]) -> dict[str, int]:
    """The number of episodes by how they stand."""
    counts = {"finished": 0, "failed": 0, "cut": 0, "running": len(running)}
    for one in ended:
        counts[_standing(one.result)] += 1
    return counts


def _standing(result: Result) -> str:
    if result.is_finished:
        return "finished"
    return "failed" if result.has_failed else "cut"


def _usage(results: Iterable[Result], running: Mapping[Path, RunningEpisode]) -> dict[str, Any]:
    """What all episodes have used so far; `running` ones count with their calls, their tokens are not known yet."""
    used = sum((result.usage for result in results), Usage())
    live = [one.cost for one in running.values()]
    paid = used.paid
    cost = None if paid is None or None in live else paid + sum(one for one in live if one is not None)
    return {
        "questions": used.questions + sum(one.questions for one in running.values()),
        "unanswered": used.unanswered,
        "calls": used.calls + sum(one.calls for one in running.values()),
        "tokens": None
        if used.input_tokens is None or used.output_tokens is None
        else used.input_tokens + used.output_tokens,
        "cost": cost,
    }


def _groups(ended: Sequence[_Ended], running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
    """How many episodes of each scenario, agent and model stand how, and the mean of the scenario's metric so far."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}

    def of(scenario: str, agent: str, model: str) -> dict[str, Any]:
        empty = {
            "scenario": _short(scenario),
            "agent": agent,
            "model": model,
            "finished": 0,
            "failed": 0,
            "cut": 0,
            "running": 0,
        }
        return found.setdefault(
            (scenario, agent, model), empty | {"values": [], "unit": scenario_named(scenario).metric.unit}
        )

    for one in ended:
        result = one.result
        group = of(result.scenario, result.agent, result.model)
        group[_standing(result)] += 1
        if result.is_finished and (value := _value(result)) is not None:
            group["values"].append(value)
    for live in running.values():
        of(live.scenario, live.agent, live.model)["running"] += 1
    for group in found.values():
        values = group.pop("values")
        group["mean"] = sum(values) / len(values) if values else None
    return [found[key] for key in sorted(found, key=lambda key: (scenario_order(key[0]), *key))]


def _short(scenario: str) -> str:
    return scenario_named(scenario).short_name


def _value(result: Result) -> float | None:
    return result.metric(scenario_named(result.scenario).metric.name)


def _planned(out: Path) -> int | None:
    try:
        said = json.loads(read_regular(out / PLAN))["episodes"]
        return said if isinstance(said, int) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
