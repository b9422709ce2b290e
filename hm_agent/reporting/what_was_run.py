"""An account of what was run, as the results record it: folders, agents, models, settings, versions, time and seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hm_agent.catalogue.registry import scenario_named
from hm_agent.questions import Usage
from hm_agent.recording.making import ENDED
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import UNKNOWN, Condition, in_order
from hm_agent.reporting.runs import Runs, result_order
from hm_agent.storage.files import path_in_words
from hm_agent.wording import number, total

TIME = "time played, by the clock"
SUMMED_TIME = "time of the episodes, summed (several may be played at once)"


@dataclass(frozen=True)
class Fact:
    """A property of what was run. values: in words; of several, each with the number of its episodes."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class ScenarioSeeds:
    """The seeds that were played on a scenario."""

    scenario: str
    about: str
    seeds: tuple[int, ...]
    held_out: bool


def what_was_run(runs: Runs) -> list[Fact]:
    """Folders, endings, agents, models, flags, versions, time and usage, as the results record them."""
    results = runs.results
    agents = [condition.agent for condition in in_order(map(Condition.of, results))]
    by_agent = sorted((result.agent for result in results), key=agents.index)
    facts = [
        Fact("folders", tuple(map(path_in_words, runs.folders))),
        Fact("episodes", _shares([result.ending for result in results])),
        Fact("agents", _shares(by_agent)),
        Fact("model", _shares([result.model for result in results])),
        *(
            Fact(name, _shares([result.made.get(name, UNKNOWN) for result in results]))
            for name in ("command", "commit")
            if any(name in result.made for result in results)
        ),
        Fact("base seed", _shares([_word(result.settings.get("seed", UNKNOWN)) for result in results])),
    ]
    for flag in sorted({flag for result in results for flag in result.settings if flag != "seed"}):
        values = [result.settings.get(flag) for result in results]
        if any(value is not None for value in values):
            facts.append(Fact(f"--{flag}", _shares(list(map(_word, values)))))
    packages = sorted({package for result in results for package in result.versions})
    facts += [Fact(name, _shares([result.versions.get(name, UNKNOWN) for result in results])) for name in packages]
    clocked = _clock_seconds(results)
    seconds = sum(result.wall_seconds for result in results) if clocked is None else clocked
    duration = f"{number(seconds, 0)} s" if seconds < 600 else f"{number(seconds / 60, 0)} min"
    used = total(len(results), sum((result.usage for result in results), Usage()))
    return [*facts, Fact(SUMMED_TIME if clocked is None else TIME, (duration,)), Fact("in all", (used,))]


def _clock_seconds(results: Sequence[Result]) -> float | None:
    """The time in which any episode was played, as a clock would tell it; None if older results lack their end."""
    try:
        ends = [(datetime.fromisoformat(result.made[ENDED]).timestamp(), result) for result in results]
    except (KeyError, ValueError):
        return None
    seconds, until = 0.0, float("-inf")
    for begun, ended in sorted((end - result.wall_seconds, end) for end, result in ends):
        seconds += max(0.0, ended - max(begun, until))
        until = max(until, ended)
    return seconds


def seeds_played(runs: Runs) -> list[ScenarioSeeds]:
    """The seeds of each scenario, scenarios in the registry's order."""
    by_name: dict[str, set[int]] = {}
    for result in sorted(runs.results, key=result_order):
        by_name.setdefault(result.scenario, set()).add(result.seed)
    scenarios = ((scenario_named(name), seeds) for name, seeds in by_name.items())
    return [
        ScenarioSeeds(scenario.short_name, scenario.about, tuple(sorted(seeds)), scenario.held_out)
        for scenario, seeds in scenarios
    ]


def _word(value: object) -> str:
    return "not set" if value is None else str(value)


def _shares(values: Sequence[str]) -> tuple[str, ...]:
    """Each value once; with the number of episodes that have it, if there are several values."""
    counts = Counter(values)
    if len(counts) == 1:
        return tuple(counts)
    return tuple(f"{value} ({count} of {len(values)})" for value, count in counts.items())
