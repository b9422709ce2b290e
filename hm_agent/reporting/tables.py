"""The mean metric of each agent by scenario and by group, from results alone: the rows of summary and report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from hm_agent.questions import Usage
from hm_agent.recording.result import Result
from hm_agent.registry import scenario_named, suites
from hm_agent.reporting.conditions import Condition, Settings, conditions_of, in_order, is_reference
from hm_agent.reporting.runs import result_order
from hm_agent.reporting.statistics import Estimate, Interval, estimate, normalised_score, t_interval
from hm_agent.suite import ScenarioInfo

OVERALL = "all scenarios"
"""Stands for a group's title where figures are over several groups."""


@dataclass(frozen=True)
class Row:
    """All episodes of one condition on one scenario.

    settings: all of them; the condition's lack those that do not vary. unfinished: the number of unfinished episodes
    by status; they count in no mean. estimate: the mean of the scenario's metric, None if no episode has it.
    interactions: the mean over episodes, None if the world counts none. usage: the sum over all episodes;
    usage_of_finished: over finished ones. floor, ceiling: the means of the metric's floor and ceiling agents on the
    scenario with the same world settings.
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
    floor: float | None = None
    ceiling: float | None = None

    @property
    def finished(self) -> int:
        return self.episodes - sum(self.unfinished.values())

    @property
    def played(self) -> str:
        """The number of finished episodes, and of all if these are more."""
        return str(self.episodes) if not self.unfinished else f"{self.finished} of {self.episodes}"

    @property
    def mean(self) -> float | None:
        return self.estimate.mean if self.estimate else None

    @property
    def published(self) -> tuple[float, float] | None:
        """Others' result of this agent: (mean, standard error)."""
        return self.scenario.published.get(self.condition.agent)

    @property
    def published_source(self) -> str:
        return suites()[self.scenario.world].published_source if self.published else ""

    @property
    def normalised_score(self) -> float | None:
        better_up = self.scenario.metric.higher_is_better
        return (
            None
            if self.mean is None
            else normalised_score(self.mean, self.floor, self.ceiling, higher_is_better=better_up)
        )

    @property
    def is_reference(self) -> bool:
        return is_reference(self.condition, self.scenario)

    @property
    def unit(self) -> str:
        """What the mean is, as a sentence."""
        metric = self.scenario.metric
        lower = "" if metric.higher_is_better else " Lower is better."
        return f"{metric.unit[:1].upper()}{metric.unit[1:]}: mean ± standard error over n episodes.{lower}"


@dataclass(frozen=True)
class NormalisedScore:
    """A condition's mean normalised score over the scenarios of a group or all; interval: Student's t over these."""

    condition: Condition
    group: str
    mean: float
    interval: Interval | None
    scenarios: int


def tabulate(results: Iterable[Result]) -> list[Row]:
    """One row for each scenario and condition, in this order."""
    ordered = sorted(results, key=result_order)
    by_scenario: dict[str, dict[Condition, list[Result]]] = {}
    for result, condition in zip(ordered, conditions_of(ordered), strict=True):
        by_scenario.setdefault(result.scenario, {}).setdefault(condition, []).append(result)
    rows: list[Row] = []
    for name, group in by_scenario.items():
        scenario, conditions = scenario_named(name), in_order(group)
        means = {
            one: mean(values)
            for one in conditions
            if is_reference(one, scenario) and (values := metric_values(group[one], scenario))
        }
        rows += [_row(scenario, one, group[one], means) for one in conditions]
    return rows


def metric_values(results: Iterable[Result], scenario: ScenarioInfo) -> list[float]:
    """The values of the scenario's metric in the finished results that have it."""
    values = (result.metric(scenario.metric.name) for result in results if result.is_finished)
    return [value for value in values if value is not None]


def _row(
    scenario: ScenarioInfo, condition: Condition, group: Sequence[Result], references: Mapping[Condition, float]
) -> Row:
    finished = [result for result in group if result.is_finished]
    interactions = [result.metrics["interactions"] for result in finished if "interactions" in result.metrics]
    return Row(
        scenario=scenario,
        condition=condition,
        settings=Condition.of(group[0]).settings,
        episodes=len(group),
        unfinished=Counter(result.ending for result in group if not result.is_finished),
        estimate=estimate(metric_values(group, scenario)),
        interactions=mean(interactions) if interactions else None,
        usage=sum((result.usage for result in group), Usage()),
        usage_of_finished=sum((result.usage for result in finished), Usage()),
        floor=_reference(scenario.metric.floor, scenario.world, condition, references),
        ceiling=_reference(scenario.metric.ceiling, scenario.world, condition, references),
    )


def _reference(agent: str | None, world: str, condition: Condition, means: Mapping[Condition, float]) -> float | None:
    """The mean of a reference agent with the same world settings, if possible with the same model and settings, too."""
    fitting = [
        (one.model != condition.model, one.settings != condition.settings, place, found)
        for place, (one, found) in enumerate(means.items())
        if one.agent == agent and one.world_settings(world) == condition.world_settings(world)
    ]
    return min(fitting)[-1] if fitting else None


def scores(rows: Sequence[Row]) -> list[NormalisedScore]:
    """The mean normalised scores of every condition but the references, by group and over all if there are several."""
    found = []
    for group in groups(rows):
        of_group = [row for row in rows if group in (row.scenario.group, OVERALL)]
        for condition in in_order(row.condition for row in of_group if not row.is_reference):
            values = [r.normalised_score for r in of_group if r.condition == condition and not r.is_reference]
            known = [value for value in values if value is not None]
            if known:
                found.append(NormalisedScore(condition, group, mean(known), t_interval(known), len(known)))
    return found


def groups(rows: Iterable[Row]) -> list[str]:
    """The titles of the groups in order, after `OVERALL` if there are several."""
    found = list(dict.fromkeys(row.scenario.group for row in rows))
    return [OVERALL, *found] if len(found) > 1 else found


def by_unit(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows by the sentence on their unit: rows of different units belong in different tables."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.unit, []).append(row)
    return found
