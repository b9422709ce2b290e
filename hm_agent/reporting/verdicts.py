"""Conclusions from the comparisons of agents: each agent contrasted with a baseline, and sentences on the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.reporting.comparing import Comparison, outermost
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.scores import OVERALL
from hm_agent.reporting.statistics import LEAST_EPISODES
from hm_agent.wording import counted, interval, listed, number

Labels = Mapping[Condition, str]


# Each agent compared with a baseline


@dataclass(frozen=True)
class Contrast:
    """The comparisons of one condition with another, by group; the first is the baseline of the second."""

    first: Condition
    second: Condition
    by_group: Mapping[str, Comparison]

    @property
    def equal(self) -> str:
        """In how many of all common episodes both had the same result: `3 of 10`."""
        outer = next(iter(self.by_group.values()))
        return f"{outer.equal} of {outer.common}"


def contrasts(comparisons: Sequence[Comparison]) -> list[Contrast]:
    """Contrasts each condition with the first of its model and settings, and those first ones with the first of all."""
    ordered = in_order(condition for comparison in comparisons for condition in (comparison.first, comparison.second))
    baselines: dict[object, Condition] = {}
    pairs = set()
    for condition in ordered:
        baseline = baselines.setdefault((condition.model, condition.settings), condition)
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
    return [Contrast(*pair, by_group) for pair, by_group in by_pair.items()]


def verdicts(contrasts: Sequence[Contrast], labels: Labels) -> list[str]:
    """Sentences on where each two differ and where no difference shows; contrasts with one verdict share a sentence."""
    seconds: dict[tuple[Condition, str], list[str]] = {}
    for contrast in contrasts:
        seconds.setdefault((contrast.first, _verdict(contrast, labels)), []).append(labels[contrast.second])
    return [f"{labels[first]} beside {listed(names)}: {said}." for (first, said), names in seconds.items()]


def _verdict(contrast: Contrast, labels: Labels) -> str:
    first, second = labels[contrast.first], labels[contrast.second]
    known = [one for one in contrast.by_group.values() if one.known is not None]
    ahead = [_amount(one) for one in known if not one.is_open and one.favours_first]
    behind = [_amount(one) for one in known if not one.is_open and not one.favours_first]
    unsure = [_place(one.group) for one in known if one.known and one.known.holds_zero]
    few = [_place(one.group) for one in known if one.known and one.known.interval is None]
    said = [f"{who} did better {listed(places)}" for who, places in ((first, ahead), (second, behind)) if places]
    if unsure:
        where = "anywhere" if len(unsure) == len(known) > 1 else listed(unsure)
        said.append(f"no difference shows {where}, as {'each' if len(unsure) > 1 else 'the'} interval holds 0")
    if few:
        said.append(f"fewer than {LEAST_EPISODES} pairs decide nothing {listed(few)}")
    return "; ".join(said) or "no common scale is known"


def _place(group: str) -> str:
    return f"over {OVERALL}" if group == OVERALL else f"in “{group}”"


def _amount(comparison: Comparison) -> str:
    found, digits = comparison.known, comparison.digits
    assert found is not None
    return (
        f"{_place(comparison.group)} (by {number(abs(found.mean), digits)}, {interval(_ahead(found.interval), digits)})"
    )


def _ahead(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    """The ends of an interval that excludes 0, without their sign, the smaller one first."""
    return ends if ends is None or ends[0] > 0 else (-ends[1], -ends[0])


# Agents with the same results, or without a clear difference


def identical(comparisons: Sequence[Comparison], labels: Labels) -> list[str]:
    """A sentence for each set of agents that had the same result in every episode that they have in common."""
    common = {(pair.first, pair.second): pair.common for pair in outermost(comparisons) if pair.is_identical}
    sets: list[list[Condition]] = []
    for condition in in_order(condition for pair in common for condition in pair):
        matching = (members for members in sets if all((member, condition) in common for member in members))
        if (members := next(matching, None)) is None:
            sets.append([condition])
        else:
            members.append(condition)
    return [
        f"{listed([labels[one] for one in members])} had the same result in all of "
        f"{counted(common[members[0], members[1]], 'common episode')}: their columns show one result."
        for members in sets
        if len(members) > 1
    ]


def alike(comparisons: Sequence[Comparison], labels: Labels) -> list[str]:
    """Sentences naming the pairs of agents whose values are equal or do not differ significantly.

    First a sentence for each agent on the later ones with equal values, then for each on those undecided.
    """
    pairs = outermost(comparisons)
    firsts = dict.fromkeys(pair.first for pair in pairs)
    same = [[pair for pair in pairs if pair.first == first and pair.is_alike] for first in firsts]
    unsure = [[p for p in pairs if p.first == first and p.is_open and not p.is_alike] for first in firsts]
    return [*(_same(some, labels) for some in same if some), *(_unsure(some, labels) for some in unsure if some)]


def _same(pairs: Sequence[Comparison], labels: Labels) -> str:
    shares: dict[str, list[str]] = {}
    for pair in pairs:
        episodes = counted(pair.common, "common episode")
        share = f"all of {episodes}" if pair.is_identical else f"{pair.equal} of {episodes}"
        shares.setdefault(share, []).append(labels[pair.second])
    said = [f"as {listed(names)} in {share}" for share, names in shares.items()]
    return f"{labels[pairs[0].first]} had the same result {', '.join(said)}."


def _unsure(pairs: Sequence[Comparison], labels: Labels) -> str:
    names = listed([labels[pair.second] for pair in pairs])
    reason = "the interval of the difference does not exclude 0" if len(pairs) == 1 else "no interval excludes 0"
    if all(pair.known and pair.known.interval is None for pair in pairs):
        reason = f"fewer than {LEAST_EPISODES} pairs have no interval"
    return f"Whether {labels[pairs[0].first]} does better or worse than {names} is left open: {reason}."
