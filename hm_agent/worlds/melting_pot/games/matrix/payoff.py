"""The reward of an interaction in a matrix game, and the inference of the partner's inventory from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from operator import mul

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.facts import Counts

Payoff = tuple[tuple[float, ...], ...]
"""Row i, column j: the reward for playing pure strategy i against j."""

MAIN, SIDE = 20, 3
"""How many units beyond the initial ones an opponent may hold: of its main resource, and of each other resource."""
TOLERANCE = 1e-6
"""How far a reward may lie above the smallest error and still count as explained."""
SIDE_WEIGHT = 0.3
"""Prior weight of an inventory: multiplied by this for each unit collected of a resource other than the main one."""


def reward(own: Counts, other: Counts, payoff: Payoff) -> float:
    """v_own^T A v_other over normalised inventories (appendix B.1)."""
    paid: float = sum(mine * sum(map(mul, row, other)) for mine, row in zip(own, payoff, strict=True))
    return paid / (sum(own) * sum(other))


def argmax(counts: Sequence[float]) -> int | None:
    """The index of the largest entry; None if several entries tie for it."""
    best = max(counts)
    return list(counts).index(best) if list(counts).count(best) == 1 else None


@cache
def _candidates(resources: int, initial: int) -> npt.NDArray[np.int64]:
    """The inventories that an opponent may hold, (n, resources): one main resource, a few units of the others."""

    def inventories() -> Iterator[Counts]:
        for main in range(resources):
            for sides in product(range(initial, initial + SIDE + 1), repeat=resources - 1):
                for count in range(initial + 1, initial + MAIN + 1):
                    if count >= max(sides):
                        yield (*sides[:main], count, *sides[main:])

    return np.array(sorted(set(inventories())))


def consistent_inventories(own: Counts, received: float, payoff: Payoff, initial: int) -> list[tuple[Counts, float]]:
    """The inventories of the partner that explain the reward best, each with its posterior, the likeliest first.

    The prior prefers few units of other resources than the main one, since players collect for one pure strategy.
    """
    candidates = _candidates(len(payoff), initial)
    v = np.array(own, float) / sum(own)
    rewards = (candidates / candidates.sum(1, keepdims=True)) @ (v @ np.array(payoff))
    error = np.abs(rewards - received)
    fits = candidates[error <= error.min() + TOLERANCE]
    sides = fits.sum(1) - fits.max(1) - initial * (len(payoff) - 1)
    weights = SIDE_WEIGHT**sides
    order = np.lexsort((fits.sum(1), -weights))
    return [(tuple(map(int, fits[n])), float(weights[n] / weights.sum())) for n in order]


def infer_inventory(own: Counts, received: float, payoff: Payoff, initial: int) -> tuple[Counts, int | None]:
    """The partner's likeliest inventory, and the index of its likeliest pure strategy.

    The strategy is None unless its total probability exceeds one half: an own inventory in which no resource leads
    yields the same reward against every strategy.
    """
    fits = consistent_inventories(own, received, payoff, initial)
    probabilities = [0.0] * len(payoff)
    for inventory, probability in fits:
        main = argmax(inventory)
        if main is not None:
            probabilities[main] += probability
    best = int(np.argmax(probabilities))
    if probabilities[best] <= 0.5:
        return fits[0][0], None
    return next(inventory for inventory, _ in fits if argmax(inventory) == best), best
