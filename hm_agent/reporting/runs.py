"""Reads the results of episodes from the folders of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from hm_agent.catalogue.registry import scenario_place, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, Result, read_result, result_files
from hm_agent.reporting.conditions import Condition, IdleParameters, scenario_of
from hm_agent.wording import listed

FILES = (FILE, UNFINISHED, trace.FILE, "video.mp4", "episode.gif", "replay.html")
"""The names of the files that an episode's folder may have."""


@dataclass(frozen=True)
class RecordedEpisode:
    """The result of an episode and the folder that holds its files."""

    result: Result
    folder: Path

    @property
    def agent(self) -> str:
        return self.result.agent

    @property
    def model(self) -> str:
        return self.result.model

    @property
    def status(self) -> str:
        return self.result.status

    @property
    def reward(self) -> float:
        return self.result.reward

    @property
    def scenario(self) -> ScenarioInfo:
        return scenario_of(self.result)

    @property
    def files(self) -> tuple[Path, ...]:
        """The `FILES` that exist."""
        return tuple(path for name in FILES if (path := self.folder / name).is_file())

    def has_same_outcome(self, other: RecordedEpisode) -> bool:
        """True if status, steps, reward, background, and the metrics that both records have are the same."""
        first, second = self.result, other.result
        common = first.metrics.keys() & second.metrics.keys()
        return all(
            getattr(first, name) == getattr(second, name) for name in ("status", "steps", "reward", "background")
        ) and all(first.metrics[name] == second.metrics[name] for name in common)


@dataclass(frozen=True)
class Runs:
    """All episodes of some folders, each once.

    counts_unanswered: False if episodes with too many unanswered questions are marked as no result (`Result.judged`).
    unreadable: files that are not results of today's format. repeated: the number of further records of episodes with
    the same outcome. contradicted: further records with another outcome than the one that counts.
    """

    folders: tuple[Path, ...]
    episodes: tuple[RecordedEpisode, ...] = ()
    unreadable: tuple[Path, ...] = ()
    repeated: int = 0
    contradicted: tuple[RecordedEpisode, ...] = ()
    counts_unanswered: bool = False

    @property
    def results(self) -> list[Result]:
        return [episode.result for episode in self.episodes]

    def of(self, scenarios: Sequence[str], agents: Sequence[str]) -> Runs:
        """The episodes that match names or globs, an empty list matching all; ConfigError if no episode matches."""
        episodes = [e for e in self.episodes if _matches((e.scenario.short_name, e.scenario.name), scenarios)]
        episodes = [e for e in episodes if _matches((e.result.agent,), agents)]
        if not episodes:
            filters = f" of --scenario={','.join(scenarios)}" if scenarios else ""
            filters += f" of --agent={','.join(agents)}" if agents else ""
            raise ConfigError(
                f"no episode{filters} in {', '.join(map(str, self.folders))}: play some first, or see --out"
            )
        return replace(self, episodes=tuple(episodes))


def _matches(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def read_runs(folders: Sequence[Path], *, counts_unanswered: bool = False) -> Runs:
    """Reads all results in the folders; ConfigError if a folder does not exist.

    An episode that was recorded several times counts once: by a record that is finished, if any is, and by the one in
    the folder named first among these. counts_unanswered: as in `Runs`.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"--out={folder}: no such folder")
    paths = dict.fromkeys(path for folder in folders for path in result_files(folder))
    read = {path: read_result(path) for path in paths}
    records = [
        RecordedEpisode(result if counts_unanswered else result.judged, path.parent)
        for path, result in read.items()
        if result is not None
    ]
    unreadable = tuple(path for path, result in read.items() if result is None)
    return replace(_without_repetitions(tuple(folders), records, unreadable), counts_unanswered=counts_unanswered)


def _without_repetitions(
    folders: tuple[Path, ...], records: Iterable[RecordedEpisode], unreadable: tuple[Path, ...]
) -> Runs:
    idle, by_identity = IdleParameters(), dict[object, RecordedEpisode]()
    repetitions: list[tuple[object, RecordedEpisode]] = []
    for episode in sorted(records, key=lambda record: not record.result.is_finished):
        key = identity(episode.result, idle)
        if by_identity.setdefault(key, episode) is not episode:
            repetitions.append((key, episode))
    contradicted = tuple(episode for key, episode in repetitions if not episode.has_same_outcome(by_identity[key]))
    ordered = sorted(by_identity.values(), key=lambda episode: result_order(episode.result))
    return Runs(folders, tuple(ordered), unreadable, len(repetitions) - len(contradicted), contradicted)


def worlds_of(runs: Runs) -> str:
    """The titles of the worlds that were played: `Melting Pot and SymmToM`; `Runs` if none was."""
    return listed(list(map(world_title, dict.fromkeys(result.world for result in runs.results)))) or "Runs"


def world_title(name: str) -> str:
    """A world's title; its name where it is not installed."""
    return suites()[name].title if name in suites() else name


def identity(result: Result, idle: IdleParameters) -> tuple[str, Condition, int]:
    """The key that two records of the same episode share."""
    return result.scenario, Condition.of(result).without_effect_of(idle.of(result)), result.seed


def result_order(result: Result) -> tuple[int, int, str, str, str, int, int]:
    """The key that sorts results by scenario, agent, model and episode."""
    return *scenario_order(result.scenario), result.agent, result.model, result.episode, result.seed


def scenario_order(name: str) -> tuple[int, int, str]:
    """The key that sorts the full names of scenarios as the registry does, unknown ones last."""
    return *scenario_place(name), name
