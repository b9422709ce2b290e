"""A regression that foretells another player's actions from payoffs, and takes nobody to think or to want anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hm_agent.repeated_games.payoffs import Side

FEATURES = 12
"""The number of `features` of each action."""
SPREAD = 3.0
"""The standard deviation of the weights before anything was seen; their mean is 0."""
FITTED = 8
"""The steps of Newton's method after each round."""
LONGEST = 1.0
"""The greatest length of such a step, since it diverges from afar."""

Array = npt.NDArray[np.float64]


class ChoiceRegression:
    """A multinomial logistic regression on `features` of each of the other's actions (McFadden, 1974).

    It begins without knowing which of them matter, and is fitted to all rounds so far after each.
    """

    def __init__(self) -> None:
        self._seen: list[Array] = []
        self._played: list[int] = []
        self._weights = np.zeros(FEATURES)

    def learn(self, side: Side, other: int) -> None:
        """Fits the weights to one more round. side: its table as the player sees it. other: what the other played."""
        self._seen.append(features(side))
        self._played.append(other)
        seen = np.stack(self._seen)
        self._weights = fitted(seen, self._played, SPREAD, FITTED, LONGEST, self._weights)

    def chances(self, side: Side) -> list[float]:
        """The probability of each of the other's actions in a table."""
        found: list[float] = softmax(features(side) @ self._weights).tolist()
        return found


def fitted(
    seen: Array, chosen: Sequence[int], spread: float, steps: int, longest: float, weights: Array | None = None
) -> Array:
    """The weights of a multinomial logistic regression by which the chosen options are likeliest, by Newton's method.

    seen: (choices, options, features). spread: the standard deviation of the weights before anything was seen. steps,
    longest: how many, and the greatest length of one. weights: to begin with; 0 unless given.
    """
    size, numbers = seen.shape[-1], np.arange(len(seen))
    weights = np.zeros(size) if weights is None else weights
    for _ in range(steps):
        chances = softmax(seen @ weights)
        apart = seen - np.einsum("ra,raf->rf", chances, seen)[:, None]
        slope = apart[numbers, chosen].sum(0) - weights / spread**2
        curve = np.einsum("raf,ra,rag->fg", apart, chances, apart) + np.eye(size) / spread**2
        step = np.linalg.solve(curve, slope)
        weights = weights + step / max(1.0, float(np.linalg.norm(step)) / longest)
    return weights


def features(side: Side) -> Array:
    """Of each of the other's actions the mean, largest and least payoff for each player, and whether they are the best.

    Returns (actions of the other, FEATURES); payoffs are shares of their player's largest absolute payoff.
    """
    found = []
    for payoff in (np.array(side.payoff), np.array(side.others_payoff)):
        shares = payoff / np.abs(payoff).max()
        for worth in (shares.mean(0), shares.max(0), shares.min(0)):
            found += [worth, worth == worth.max()]
    return np.stack(found, -1).astype(np.float64)


def softmax(worth: Array) -> Array:
    """The chances of options by their worth, along the last axis."""
    weights = np.exp(worth - worth.max(-1, keepdims=True))
    shares: Array = weights / weights.sum(-1, keepdims=True)
    return shares
