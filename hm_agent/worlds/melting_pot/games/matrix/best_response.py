"""What to play against an expectation, and how strongly to commit to it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low

from hm_agent.core import Counts
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules

Distribution = tuple[float, ...]
"""How likely each behaviour is, in the game's order."""

TYPICAL = 6
"""How much of its main resource a player is expected to hold before it was ever met playing it."""
STEPS_PER_THING = 3.0
"""How long it takes to collect one thing more."""
STEPS_PER_ROUND = 50.0
"""How long everything else between two interactions takes: finding the opponent, freezing, coming back."""
MOST = 12
"""More of one thing than this is not worth collecting."""


def expected_inventories(rules: Rules, history: Sequence[MatrixInteraction]) -> tuple[Counts, ...]:
    """What an opponent will hold for each pure strategy, by what it held when it played it before."""
    return tuple(_expected(rules, history, played) for played in range(len(rules.behaviours)))


def _expected(rules: Rules, history: Sequence[MatrixInteraction], played: int) -> Counts:
    name = rules.behaviours[played]
    held = [encounter.other[played] for encounter in history if encounter.behaviour == name]
    return pure_inventory(rules, played, median_low(held) if held else TYPICAL)


def pure_inventory(rules: Rules, played: int, count: int) -> Counts:
    """So much of one resource, and of the others what everybody starts with."""
    return tuple(count if n == played else rules.initial_inventory for n in range(len(rules.behaviours)))


def best_target(
    rules: Rules, odds: Distribution, expected: Sequence[Counts], own: Counts | None = None, course: int | None = None
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
    return max((raised(held, main, count) for main in mains for count in counts), key=worth)


def raised(held: Counts, main: int, count: int) -> Counts:
    """What is held, with so much of one resource if it is less."""
    return tuple(max(have, count) if n == main else have for n, have in enumerate(held))
