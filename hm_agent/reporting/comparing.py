"""Agents beside each other on the same episodes: the same scenario, seed and opponents, under the same conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hm_agent.recording.result import Result, Setting
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.runs import stage_of
from hm_agent.reporting.statistics import Difference, paired_difference
from hm_agent.reporting.tables import OVERALL, Row
from hm_agent.reporting.wording import counted, listed

NEARLY_ALL = 0.9
"""From this share of equal episodes on, two agents count as alike."""
_TINY = 1e-9
Key = tuple[str, int, tuple[str, ...], tuple[str, Setting]]
Scales = Mapping[tuple[str, Condition], float]
"""The distance from floor to ceiling, by scenario and contestant; rewards over it can be averaged across games."""


@dataclass(frozen=True)
class Comparison:
    """How much more the first of two earns than the second, over a game or over all.

    reward: None over all games, whose scales differ. score: the difference as a share of the distance from floor to
    ceiling; None where these are not known. equal: in how many of the common episodes both earned the same.
    """

    first: Condition
    second: Condition
    game: str
    reward: Difference | None
    score: Difference | None
    equal: int
    common: int

    @property
    def is_alike(self) -> bool:
        return self.equal >= NEARLY_ALL * self.common

    @property
    def is_open(self) -> bool:
        """Whether these episodes leave open who earns more; None of the differences tells."""
        told = self.reward or self.score
        return told is None or told.is_open


def compare(results: Iterable[Result], rows: Sequence[Row]) -> list[Comparison]:
    """All pairs of those that compete and have episodes in common, over all games and by game."""
    episodes = _episodes(results)
    scales = {
        (row.stage.name, row.contestant): row.ceiling - row.floor
        for row in rows
        if row.score is not None and row.ceiling is not None and row.floor is not None
    }
    found: list[Comparison] = []
    for first, second in combinations(in_order(one for one in episodes if not one.is_reference), 2):
        found += _compare(first, second, _pairs(episodes[first], episodes[second]), scales)
    return found


def _episodes(results: Iterable[Result]) -> dict[Condition, dict[Key, float]]:
    """The reward of every finished episode, by contestant and by what has to be the same for a pair."""
    found: dict[Condition, dict[Key, float]] = {}
    for result in results:
        if result.is_finished and result.normalised_reward is not None:
            one = Condition.of(result)
            key = (result.scenario, result.seed, result.background, one.conditions)
            found.setdefault(one, {})[key] = result.normalised_reward
    return found


def _pairs(first: Mapping[Key, float], second: Mapping[Key, float]) -> dict[str, list[float]]:
    """The paired differences by scenario, in the order of the scenarios."""
    found: dict[str, list[float]] = {}
    for key in sorted(first.keys() & second.keys(), key=lambda key: (stage_of(key[0]).place, key[:2])):
        found.setdefault(key[0], []).append(first[key] - second[key])
    return found


def _compare(first: Condition, second: Condition, pairs: Mapping[str, list[float]], scales: Scales) -> list[Comparison]:
    by_game: dict[str, dict[str, list[float]]] = {}
    for scenario, differences in pairs.items():
        by_game.setdefault(stage_of(scenario).game, {})[scenario] = differences
    found = [_comparison(first, second, game, part, scales) for game, part in by_game.items()]
    overall = [_comparison(first, second, OVERALL, pairs, scales)] if len(by_game) > 1 else []
    return [*overall, *found]


def _comparison(
    first: Condition, second: Condition, game: str, pairs: Mapping[str, list[float]], scales: Scales
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
        game=game,
        reward=None if game == OVERALL else paired_difference(pairs),
        score=paired_difference(scaled),
        equal=sum(abs(difference) < _TINY for difference in everything),
        common=len(everything),
    )


def outermost(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Of each pair, the comparison over all its games."""
    first: dict[tuple[Condition, Condition], Comparison] = {}
    for comparison in comparisons:
        first.setdefault((comparison.first, comparison.second), comparison)
    return list(first.values())


def alike(comparisons: Sequence[Comparison], labels: Mapping[Condition, str]) -> list[str]:
    """In words, whom these episodes don't tell apart: a sentence for each agent and those that come after it."""
    pairs = outermost(comparisons)
    firsts = dict.fromkeys(pair.first for pair in pairs)
    same = [[pair for pair in pairs if pair.first == first and pair.is_alike] for first in firsts]
    unsure = [[p for p in pairs if p.first == first and p.is_open and not p.is_alike] for first in firsts]
    return [*(_same(some, labels) for some in same if some), *(_unsure(some, labels) for some in unsure if some)]


def _same(pairs: Sequence[Comparison], labels: Mapping[Condition, str]) -> str:
    shares: dict[str, list[str]] = {}
    for pair in pairs:
        shares.setdefault(_share(pair), []).append(labels[pair.second])
    said = [f"as {listed(names)} in {share}" for share, names in shares.items()]
    return f"{labels[pairs[0].first]} earned the same {', '.join(said)}."


def _share(pair: Comparison) -> str:
    episodes = counted(pair.common, "common episode")
    return f"all of {episodes}" if pair.equal == pair.common else f"{pair.equal} of {episodes}"


def _unsure(pairs: Sequence[Comparison], labels: Mapping[Condition, str]) -> str:
    names = listed([labels[pair.second] for pair in pairs])
    told = "the interval of the difference does not exclude 0" if len(pairs) == 1 else "no interval excludes 0"
    return f"Whether {labels[pairs[0].first]} earns more or less than {names} is left open: {told}."
