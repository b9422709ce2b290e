"""The arithmetic of matrix games: what an interaction pays, and what it tells of the other's inventory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from operator import mul

import numpy as np
import numpy.typing as npt

from hm_agent.core import Counts

Payoff = tuple[tuple[float, ...], ...]
"""Row i, column j: the reward for playing pure strategy i against j."""

MAIN, SIDE = 20, 3
"""The most of its main resource, and of each other, that an opponent is expected to hold."""
TOLERANCE = 1e-6
SIDE_ODDS = 0.3
"""How much less likely each resource beyond the main one is to have been collected."""


def reward(own: Counts, other: Counts, payoff: Payoff) -> float:
    """v_own^T A v_other over normalised inventories (appendix B.1)."""
    paid: float = sum(mine * sum(map(mul, row, other)) for mine, row in zip(own, payoff, strict=True))
    return paid / (sum(own) * sum(other))


def argmax(counts: Sequence[float]) -> int | None:
    """The position of the largest entry; None where it is not the only one."""
    best = max(counts)
    return list(counts).index(best) if list(counts).count(best) == 1 else None


@cache
def _candidates(resources: int, initial: int) -> npt.NDArray[np.int64]:
    """(n, resources) the inventories an opponent may hold: one main resource, few others, one at least collected."""
    return np.array(sorted(set(_inventories(resources, initial))))


def _inventories(resources: int, initial: int) -> Iterator[Counts]:
    for main in range(resources):
        for sides in product(range(initial, initial + SIDE + 1), repeat=resources - 1):
            for count in range(initial + 1, initial + MAIN + 1):
                if count >= max(sides):
                    yield (*sides[:main], count, *sides[main:])


def consistent_inventories(own: Counts, received: float, payoff: Payoff, initial: int) -> list[tuple[Counts, float]]:
    """Every inventory of the other that explains the reward exactly, with its probability, the likeliest first.

    Where none does, those that come closest. The prior prefers few resources beside the main one: the other collects
    for a purpose.
    """
    candidates = _candidates(len(payoff), initial)
    v = np.array(own, float) / sum(own)
    rewards = (candidates / candidates.sum(1, keepdims=True)) @ (v @ np.array(payoff))
    error = np.abs(rewards - received)
    fits = candidates[error <= error.min() + TOLERANCE]
    sides = fits.sum(1) - fits.max(1) - initial * (len(payoff) - 1)
    weights = SIDE_ODDS**sides
    order = np.lexsort((fits.sum(1), -weights))
    return [(tuple(map(int, fits[n])), float(weights[n] / weights.sum())) for n in order]


def infer_inventory(own: Counts, received: float, payoff: Payoff, initial: int) -> tuple[Counts, int | None]:
    """The likeliest inventory of the other, and which pure strategy it was.

    The strategy is the one with most probability over all inventories that fit, None where that is no majority: an own
    inventory without a lead tells nothing of the other's.
    """
    fits = consistent_inventories(own, received, payoff, initial)
    odds = [0.0] * len(payoff)
    for inventory, probability in fits:
        main = argmax(inventory)
        if main is not None:
            odds[main] += probability
    best = int(np.argmax(odds))
    if odds[best] <= 0.5:
        return fits[0][0], None
    return next(inventory for inventory, _ in fits if argmax(inventory) == best), best
