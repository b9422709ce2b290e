"""The rows of summary and report: the mean metric of each agent by scenario, calculated from results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, inf
from statistics import mean, median

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.metrics import TOLD_SHARE, PublishedFigure
from hm_agent.questions import Usage
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import (
    Condition,
    Settings,
    conditions_of,
    folders_named,
    in_order,
    is_reference,
    matching_reference,
    only_references,
    scenario_of,
)
from hm_agent.reporting.functional import ReferencePoints
from hm_agent.reporting.runs import result_order
from hm_agent.reporting.statistics import Estimate, estimate, normalised_score, scale_length, without_noise

LEAST_ERRORS = 3.0
"""A scale is narrow if ceiling and floor differ by less than this multiple of the standard error of the difference."""
LEAST_SHARE = 0.5
"""A scale is narrow if it is shorter than this share of the median over the group's scenarios."""


@dataclass(frozen=True)
class Reference:
    """An agent that marks floor or ceiling of one scenario.

    told_share: the share of steps and players in which it was told something of the others; None if not recorded.
    """

    condition: Condition
    estimate: Estimate
    told_share: float | None = None


@dataclass(frozen=True)
class Row:
    """All episodes of one condition on one scenario.

    settings: all of them; the condition's lack those that do not vary. unfinished: the number of unfinished episodes
    by status; they count in no mean. estimate: the mean of the scenario's metric, None if no episode has it.
    interactions: the mean over episodes, None if the world counts none. usage: the sum over all episodes;
    usage_of_finished: over finished ones. told_share: as in `Reference`, of this condition itself. floor_reference,
    ceiling_reference: the metric's floor and ceiling agents on the scenario with the same world settings; a metric
    without a floor has the best shortcut's. is_narrow: True if the ceiling is hardly better than the floor, so that a
    score says little and is left out of means. is_cut: True if any finished episode was cut by --max_steps.
    is_reference: True if others are measured by this row, which is not compared itself.
    """

    scenario: ScenarioInfo
    condition: Condition
    settings: Settings
    episodes: int
    unfinished: Mapping[str, int] = field(hash=False)
    estimate: Estimate | None
    interactions: float | None
    usage: Usage
    usage_of_finished: Usage
    told_share: float | None = None
    floor_reference: Reference | None = None
    ceiling_reference: Reference | None = None
    is_narrow: bool = False
    is_cut: bool = False
    is_reference: bool = False

    @property
    def finished(self) -> int:
        return self.episodes - sum(self.unfinished.values())

    @property
    def played(self) -> str:
        """`5`, or `4 of 5` if some episodes are unfinished."""
        return str(self.episodes) if not self.unfinished else f"{self.finished} of {self.episodes}"

    @property
    def mean(self) -> float | None:
        return self.estimate.mean if self.estimate else None

    @property
    def floor(self) -> float | None:
        """The floor agent's mean, or what guessing earns if that is better."""
        if self.floor_reference is None:
            return None
        found, guessing = self.floor_reference.estimate.mean, self.scenario.metric.guessing
        return found if guessing is None else max(found, guessing)

    @property
    def ceiling(self) -> float | None:
        return self.ceiling_reference.estimate.mean if self.ceiling_reference else None

    @property
    def points(self) -> ReferencePoints:
        return ReferencePoints(self.floor, self.ceiling, self.is_narrow)

    @property
    def scale(self) -> float | None:
        """Ceiling minus floor, negative where less is better; None unless both are known and the ceiling is better."""
        return scale_length(self.floor, self.ceiling, higher_is_better=self.scenario.metric.higher_is_better)

    @property
    def scale_error(self) -> float | None:
        """The standard error of the scale, from those of its ends; None if either has a single episode."""
        ends = self.floor_reference, self.ceiling_reference
        errors = [end.estimate.error for end in ends if end and end.estimate.error is not None]
        return hypot(*errors) if len(errors) == len(ends) else None

    @property
    def published(self) -> PublishedFigure | None:
        """A publication's result of this agent."""
        return self.scenario.published.get(self.condition.agent)

    @property
    def published_mark(self) -> str:
        """The mark on a published figure, which is of whole episodes, if the row's own were cut; else empty."""
        return " §" if self.published and self.is_cut else ""

    @property
    def normalised_score(self) -> float | None:
        return None if self.mean is None else self._normalised(self.mean)

    @property
    def episode_scores(self) -> list[float]:
        """The normalised score of each episode that has the metric; empty without a scale."""
        scores = map(self._normalised, self.estimate.values if self.estimate else ())
        return [score for score in scores if score is not None]

    def _normalised(self, value: float) -> float | None:
        better_up = self.scenario.metric.higher_is_better
        return normalised_score(value, self.floor, self.ceiling, higher_is_better=better_up)

    @property
    def counted_score(self) -> float | None:
        """The normalised score, None on a narrow scale."""
        return None if self.is_narrow else self.normalised_score

    @property
    def is_ceiling(self) -> bool:
        """True if this row is its scenario's ceiling agent's."""
        return self.condition.agent == self.scenario.metric.ceiling

    @property
    def digits(self) -> int:
        """How many decimals values of the metric are shown with."""
        return self.scenario.metric.digits

    @property
    def unit(self) -> str:
        """What the mean is, as a sentence."""
        return self.scenario.metric.sentence("mean ± standard error over n episodes")


