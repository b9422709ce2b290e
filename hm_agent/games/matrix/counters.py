"""What to play against an expectation, and how strongly to commit to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import mul
from statistics import median_low

from hm_agent.core import Counts
from hm_agent.games.matrix.payoff import reward
from hm_agent.games.matrix.rules import Encounter, Rules

Odds = tuple[float, ...]
"""How likely each behaviour is, in the game's order."""

TYPICAL = 6
"""How much of its main resource a player is expected to hold before it was ever met playing it."""
STEPS_PER_THING = 3.0
"""How long it takes to collect one thing more."""
STEPS_PER_ROUND = 50.0
"""How long everything else between two interactions takes: finding the opponent, freezing, coming back."""
STEPS_PER_SEARCH = 100.0
"""How long it takes, among many on a large map, to find a particular one."""
MOST = 12
"""More of one thing than this is not worth collecting."""


def expected_inventories(rules: Rules, history: Sequence[Encounter]) -> tuple[Counts, ...]:
    """What an opponent will hold for each pure strategy, by what it held when it played it before."""
    return tuple(_expected(rules, history, played) for played in range(len(rules.behaviours)))


def _expected(rules: Rules, history: Sequence[Encounter], played: int) -> Counts:
    name = rules.behaviours[played]
    held = [encounter.other[played] for encounter in history if encounter.behaviour == name]
    return pure_inventory(rules, played, median_low(held) if held else TYPICAL)


def pure_inventory(rules: Rules, played: int, count: int) -> Counts:
    """So much of one resource, and of the others what everybody starts with."""
    return tuple(count if n == played else rules.initial_inventory for n in range(len(rules.behaviours)))


def best_target(
    rules: Rules, odds: Odds, expected: Sequence[Counts], own: Counts | None = None, course: int | None = None
) -> Counts:
    """The inventory to aim for: what pays most per step, since collecting takes time from the next round.

    odds, expected: for each pure strategy of the opponent, how likely it is and what would be held. own: what one holds
    already, if it is more than what everybody starts with. course: the behaviour to play, where that is settled; its
    resource is to lead. Where nothing pays more than anything else, a typical commitment to the first resource, since
    it tells most about the opponent.
    """

    def worth(target: Counts) -> tuple[float, int, int]:
        gain = sum(share * reward(target, other, rules.payoff) for share, other in zip(odds, expected, strict=True))
        rate = gain / (STEPS_PER_ROUND + STEPS_PER_THING * (sum(target) - sum(held)))
        return round(rate, 9), -abs(max(target) - TYPICAL), -target.index(max(target))

    held = own or (rules.initial_inventory,) * len(rules.behaviours)
    mains = range(len(rules.behaviours)) if course is None else (course,)
    behind = rules.initial_inventory if course is None else max(have for n, have in enumerate(held) if n != course)
    counts = range(behind + 1, max(behind + 1, MOST) + 1)
    return max((_raised(held, main, count) for main in mains for count in counts), key=worth)


def best_meeting(
    rules: Rules, others: Mapping[str, Odds], expected: Sequence[Counts], own: Counts, lead: int | None = None
) -> tuple[Counts, tuple[str, ...]]:
    """The inventory to aim for among many, and whom to meet with it: what pays most per step.

    others: how likely each behaviour is, by player. expected: what would be held for each pure strategy. The fewer one
    seeks, the longer it takes to find one; where nobody promises anything, anybody is met, to learn from it. lead: the
    behaviour to play, where that is settled.
    """

    def worth(target: Counts, gains: Sequence[float]) -> tuple[float, int, int, int]:
        steps = STEPS_PER_ROUND + STEPS_PER_SEARCH / len(gains) + STEPS_PER_THING * (sum(target) - sum(own))
        rate = sum(gains) / len(gains) / steps
        return round(rate, 9), len(gains), -abs(max(target) - TYPICAL), -target.index(max(target))

    targets = [
        _raised(own, main, count)
        for main in (range(len(rules.behaviours)) if lead is None else (lead,))
        for count in range(rules.initial_inventory + 1, MOST + 1)
    ]
    options = []
    for target in targets:
        paid = [reward(target, other, rules.payoff) for other in expected]
        gains = {player: sum(map(mul, odds, paid)) for player, odds in others.items()}
        ranked = sorted(gains, key=lambda player: -gains[player])
        options += [(worth(target, [gains[name] for name in ranked[:n]]), target, ranked[:n]) for n in _counts(ranked)]
    _, target, sought = max(options, key=lambda option: option[0])
    return target, tuple(sorted(sought))


def _counts(ranked: Sequence[str]) -> range:
    return range(1, len(ranked) + 1)


def _raised(held: Counts, main: int, count: int) -> Counts:
    """What is held, with so much of one resource if it is less."""
    return tuple(max(have, count) if n == main else have for n, have in enumerate(held))
