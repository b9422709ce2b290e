"""Conclusions from the comparisons of agents: each agent contrasted with a baseline, and sentences on the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.grouping import grouped
from hm_agent.reporting.comparing import Comparison, outermost
from hm_agent.reporting.conditions import Condition, Labels, in_order
from hm_agent.reporting.scores import OVERALL
from hm_agent.reporting.statistics import CONFIDENCE, LEAST_EPISODES, holm
from hm_agent.wording import counted, interval, listed, number, p_value

# Each agent compared with a baseline


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


def verdicts(contrasts: Sequence[Contrast], labels: Labels) -> list[str]:
    """Sentences on where each two differ and where no difference shows; contrasts with one verdict share a sentence."""
    seconds = grouped(((one.first, _verdict(one, labels)), labels[one.second]) for one in contrasts)
    return [f"{labels[first]} compared with {listed(names)}: {verdict}." for (first, verdict), names in seconds.items()]


def _verdict(contrast: Contrast, labels: Labels) -> str:
    first, second = labels[contrast.first], labels[contrast.second]
    known = [comparison for comparison in contrast.by_group.values() if comparison.known is not None]
    decided = [comparison for comparison in known if not comparison.is_open]
    ahead = [_lead(comparison, contrast) for comparison in decided if comparison.favours_first]
    behind = [_lead(comparison, contrast) for comparison in decided if not comparison.favours_first]
    undecided = [_in_group(c.group) for c in known if c.known and c.known.holds_zero]
    few = [_in_group(c.group) for c in known if c.known and c.known.interval is None]
    parts = [f"{who} did better {listed(places)}" for who, places in ((first, ahead), (second, behind)) if places]
    if undecided:
        where = "anywhere" if len(undecided) == len(known) > 1 else listed(undecided)
        parts.append(f"no clear difference {where}, as {'every' if len(undecided) > 1 else 'the'} interval contains 0")
    if few:
        parts.append(f"fewer than {LEAST_EPISODES} pairs of episodes, too few for an interval, {listed(few)}")
    return "; ".join(parts) or "no common scale is known"


def _in_group(group: str) -> str:
    return f"over {OVERALL}" if group == OVERALL else f"in “{group}”"


def _lead(comparison: Comparison, contrast: Contrast) -> str:
    """`in “Delivery” (by 4.0, 95% interval 2.0 to 6.0, corrected p = .012)`."""
    difference, digits = comparison.known, comparison.digits
    assert difference is not None
    ends = interval(_without_sign(difference.interval), digits)
    by, p = number(abs(difference.mean), digits), contrast.corrected[comparison.group]
    so_many = "" if p <= 1 - CONFIDENCE else "but "
    return f"{_in_group(comparison.group)} (by {by}, 95% interval {ends}, {so_many}corrected {p_value(p)})"


def _without_sign(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    """The ends of an interval that excludes 0, without their sign, the smaller one first."""
    return ends if ends is None or ends[0] > 0 else (-ends[1], -ends[0])


# Agents with the same results, or without a clear difference


def identical(comparisons: Sequence[Comparison], labels: Labels) -> list[str]:
    """A sentence for each set of agents that finished the same episodes with the same results."""
    common = {(pair.first, pair.second): pair.common for pair in outermost(comparisons) if pair.is_one_column}
    sets: list[list[Condition]] = []
    for condition in in_order(condition for pair in common for condition in pair):
        matching = (members for members in sets if all((member, condition) in common for member in members))
        if (members := next(matching, None)) is None:
            sets.append([condition])
        else:
            members.append(condition)
    return [
        f"{listed([labels[member] for member in members])} had the same result in all of their "
        f"{counted(common[members[0], members[1]], 'common episode')}, so their columns are the same."
        for members in sets
        if len(members) > 1
    ]


def alike(comparisons: Sequence[Comparison], labels: Labels) -> list[str]:
    """Sentences naming the pairs of agents whose values are equal or do not differ significantly.

    There is one for each agent that equals later ones, then one for each agent that is undecided against later ones.
    """
    pairs = outermost(comparisons)
    firsts = dict.fromkeys(pair.first for pair in pairs)
    same = [[pair for pair in pairs if pair.first == first and pair.is_alike] for first in firsts]
    unsure = [[p for p in pairs if p.first == first and p.is_open and not p.is_alike] for first in firsts]
    return [
        *(_alike_sentence(some, labels) for some in same if some),
        *(_undecided_sentence(some, labels) for some in unsure if some),
    ]


def _alike_sentence(pairs: Sequence[Comparison], labels: Labels) -> str:
    shares = grouped((("all" if pair.is_identical else pair.equal, pair.common), labels[pair.second]) for pair in pairs)
    parts = [
        f"as {listed(names)} in {share} of their {counted(common, 'common episode')}"
        for (share, common), names in shares.items()
    ]
    return f"{labels[pairs[0].first]} had the same result {', '.join(parts)}."


def _undecided_sentence(pairs: Sequence[Comparison], labels: Labels) -> str:
    names = listed([labels[pair.second] for pair in pairs])
    reason = "the interval of the difference does not exclude 0" if len(pairs) == 1 else "no interval excludes 0"
    if all(pair.known and pair.known.interval is None for pair in pairs):
        reason = f"there is no interval for fewer than {LEAST_EPISODES} pairs of episodes"
    return f"Whether {labels[pairs[0].first]} does better or worse than {names} is undecided: {reason}."