def tabulate(results: Iterable[Result]) -> list[Row]:
    """One row for each scenario and condition, sorted by scenario, then by condition."""
    ordered = sorted(results, key=result_order)
    alone = only_references(ordered)
    by_scenario: dict[ScenarioInfo, dict[Condition, list[Result]]] = {}
    for result, condition in zip(ordered, conditions_of(ordered), strict=True):
        by_scenario.setdefault(scenario_of(result), {}).setdefault(condition, []).append(result)
    rows: list[Row] = []
    for scenario, group in by_scenario.items():
        conditions = in_order(group)
        references = [
            Reference(condition, mean_metric, _mean_metric(TOLD_SHARE, group[condition]))
            for condition in conditions
            if is_reference(condition, scenario)
            and (mean_metric := estimate(metric_values(group[condition], scenario.metric.name)))
        ]
        rows += [
            _row(scenario, condition, group[condition], references, is_marked=is_reference(condition, scenario, alone))
            for condition in conditions
        ]
    return _mark_narrow_scales(_with_shortcut_floors(rows))


def metric_values(results: Iterable[Result], name: str) -> list[float]:
    """The values of a metric in the finished results that have it."""
    values = (result.metric(name) for result in results if result.is_finished)
    return [without_noise(value) for value in values if value is not None]


def _mean_metric(name: str, results: Iterable[Result]) -> float | None:
    """The mean of a metric over the finished results that have it; None if none has."""
    values = [result.metrics[name] for result in results if result.is_finished and name in result.metrics]
    return mean(values) if values else None


def _row(
    scenario: ScenarioInfo,
    condition: Condition,
    group: Sequence[Result],
    references: Sequence[Reference],
    *,
    is_marked: bool,
) -> Row:
    finished = [result for result in group if result.is_finished]
    return Row(
        scenario=scenario,
        condition=condition,
        settings=folders_named(group[:1], [Condition.of(group[0])])[0].settings,
        episodes=len(group),
        unfinished=Counter(result.ending for result in group if not result.is_finished),
        estimate=estimate(metric_values(group, scenario.metric.name), scenario.metric.bounds),
        interactions=_mean_metric("interactions", group),
        usage=sum((result.usage for result in group), Usage()),
        usage_of_finished=sum((result.usage for result in finished), Usage()),
        told_share=_mean_metric(TOLD_SHARE, group),
        is_cut=any(result.status == "max_steps" for result in finished),
        floor_reference=_reference(scenario.metric.floor, scenario.world, condition, references),
        ceiling_reference=_reference(scenario.metric.ceiling, scenario.world, condition, references),
        is_reference=is_marked,
    )


