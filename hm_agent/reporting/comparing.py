"""Compares agents on the same episodes: the same scenario, seed and other players, with the same world settings."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hm_agent.catalogue.registry import scenario_named
from hm_agent.grouping import grouped
from hm_agent.metrics import UNBOUNDED
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import (
    Condition,
    Settings,
    conditions_of,
    in_order,
    is_reference,
    only_references,
    scenario_of,
)
from hm_agent.reporting.halves import groups_with_halves
from hm_agent.reporting.runs import scenario_order
from hm_agent.reporting.scores import OVERALL, SCORE_DIGITS
from hm_agent.reporting.statistics import TINY, ClusteredMean, clustered_mean
from hm_agent.reporting.tables import Row

Key = tuple[str, int, tuple[str, ...], Settings]
"""What the episodes of a pair have in common: scenario, seed, background and world settings."""
Values = Mapping[Condition, Mapping[Key, float]]
"""The metric of finished episodes, by condition and pairing key."""
Pairs = Mapping[str, Sequence[float]]
"""Paired differences by scenario."""
Scales = Mapping[tuple[str, Condition], float]
"""Ceiling minus floor by scenario and condition; differences divided by it can be averaged across groups."""


@dataclass(frozen=True)
class Comparison:
    """The metric of one condition minus that of another, over a group of scenarios or over all.

    unit: of the difference in the metric itself; both are None over all groups, whose metrics differ. normalised: the
    difference in the normalised score, without scenarios on a narrow scale; None if floor or ceiling is unknown.
    chosen, held_out: of the metric or, over all groups, of the normalised score, in the scenarios by which constants of
    the built-in reasoner were chosen, and in the others; None where there are none, as in groups that hold none out.
    digits: how many decimals these are shown with. equal: the number of the `common` episodes in which both have the
    same value.
    """

    first: Condition
    second: Condition
    group: str
    unit: str | None
    higher_is_better: bool
    difference: ClusteredMean | None
    normalised: ClusteredMean | None
    chosen: ClusteredMean | None
    held_out: ClusteredMean | None
    digits: int
    equal: int
    common: int

    @property
    def known(self) -> ClusteredMean | None:
        """The difference in the metric or, over all groups, in the normalised score."""
        return self.difference or self.normalised


def compare(results: Iterable[Result], rows: Sequence[Row]) -> list[Comparison]:
    """Compares all pairs of conditions with common episodes, references left out; over all groups, then by group.

    Scenarios that are unproved don't count over all groups.
    """
    values = episode_values(list(results))
    scales = {
        (row.scenario.name, row.condition): row.scale for row in rows if row.scale is not None and not row.is_narrow
    }
    halved = groups_with_halves(rows)
    comparisons: list[Comparison] = []
    for first, second in combinations(in_order(values), 2):
        by_group: dict[str, dict[str, list[float]]] = {}
        pairs = paired(values[first], values[second])
        for scenario, differences in pairs.items():
            info = scenario_named(scenario).measured_by(first.measure)
            by_group.setdefault(info.group, {})[scenario] = differences
        proved = {name: pairs[name] for name in pairs if not scenario_named(name).is_unproved}
        if len(by_group) > 1 and proved:
            by_group = {OVERALL: proved, **by_group}
        comparisons += [_comparison(first, second, group, part, scales, halved) for group, part in by_group.items()]
    return comparisons


def episode_values(results: Sequence[Result], *, with_references: bool = False) -> Values:
    """The metric of every finished episode by condition and pairing key.

    Episodes are left out if their mean over the seats says nothing about one agent: those in which different agents
    meet, and those of zero-sum games. Reports show them in the section on who plays whom.
    """
    values: dict[Condition, dict[Key, float]] = {}
    zero_sum, alone = _zero_sum(results), only_references(results)
    for result, condition in zip(results, conditions_of(results), strict=True):
        if result.scenario in zero_sum or len({(seat.agent, seat.model) for seat in result.seats}) > 1:
            continue
        scenario = scenario_of(result)
        value = result.metric(scenario.metric.name)
        is_wanted = with_references or not is_reference(condition, scenario, alone)
        if result.is_finished and value is not None and is_wanted:
            key = (result.scenario, result.seed, result.background, condition.world_settings(result.world))
            values.setdefault(condition, {})[key] = value
    return values


def _zero_sum(results: Iterable[Result]) -> set[str]:
    """The scenarios in which seats earn rewards whose sum is 0 in every episode."""
    earned = grouped((result.scenario, [seat.reward for seat in result.seats]) for result in results)
    return {
        scenario
        for scenario, episodes in earned.items()
        if any(map(any, episodes)) and all(abs(sum(rewards)) < TINY for rewards in episodes)
    }


def paired(first: Mapping[Key, float], second: Mapping[Key, float]) -> dict[str, list[float]]:
    """The differences (first minus second) of episodes with the same key, by scenario in the registry's order."""
    common = sorted(first.keys() & second.keys(), key=lambda key: (scenario_order(key[0]), key[1]))
    return grouped((key[0], first[key] - second[key]) for key in common)


def _comparison(
    first: Condition, second: Condition, group: str, pairs: Pairs, scales: Scales, halved: Container[str]
) -> Comparison:
    """halved: the groups that have two halves."""
    normalised = _scaled(pairs, scales, first)
    shown = normalised if group == OVERALL else pairs
    shown = {name: values for name, values in shown.items() if scenario_named(name).group in halved}
    everything = [difference for differences in pairs.values() for difference in differences]
    metric = scenario_named(next(iter(pairs))).measured_by(first.measure).metric
    bounds = UNBOUNDED if group == OVERALL else metric.difference_bounds
    return Comparison(
        first=first,
        second=second,
        group=group,
        unit=None if group == OVERALL else metric.unit,
        higher_is_better=metric.higher_is_better,
        difference=None if group == OVERALL else clustered_mean(pairs, bounds),
        normalised=clustered_mean(normalised),
        chosen=clustered_mean(_in_half(shown, held_out=False), bounds),
        held_out=clustered_mean(_in_half(shown, held_out=True), bounds),
        digits=SCORE_DIGITS if group == OVERALL else metric.digits,
        equal=sum(abs(difference) < TINY for difference in everything),
        common=len(everything),
    )


def _scaled(pairs: Pairs, scales: Scales, condition: Condition) -> dict[str, list[float]]:
    """The differences in the normalised score, in scenarios whose scale is known."""
    return {
        scenario: [difference / scales[scenario, condition] for difference in differences]
        for scenario, differences in pairs.items()
        if (scenario, condition) in scales
    }


def _in_half(pairs: Pairs, *, held_out: bool) -> Pairs:
    return {name: values for name, values in pairs.items() if scenario_named(name).held_out == held_out}
