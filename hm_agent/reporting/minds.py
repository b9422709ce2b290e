"""Literal and functional Theory of Mind of one model side by side, in every world that the runs have.

Literal: how often what an agent says of other minds is right (`Suite.literal`). Functional: how well it acts on them
(`functional.py`). Both are measured in the same episodes, so that their difference, the gap, is paired. All scenarios
have equal weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.catalogue.suite import Suite
from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.metrics import SHARE, UNBOUNDED, Bounds
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Condition, conditions_of, in_order, is_reference, labels
from hm_agent.reporting.functional import functional_score, share_of_acts
from hm_agent.reporting.notes import unfinished
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.statistics import ClusteredMean, clustered_mean
from hm_agent.reporting.tables import Row, tabulate
from hm_agent.wording import counted, listed


@dataclass(frozen=True)
class EpisodeMinds:
    """The two measures of one episode, None if it lacks one. metric: from the keys of its metrics to these."""

    scenario: str
    literal: float | None
    metric: Callable[[str], float | None]
    functional: float | None

    @property
    def is_measured(self) -> bool:
        return (self.literal, self.functional) != (None, None)

    @property
    def gap(self) -> float | None:
        """Literal minus functional."""
        return None if self.literal is None or self.functional is None else self.literal - self.functional


@dataclass(frozen=True)
class MindRow:
    """The measures of one condition in one world: means and intervals are those of `clustered_mean`.

    label: the condition's name among those of the world.
    """

    suite: Suite
    condition: Condition
    label: str
    scenarios: int
    episodes: int
    literal: ClusteredMean | None
    base_rate: float | None
    functional: ClusteredMean | None
    gap: ClusteredMean | None


@dataclass(frozen=True)
class MindStudy:
    """The content of the study: a row for each world and condition, sorted by world.

    left_out: sentences on the conditions that have no row in a world that they played, and why, and on episodes that
    are in no mean.
    """

    rows: tuple[MindRow, ...]
    left_out: tuple[str, ...] = ()

    @property
    def suites(self) -> list[Suite]:
        return list(dict.fromkeys(row.suite for row in self.rows))

    def of(self, suite: Suite) -> list[MindRow]:
        return [row for row in self.rows if row.suite is suite]


def study_minds(runs: Runs) -> MindStudy:
    """Measures both kinds of Theory of Mind in finished episodes; ConfigError if none has the literal measure."""
    results = [result for result in runs.results if result.world in suites()]
    table = {(row.scenario.name, row.condition): row for row in tabulate(results)}
    played: dict[str, dict[Condition, list[EpisodeMinds]]] = {}
    for result, condition in zip(results, conditions_of(results), strict=True):
        row = table[result.scenario, condition]
        if result.is_finished and not is_reference(condition, row.scenario):
            played.setdefault(result.world, {}).setdefault(condition, []).append(_measure(result, row))
    worlds = {suite: played[name] for name, suite in suites().items() if name in played}
    unasked = filter(None, (_left_out(suite, minds) for suite, minds in worlds.items()))
    left_out = (*unasked, *unfinished([*table.values()]))
    rows = [row for suite, minds in worlds.items() for row in _rows(suite, minds)]
    if not rows:
        advice = " ".join(("play an agent that predicts or answers.", *left_out)).removesuffix(".")
        raise ConfigError(f"no finished episode asked what others believe or do: {advice}")
    return MindStudy(tuple(rows), left_out)


def _rows(suite: Suite, played: Mapping[Condition, Sequence[EpisodeMinds]]) -> list[MindRow]:
    """A row for each condition that was asked. played: the episodes of all."""
    order = in_order(condition for condition, minds in played.items() if _is_asked(minds))
    names = labels(order)
    return [
        _row(suite, condition, names[condition], [mind for mind in played[condition] if mind.is_measured])
        for condition in order
    ]


def _left_out(suite: Suite, played: Mapping[Condition, Sequence[EpisodeMinds]]) -> str:
    """A sentence on the conditions that were not asked, empty if all were. played: the episodes of all."""
    names = labels(in_order(played))
    unasked = [condition for condition in names if not _is_asked(played[condition])]
    if not unasked:
        return ""
    who, episodes = listed([names[condition] for condition in unasked]), sum(len(played[one]) for one in unasked)
    why = suite.literal.given_by or f"they lack {suite.literal.name}" if suite.literal else "it asks about no mind"
    return f"{suite.title} has no row for {who} ({counted(episodes, 'episode')}): {why}."


def _is_asked(minds: Iterable[EpisodeMinds]) -> bool:
    return any(mind.literal is not None for mind in minds)


def _measure(result: Result, row: Row) -> EpisodeMinds:
    literal = suites()[result.world].literal
    return EpisodeMinds(
        result.scenario,
        result.metric(literal.name) if literal else None,
        result.metric,
        functional_score(row.scenario, result.metric, row.points).value,
    )


def _row(suite: Suite, condition: Condition, label: str, minds: Sequence[EpisodeMinds]) -> MindRow:
    def mean_of(key: str) -> float | None:
        known = _by_scenario((mind.scenario, mind.metric(key)) for mind in minds)
        return mean(map(mean, known.values())) if known else None

    least, most = functional = _functional_bounds({mind.scenario for mind in minds})
    return MindRow(
        suite,
        condition,
        label,
        len({mind.scenario for mind in minds}),
        len(minds),
        clustered_mean(_by_scenario((mind.scenario, mind.literal) for mind in minds), SHARE),
        suite.literal.best_base_rate(mean_of) if suite.literal else None,
        clustered_mean(_by_scenario((mind.scenario, mind.functional) for mind in minds), functional),
        clustered_mean(_by_scenario((mind.scenario, mind.gap) for mind in minds), (-most, 1 - least)),
    )


def _functional_bounds(names: Iterable[str]) -> Bounds:
    """Those of a share if the score is one in each of the scenarios; a normalised score has none."""
    return SHARE if all(share_of_acts(scenario_named(name)) for name in names) else UNBOUNDED


def _by_scenario(values: Iterable[tuple[str, float | None]]) -> dict[str, list[float]]:
    """The known values by scenario."""
    return grouped((scenario, value) for scenario, value in values if value is not None)