def _reference(
    agent: str | None, world: str, condition: Condition, references: Iterable[Reference]
) -> Reference | None:
    """The agent's reference that matches a condition; None if there is none."""
    by_condition = {reference.condition: reference for reference in references}
    matching = matching_reference(agent, world, condition, by_condition)
    return by_condition[matching] if matching else None


def _with_shortcut_floors(rows: Sequence[Row]) -> list[Row]:
    """Gives scenarios whose metric names no floor the shortcut with the best mean over their group's other scenarios.

    So the best of many chance results is no floor; the only scenario of a group has its own best.
    """
    shortcuts = grouped(
        (_family(row), row) for row in rows if row.scenario.metric.floor is None and row.estimate and _is_shortcut(row)
    )
    return [
        replace(row, floor_reference=_best_shortcut(row.scenario, shortcuts[_family(row)]))
        if _family(row) in shortcuts and row.scenario.metric.floor is None
        else row
        for row in rows
    ]


def _is_shortcut(row: Row) -> bool:
    suite = suites().get(row.scenario.world)
    return suite is not None and row.condition.agent in suite.shortcuts


def _best_shortcut(scenario: ScenarioInfo, shortcuts: Sequence[Row]) -> Reference | None:
    """The floor of a scenario. shortcuts: the rows of all shortcuts in its group.

    A pair is one scenario, in which a shortcut is as good as in the worse of both.
    """
    lesser: dict[str, dict[str, Row]] = {}
    sign = 1 if scenario.metric.higher_is_better else -1
    for row in sorted(shortcuts, key=lambda row: sign * (row.mean or 0.0)):
        lesser.setdefault(row.scenario.item, {}).setdefault(row.condition.agent, row)
    here = lesser.get(scenario.item, {})
    others = [rows for item, rows in lesser.items() if item != scenario.item] or [here]
    known = {agent: [rows[agent].mean or 0.0 for rows in others if agent in rows] for agent in here}
    best = max(here, key=lambda agent: sign * mean(known[agent]) if known[agent] else -inf, default=None)
    floor = here.get(best or "")
    return Reference(floor.condition, floor.estimate, floor.told_share) if floor and floor.estimate else None


def _mark_narrow_scales(rows: Sequence[Row]) -> list[Row]:
    """Marks the rows of scenarios whose scale is not clearly longer than 0, or short for their group.

    A scale between single episodes has no standard error and is judged by its length alone. Lengths are compared among
    the scenarios of one group with the same world settings, each of which counts once. A metric with a least scale has
    narrow ones where the ceiling is no better than the floor, too.
    """
    lengths: dict[tuple[str, Settings], dict[str, float]] = {}
    for row in rows:
        if row.scale is not None:
            lengths.setdefault(_family(row), {}).setdefault(row.scenario.name, abs(row.scale))
    typical = {family: median(of_family.values()) for family, of_family in lengths.items()}
    return [replace(row, is_narrow=_is_narrow(row, typical.get(_family(row), 0.0))) for row in rows]


def _family(row: Row) -> tuple[str, Settings]:
    return row.scenario.group, row.condition.world_settings(row.scenario.world)


def _is_narrow(row: Row, typical: float) -> bool:
    if row.floor is None or row.ceiling is None:
        return False
    least = row.scenario.metric.least_scale
    if row.scale is None:
        return least > 0
    return abs(row.scale) < max(least, LEAST_ERRORS * (row.scale_error or 0.0), LEAST_SHARE * typical)


def without_spare_shortcuts(rows: Sequence[Row]) -> list[Row]:
    """The rows without the shortcuts that others are measured by, but for those that are a floor of any row."""
    floors = {row.floor_reference.condition for row in rows if row.floor_reference}
    return [row for row in rows if not row.is_reference or row.condition in floors or not _is_shortcut(row)]


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows by their scenarios' group, in the order in which the groups first occur."""
    return grouped((row.scenario.group, row) for row in rows)


def by_unit(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows by the sentence on their unit: rows of different units belong in different tables."""
    return grouped((row.unit, row) for row in rows)
