"""What the live page shows of a folder of runs, in JSON types: counts, usage, groups, running and ended episodes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hm_agent.catalogue.registry import scenario_named
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import per_capita
from hm_agent.questions import Usage
from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, Result
from hm_agent.reporting.conditions import scenario_of
from hm_agent.reporting.runs import scenario_order
from hm_agent.storage.files import path_in_words
from hm_agent.watching.run_folder import LINE, EndedEpisode, RunFolder, RunningEpisode

LATEST = 30
"""How many running episodes, and how many of those that ended last, are listed."""
STATES = ("finished", "failed", "cut", "running")
"""What can be said of an episode (`Result.outcome`), or that it is still played."""
SHOWN_FILES = {"replay.html": "replay", FILE: "result", UNFINISHED: "result", trace.FILE: "trace"}
"""The files of an episode that the page links to."""


class Watcher:
    """Looks at a folder of runs again and again."""

    def __init__(self, out: Path) -> None:
        self._runs = RunFolder(out)
        self.folders: dict[str, Path] = {}
        """The folders of all episodes that were seen, by their path below the run's folder."""

    def look(self) -> dict[str, Any]:
        """Returns the state of the folder, in JSON types."""
        state = self._runs.read()
        ended = sorted(state.ended, key=lambda episode: episode.when, reverse=True)
        self.folders |= {self._place(folder): folder for folder in (*state.running, *(one.folder for one in ended))}
        return {
            "out": path_in_words(self._runs.out),
            "planned": self._runs.planned(),
            "counts": _counts(ended, state.running),
            "unreadable": state.unreadable,
            "usage": _usage([episode.result for episode in ended], state.running),
            "groups": _groups(ended, state.running),
            "running": self._shown_running(state.running),
            "ended": [self._shown_ended(episode) for episode in ended[:LATEST]],
        }

    def _shown_running(self, running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
        now = time.time()
        newest = sorted(running, key=lambda folder: running[folder].when, reverse=True)[:LATEST]
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
                "silent": max(0, round(now - episode.when)),
                "links": self._links(folder),
            }
            for folder, episode in ((folder, running[folder]) for folder in newest)
        ]

    def _shown_ended(self, episode: EndedEpisode) -> dict[str, Any]:
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
            "value": result.metric(scenario_of(result).metric.name),
            "calls": result.model_calls,
            "cost": result.usage.paid,
            "links": self._links(episode.folder),
        }

    def _links(self, folder: Path) -> list[dict[str, str]]:
        place = self._place(folder)
        return [
            {"name": word, "file": name, "place": place}
            for name, word in SHOWN_FILES.items()
            if (folder / name).is_file()
        ]

    def _place(self, folder: Path) -> str:
        return "/".join(folder.relative_to(self._runs.out).parts)


def _counts(ended: Iterable[EndedEpisode], running: Mapping[Path, RunningEpisode]) -> dict[str, int]:
    """The number of finished, failed, cut and running episodes."""
    counts = Counter(episode.result.outcome for episode in ended)
    counts["running"] = len(running)
    return {state: counts[state] for state in STATES}


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


def _groups(ended: Sequence[EndedEpisode], running: Mapping[Path, RunningEpisode]) -> list[dict[str, Any]]:
    """Counts episodes by status for each scenario, agent and model, with the mean of the scenario's metric so far."""
    groups: dict[tuple[ScenarioInfo, str, str], dict[str, Any]] = {}

    def group_of(scenario: ScenarioInfo, agent: str, model: str) -> dict[str, Any]:
        empty = {"scenario": scenario.short_name, "agent": agent, "model": model, **dict.fromkeys(STATES, 0)}
        return groups.setdefault((scenario, agent, model), empty | {"values": [], "unit": scenario.metric.unit})

    names = {}
    for episode in ended:
        result = episode.result
        names[episode.folder.parent] = result.scenario, result.agent, result.model
        scenario = scenario_of(result)
        group = group_of(scenario, result.agent, result.model)
        group[result.outcome] += 1
        if result.is_finished and (value := result.metric(scenario.metric.name)) is not None:
            group["values"].append(value)
    for folder, live in running.items():
        # A folder's name may differ from the names in its results, e.g. of a model with a slash.
        name, agent, model = names.get(folder.parent, (live.scenario, live.agent, live.model))
        group_of(scenario_named(name), agent, model)["running"] += 1
    for group in groups.values():
        values = group.pop("values")
        group["mean"] = sum(values) / len(values) if values else None

    def order(key: tuple[ScenarioInfo, str, str]) -> tuple[object, ...]:
        scenario, agent, model = key
        return scenario_order(scenario.name), agent, model, scenario.metric.unit

    return [groups[key] for key in sorted(groups, key=order)]


def _short(scenario: str) -> str:
    return scenario_named(scenario).short_name
