"""The episodes that lie in the folders of earlier runs, each with where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.recording.result import FILE, UNFINISHED, Result, read_result
from hm_agent.reporting.conditions import Condition
from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.scenarios import all_scenarios

FILES = (FILE, UNFINISHED, "trace.jsonl", "video.mp4", "replay.html")
"""What an episode may have left."""
RESULTS = (FILE, UNFINISHED)
_OUTCOME = ("status", "steps", "reward", "interactions", "background")
"""What is the same whenever the same episode is played again in the same way."""


@dataclass(frozen=True)
class Stage:
    """A scenario as reports need it. paper: (mean, standard error) of the paper's table 1, by agent.

    place: where it stands among all scenarios. is_matrix: whether it is a matrix game.
    """

    name: str
    short_name: str
    game: str
    about: str = ""
    paper: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    place: int = 1_000_000
    is_matrix: bool = False


def stage_of(name: str) -> Stage:
    """The scenario of a full name; one that scenarios/ does not know stands for itself."""
    return _stages().get(name) or Stage(name, name, "Other games")


@cache
def _stages() -> Mapping[str, Stage]:
    return {
        scenario.name: Stage(
            name=scenario.name,
            short_name=scenario.short_name,
            game=scenario.game.title,
            about=scenario.facts.about,
            paper=scenario.facts.paper,
            place=place,
            is_matrix=isinstance(scenario.game, MatrixFacts),
        )
        for place, scenario in enumerate(all_scenarios())
    }


@dataclass(frozen=True)
class Played:
    """One episode and its folder."""

    result: Result
    folder: Path

    @property
    def stage(self) -> Stage:
        return stage_of(self.result.scenario)

    @property
    def files(self) -> tuple[Path, ...]:
        """Those of `FILES` that are there."""
        return tuple(path for name in FILES if (path := self.folder / name).is_file())

    def is_same_outcome(self, other: Played) -> bool:
        return all(getattr(self.result, name) == getattr(other.result, name) for name in _OUTCOME)


@dataclass(frozen=True)
class Runs:
    """All episodes of some folders, each once.

    unreadable: files that are no result that this version knows. repeated: how many episodes were found again with the
    same outcome. contradicted: those found again with another one, which do not count.
    """

    folders: tuple[Path, ...]
    episodes: tuple[Played, ...] = ()
    unreadable: tuple[Path, ...] = ()
    repeated: int = 0
    contradicted: tuple[Played, ...] = ()

    @property
    def results(self) -> list[Result]:
        return [played.result for played in self.episodes]

    def of(self, scenarios: Sequence[str], agents: Sequence[str]) -> Runs:
        """What the names or globs stand for, all where there are none; ConfigError where that is nothing."""
        kept = [p for p in self.episodes if _is_meant((p.stage.short_name, p.stage.name), scenarios)]
        kept = [p for p in kept if _is_meant((p.result.agent,), agents)]
        if not kept:
            asked = f" of --scenario={','.join(scenarios)}" if scenarios else ""
            asked += f" of --agent={','.join(agents)}" if agents else ""
            raise ConfigError(
                f"no episode{asked} in {', '.join(map(str, self.folders))}: play some first, or see --out"
            )
        return Runs(self.folders, tuple(kept), self.unreadable, self.repeated, self.contradicted)


def _is_meant(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def read_runs(folders: Sequence[Path]) -> Runs:
    """All that lies in the folders; ConfigError where there is no such folder.

    An episode that was played twice counts once. Where the two differ, a finished one counts before one that was cut
    short, and else that of the folder named first.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"--out={folder}: no such folder")
    paths = [
        path for folder in folders for name in (FILE, UNFINISHED) for path in sorted(folder.glob(f"*/*/*/*/{name}"))
    ]
    read = {path: read_result(path) for path in dict.fromkeys(paths)}
    found = [Played(result, path.parent) for path, result in read.items() if result is not None]
    unreadable = tuple(path for path, result in read.items() if result is None)
    return _without_repetitions(tuple(folders), found, unreadable)


def _without_repetitions(folders: tuple[Path, ...], found: Iterable[Played], unreadable: tuple[Path, ...]) -> Runs:
    kept: dict[object, Played] = {}
    again: list[tuple[object, Played]] = []
    for played in sorted(found, key=lambda one: not one.result.is_finished):
        key = identity(played.result)
        if kept.setdefault(key, played) is not played:
            again.append((key, played))
    contradicted = tuple(played for key, played in again if not played.is_same_outcome(kept[key]))
    ordered = sorted(kept.values(), key=lambda one: _place(one.result))
    return Runs(folders, tuple(ordered), unreadable, len(again) - len(contradicted), contradicted)


def identity(result: Result) -> tuple[str, Condition, int]:
    """What makes two results the same episode."""
    return result.scenario, Condition.of(result), result.seed


def _place(result: Result) -> tuple[int, str, str, str, int, int]:
    stage = stage_of(result.scenario)
    return stage.place, stage.name, result.agent, result.model, result.episode, result.seed


def by_stage(
    results: Iterable[Result], key: Callable[[Stage], str] = lambda stage: stage.name
) -> dict[str, list[Result]]:
    """Results by scenario, or by another word for it such as its game; in the order of the scenarios."""
    grouped: dict[str, list[Result]] = {}
    for result in sorted(results, key=_place):
        grouped.setdefault(key(stage_of(result.scenario)), []).append(result)
    return grouped
