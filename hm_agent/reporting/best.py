"""Which agents no other one beats, by the interval of their difference: what tables show in bold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.reporting.comparing import Comparison, Key, Values, paired
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.statistics import LEAST_EPISODES, ClusteredMean, Interval, clustered_mean, welch_interval
from hm_agent.reporting.tables import Row

RULE = (
    "In bold: no other agent is better by the 95% interval of the difference, over common seeds where there are five, "
    "else over all episodes of both."
)
GROUP_RULE = "In bold: no other agent is better by the 95% interval of the difference over common episodes."


def unbeaten(rows: Iterable[Row], values: Values) -> set[tuple[ScenarioInfo, Condition]]:
    """Scenario and condition of the rows that no other row of their scenario beats, by the interval of the difference.

    Only rows with the same settings of the world are compared, references left out; one that has nothing to be compared
    with is not among them. values: the metric of each episode, as `episode_values` gives it.
    """
    by_scenario = {condition: _by_scenario(of_condition) for condition, of_condition in values.items()}
    rivals = grouped(
        ((row.scenario, row.condition.world_settings(row.scenario.world)), row)
        for row in rows
        if not row.is_reference and row.scenario.name in by_scenario.get(row.condition, ())
    )
    found: set[tuple[ScenarioInfo, Condition]] = set()
    for (scenario, _), compared in rivals.items():
        own = {row.condition: by_scenario[row.condition][scenario.name] for row in compared}
        better_up = scenario.metric.higher_is_better
        if len(compared) > 1:
            found |= {
                (scenario, row.condition)
                for row in compared
                if not any(_beats(other, own[row.condition], higher_is_better=better_up) for other in own.values())
            }
    return found


def _by_scenario(values: Mapping[Key, float]) -> dict[str, dict[Key, float]]:
    return {name: dict(items) for name, items in grouped((item[0][0], item) for item in values.items()).items()}


def _beats(first: Mapping[Key, float], second: Mapping[Key, float], *, higher_is_better: bool) -> bool:
    """True if the interval of first minus second lies on the better side of 0."""
    ends = _interval(first, second)
    return ends is not None and (ends[0] > 0 if higher_is_better else ends[1] < 0)


def _interval(first: Mapping[Key, float], second: Mapping[Key, float]) -> Interval | None:
    """The interval of first minus second in one scenario: paired by seed, or Welch's for too few pairs."""
    pairs = paired(first, second)
    if sum(map(len, pairs.values())) >= LEAST_EPISODES:
        found = clustered_mean(pairs)
        return found.interval if found else None
    return welch_interval(list(first.values()), list(second.values()))


def unbeaten_in_groups(
    comparisons: Sequence[Comparison], part: Callable[[Comparison], ClusteredMean | None]
) -> set[tuple[Condition, str]]:
    """The conditions, with a group, that no other one beats there, of those that are compared with another one.

    part: the difference of a comparison that counts, in the metric or in the score.
    """
    compared: set[tuple[Condition, str]] = set()
    beaten: set[tuple[Condition, str]] = set()
    for comparison in comparisons:
        difference = part(comparison)
        if difference is not None:
            compared |= {(comparison.first, comparison.group), (comparison.second, comparison.group)}
            if not difference.is_open:
                is_metric = difference is comparison.difference
                is_up = comparison.higher_is_better or not is_metric  # a higher score is always better
                loser = comparison.second if (difference.mean > 0) == is_up else comparison.first
                beaten.add((loser, comparison.group))
    return compared - beaten
