"""Means over the scenarios of a group, in the unit of their metric: what a run came to, without floor or ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.grouping import grouped
from hm_agent.metrics import Metric
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.statistics import Estimate, Interval, clustered_mean
from hm_agent.reporting.tables import Row
from hm_agent.wording import share_of, with_error

ABOUT = "Mean over the scenarios of a group, each weighing the same, ± standard error over them (over episodes of one)"


@dataclass(frozen=True)
class GroupMean:
    """A condition's mean over the scenarios of a group that it has finished episodes of.

    estimate: over the scenarios' means or, in a group of one, over its episodes. interval: Student's t over the same.
    scenarios: how many the condition has; of: how many any condition has. episodes: the finished ones with the metric.
    """

    group: str
    metric: Metric
    condition: Condition
    estimate: Estimate
    interval: Interval | None
    scenarios: int
    of: int
    episodes: int

    @property
    def digits(self) -> int:
        return self.metric.digits

    @property
    def unit(self) -> str:
        return self.metric.unit

    @property
    def mean(self) -> str:
        """`12.3 ± 1.2`."""
        return with_error(self.estimate.mean, self.estimate.error, self.digits)

    @property
    def sample(self) -> str:
        """`8 scenarios`, or `7 of 8 scenarios` if it lacks one."""
        return share_of(self.scenarios, self.of, "scenario")


def group_means(rows: Sequence[Row]) -> list[GroupMean]:
    """A mean for each group, unit and condition, references included, in the order of the rows."""
    by_group = grouped(((row.scenario.group, row.scenario.metric.unit), row) for row in rows if row.estimate)
    means: list[GroupMean] = []
    for of_group in by_group.values():
        scenarios = len({row.scenario for row in of_group})
        by_condition = grouped((row.condition, row) for row in of_group)
        means += [_group_mean(by_condition[condition], scenarios) for condition in in_order(by_condition)]
    return means


def _group_mean(rows: Sequence[Row], of: int) -> GroupMean:
    """rows: of one condition, each with an estimate."""
    values = {row.scenario.name: row.estimate.values for row in rows if row.estimate}
    sample = [float(row.mean) for row in rows if row.mean is not None]
    first = rows[0].scenario
    bounds = first.metric.bounds
    estimate = Estimate(tuple(sample) if len(values) > 1 else next(iter(values.values())), bounds)
    found = clustered_mean(values, bounds)
    return GroupMean(
        first.group,
        first.metric,
        rows[0].condition,
        estimate,
        found.interval if found else None,
        len(values),
        of,
        sum(map(len, values.values())),
    )


def by_unit_of_means(means: Sequence[GroupMean]) -> dict[str, list[GroupMean]]:
    """The means of groups with several scenarios, by the sentence on their unit; a group of one is its own row."""
    units = grouped((mean.metric.sentence(f"{ABOUT[:1].lower()}{ABOUT[1:]}"), mean) for mean in means)
    return {unit: of_unit for unit, of_unit in units.items() if any(mean.of > 1 for mean in of_unit)}
