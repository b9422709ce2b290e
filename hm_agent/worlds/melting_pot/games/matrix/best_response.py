"""The inventory to aim for against an expected opponent, and how many units of its main resource to collect."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules

Distribution = tuple[float, ...]
"""The probability of each behaviour, in the game's order."""

TYPICAL = 6
"""The count of its main resource that a player is expected to hold before any interaction has shown it."""
STEPS_PER_THING = 3.0
"""Steps it takes to collect one more unit of a resource."""
STEPS_PER_ROUND = 50.0
"""Steps between two interactions without collecting: finding the opponent, being frozen, respawning."""
MOST_COLLECTED = 12
"""The largest count of one resource that a target inventory has."""


def expected_inventories(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> tuple[Counts, ...]:
    """For each pure strategy the inventory an opponent will hold: the median of its earlier ones, TYPICAL without."""

    def count(played: int) -> int:
        name = rules.behaviours[played]
        held = [interaction.other[played] for interaction in history if interaction.behaviour == name]
        return median_low(held) if held else TYPICAL

    return tuple(pure_inventory(rules, played, count(played)) for played in range(len(rules.behaviours)))


def pure_inventory(rules: MatrixRules, played: int, count: int) -> Counts:
    """An inventory with a count of one resource and the initial count of all others."""
    return tuple(count if n == played else rules.initial_inventory for n in range(len(rules.behaviours)))


def best_target(
    rules: MatrixRules,
    probabilities: Distribution,
    expected: Sequence[Counts],
    own: Counts | None = None,
    behaviour: int | None = None,
) -> Counts:
    """The target inventory with the highest expected reward per step; collecting it takes steps, too.

    probabilities, expected: for each pure strategy of the opponent, its probability and the inventory held for it.
    own: the agent's inventory, the initial one if None. behaviour: the pure strategy to play if that is settled; its
    resource must lead. Ties go to TYPICAL units of the first resource, which reveals most about the opponent.
    """

    def worth(target: Counts) -> tuple[float, int, int]:
        gain = sum(
            share * reward(target, other, rules.payoff) for share, other in zip(probabilities, expected, strict=True)
        )
        rate = gain / (STEPS_PER_ROUND + STEPS_PER_THING * (sum(target) - sum(held)))
        return round(rate, 9), -abs(max(target) - TYPICAL), -target.index(max(target))

    held = own or (rules.initial_inventory,) * len(rules.behaviours)
    mains = range(len(rules.behaviours)) if behaviour is None else (behaviour,)
    behind = (
        rules.initial_inventory if behaviour is None else max(have for n, have in enumerate(held) if n != behaviour)
    )
    counts = range(behind + 1, max(behind + 1, MOST_COLLECTED) + 1)
    return max((raised(held, main, count) for main in mains for count in counts), key=worth)


def raised(held: Counts, main: int, count: int) -> Counts:
    """An inventory with one resource raised to at least a count."""
    return tuple(max(have, count) if n == main else have for n, have in enumerate(held))
