"""Each agent compared with a baseline: the first agent with its settings, or itself in other settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.reporting.comparing import Comparison
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.statistics import holm


@dataclass(frozen=True)
class Contrast:
    """The comparisons of one condition with another, by group; the first is the baseline of the second.

    corrected: by group, the p of the difference after Holm's correction for all differences of the same table; groups
    whose difference has no interval are left out.
    """

    first: Condition
    second: Condition
    by_group: Mapping[str, Comparison]
    corrected: Mapping[str, float]

    @property
    def equal(self) -> str:
        """In how many of all common episodes both had the same result: `3 of 10`."""
        outer = next(iter(self.by_group.values()))
        return f"{outer.equal} of {outer.common}"


def contrasts(comparisons: Sequence[Comparison]) -> list[Contrast]:
    """Contrasts each condition with the first of its model, settings and measure.

    Those first ones are contrasted with the first of all.
    """
    ordered = in_order(condition for comparison in comparisons for condition in (comparison.first, comparison.second))
    baselines: dict[object, Condition] = {}
    pairs = set()
    for condition in ordered:
        baseline = baselines.setdefault((condition.model, condition.settings, condition.measure), condition)
        pairs.add((ordered[0] if baseline == condition else baseline, condition))
    return _contrasts(comparisons, pairs)


def setting_contrasts(comparisons: Sequence[Comparison]) -> list[Contrast]:
    """Contrasts each agent with itself with another model or in other settings."""
    return _contrasts(comparisons, {(c.first, c.second) for c in comparisons if c.first.agent == c.second.agent})


def _contrasts(comparisons: Sequence[Comparison], pairs: set[tuple[Condition, Condition]]) -> list[Contrast]:
    by_pair: dict[tuple[Condition, Condition], dict[str, Comparison]] = {}
    for comparison in comparisons:
        pair = comparison.first, comparison.second
        if pair in pairs:
            by_pair.setdefault(pair, {})[comparison.group] = comparison
    tests = {
        (pair, group): comparison.known.p
        for pair, by_group in by_pair.items()
        for group, comparison in by_group.items()
        if comparison.known and comparison.known.p is not None
    }
    corrected: dict[tuple[Condition, Condition], dict[str, float]] = {}
    for (pair, group), p in zip(tests, holm(list(tests.values())), strict=True):
        corrected.setdefault(pair, {})[group] = p
    return [Contrast(*pair, by_group, corrected.get(pair, {})) for pair, by_group in by_pair.items()]
