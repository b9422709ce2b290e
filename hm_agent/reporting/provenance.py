"""What was run: versions, bots, models, flags and seeds, from the results' own account."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Condition, place_of
from hm_agent.reporting.runs import Runs, stage_of
from hm_agent.reporting.wording import number


@dataclass(frozen=True)
class Fact:
    """Something that holds for a run, or for parts of it: each value in words."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Seeds:
    """The seeds that were played on a scenario."""

    scenario: str
    about: str
    seeds: tuple[int, ...]


def what_was_run(runs: Runs) -> list[Fact]:
    """All but the seeds; what was not the same for all episodes comes with how many had it."""
    results = runs.results
    facts = [
        Fact("folders", tuple(map(str, runs.folders))),
        Fact("episodes", _shares(results, [result.ending for result in results])),
        Fact("agents", _agents(results)),
        Fact("model", _shares(results, [result.model for result in results])),
        Fact("bots", _shares(results, [result.bots for result in results])),
        Fact("base seed", _shares(results, [_word(result.settings.get("seed", "unknown")) for result in results])),
    ]
    facts += [Fact(f"--{name}", said) for name, said in _settings(results)]
    facts += [Fact(name, said) for name, said in _versions(results)]
    return [*facts, Fact("time played", (_duration(sum(result.wall_seconds for result in results)),))]


def seeds_played(runs: Runs) -> list[Seeds]:
    """By scenario, in order."""
    found: dict[str, set[int]] = {}
    for result in sorted(runs.results, key=lambda result: stage_of(result.scenario).place):
        found.setdefault(result.scenario, set()).add(result.seed)
    stages = {name: stage_of(name) for name in found}
    return [Seeds(stages[name].short_name, stages[name].about, tuple(sorted(some))) for name, some in found.items()]


def _agents(results: Sequence[Result]) -> tuple[str, ...]:
    return _shares(results, [one.agent for one in sorted(map(Condition.of, results), key=place_of)])


def _settings(results: Sequence[Result]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The flags that were set anywhere."""
    flags = sorted({flag for result in results for flag in result.settings if flag != "seed"})
    for flag in flags:
        values = [result.settings.get(flag) for result in results]
        if any(value is not None for value in values):
            yield flag, _shares(results, list(map(_word, values)))


def _versions(results: Sequence[Result]) -> Iterable[tuple[str, tuple[str, ...]]]:
    for package in sorted({package for result in results for package in result.versions}):
        yield package, _shares(results, [result.versions.get(package, "unknown") for result in results])


def _word(value: object) -> str:
    return "not set" if value is None else str(value)


def _shares(results: Sequence[Result], values: Sequence[str]) -> tuple[str, ...]:
    """Each value once; with how many episodes had it, where there are several."""
    counts = Counter(values)
    if len(counts) == 1:
        return tuple(counts)
    return tuple(f"{value} ({count} of {len(results)})" for value, count in counts.items())


def _duration(seconds: float) -> str:
    return f"{number(seconds, 0)} s" if seconds < 600 else f"{number(seconds / 60, 0)} min"
