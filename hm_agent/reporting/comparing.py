"""Compares agents on the same episodes: the same scenario, seed and opponents, with the same world settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hm_agent.recording.result import Result
from hm_agent.registry import scenario_named
from hm_agent.reporting.conditions import Condition, Settings, conditions_of, in_order, is_reference
from hm_agent.reporting.runs import scenario_order
from hm_agent.reporting.statistics import Difference, paired_difference
from hm_agent.reporting.tables import OVERALL, Row
from hm_agent.reporting.wording import counted, listed

ALIKE_SHARE = 0.9
"""Two agents are said to do the same if at least this share of their common episodes has equal values."""
_TINY = 1e-9
Key = tuple[str, int, tuple[str, ...], Settings]
"""What the episodes of a pair have in common: scenario, seed, background and world settings."""
Scales = Mapping[tuple[str, Condition], float]
"""Ceiling minus floor by scenario and condition; differences divided by it can be averaged across groups."""


@dataclass(frozen=True)
class Comparison:
    """The metric of one condition minus that of another, over a group of scenarios or over all.

    unit: of the difference in the metric itself; both are None over all groups, whose metrics differ. normalised: the
    difference in the normalised score; None if floor or ceiling is unknown. equal: the number of the `common` episodes
    in which both have the same value.
    """

    first: Condition
    second: Condition
    group: str
    unit: str | None
    difference: Difference | None
    normalised: Difference | None
    equal: int
    common: int

    @property
    def is_alike(self) -> bool:
        return self.equal >= ALIKE_SHARE * self.common

    @property
    def is_open(self) -> bool:
        """True if these episodes do not decide which of the two does better."""
        known = self.difference or self.normalised
        return known is None or known.is_open


def compare(results: Iterable[Result], rows: Sequence[Row]) -> list[Comparison]:
    """All pairs of conditions with common episodes, references left out; over all groups first, then by group."""
    values = _values(list(results))
    scales = {
        (row.scenario.name, row.condition): row.ceiling - row.floor
        for row in rows
        if row.normalised_score is not None and row.ceiling is not None and row.floor is not None
    }
    found: list[Comparison] = []
    for first, second in combinations(in_order(values), 2):
        by_group: dict[str, dict[str, list[float]]] = {}
        pairs = _pairs(values[first], values[second])
        for scenario, differences in pairs.items():
            by_group.setdefault(scenario_named(scenario).group, {})[scenario] = differences
        if len(by_group) > 1:
            found.append(_comparison(first, second, OVERALL, pairs, scales))
        found += [_comparison(first, second, group, part, scales) for group, part in by_group.items()]
    return found


def _values(results: Sequence[Result]) -> dict[Condition, dict[Key, float]]:
    """The metric of every finished episode by condition and pairing key, references left out."""
    found: dict[Condition, dict[Key, float]] = {}
    for result, condition in zip(results, conditions_of(results), strict=True):
        scenario = scenario_named(result.scenario)
        value = result.metric(scenario.metric.name)
        if result.is_finished and value is not None and not is_reference(condition, scenario):
            key = (result.scenario, result.seed, result.background, condition.world_settings(result.world))
            found.setdefault(condition, {})[key] = value
    return found


def _pairs(first: Mapping[Key, float], second: Mapping[Key, float]) -> dict[str, list[float]]:
    """The paired differences by scenario, in the order of the scenarios."""
    found: dict[str, list[float]] = {}
    for key in sorted(first.keys() & second.keys(), key=lambda key: (scenario_order(key[0]), key[1])):
        found.setdefault(key[0], []).append(first[key] - second[key])
    return found


def _comparison(
    first: Condition, second: Condition, group: str, pairs: Mapping[str, list[float]], scales: Scales
) -> Comparison:
    scaled = {
        scenario: [difference / scales[scenario, first] for difference in differences]
        for scenario, differences in pairs.items()
        if (scenario, first) in scales
    }
    everything = [difference for differences in pairs.values() for difference in differences]
    return Comparison(
        first=first,
        second=second,
        group=group,
        unit=None if group == OVERALL else scenario_named(next(iter(pairs))).metric.unit,
        difference=None if group == OVERALL else paired_difference(pairs),
        normalised=paired_difference(scaled),
        equal=sum(abs(difference) < _TINY for difference in everything),
        common=len(everything),
    )


def outermost(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparison of each pair over all groups or, if there is only one group, over this."""
    first: dict[tuple[Condition, Condition], Comparison] = {}
    for comparison in comparisons:
        first.setdefault((comparison.first, comparison.second), comparison)
    return list(first.values())


def alike(comparisons: Sequence[Comparison], labels: Mapping[Condition, str]) -> list[str]:
    """Sentences naming the pairs of agents whose values are equal or do not differ significantly.

    One for each agent with equal ones, then one for each agent with undecided ones, among the agents after it.
    """
    pairs = outermost(comparisons)
    firsts = dict.fromkeys(pair.first for pair in pairs)
    same = [[pair for pair in pairs if pair.first == first and pair.is_alike] for first in firsts]
    unsure = [[p for p in pairs if p.first == first and p.is_open and not p.is_alike] for first in firsts]
    return [*(_same(some, labels) for some in same if some), *(_unsure(some, labels) for some in unsure if some)]


def _same(pairs: Sequence[Comparison], labels: Mapping[Condition, str]) -> str:
    shares: dict[str, list[str]] = {}
    for pair in pairs:
        episodes = counted(pair.common, "common episode")
        share = f"all of {episodes}" if pair.equal == pair.common else f"{pair.equal} of {episodes}"
        shares.setdefault(share, []).append(labels[pair.second])
    said = [f"as {listed(names)} in {share}" for share, names in shares.items()]
    return f"{labels[pairs[0].first]} had the same result {', '.join(said)}."


def _unsure(pairs: Sequence[Comparison], labels: Mapping[Condition, str]) -> str:
    names = listed([labels[pair.second] for pair in pairs])
    reason = "the interval of the difference does not exclude 0" if len(pairs) == 1 else "no interval excludes 0"
    return f"Whether {labels[pairs[0].first]} does better or worse than {names} is left open: {reason}."
