"""Equilibria of a game that is played once: of zero-sum games by linear programming, of others by their supports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from hm_agent.repeated_games.payoffs import Shares, Side

TOLERANCE = 1e-9


def maximin(side: Side) -> tuple[Shares, float]:
    """Returns the mixture whose least expected payoff is the largest, and that payoff.

    In a zero-sum game these are the equilibrium and the game's value. Solved as a linear program: maximise v such that
    the mixture earns at least v against every action of the other player.
    """
    from scipy.optimize import linprog

    count, others = len(side.actions), len(side.others)
    against = np.hstack([-np.array(side.payoff, float).T, np.ones((others, 1))])
    solved = linprog(
        c=[0.0] * count + [-1.0],
        A_ub=against,
        b_ub=np.zeros(others),
        A_eq=[[1.0] * count + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * count + [(None, None)],
    )
    return _shares(solved.x[:count]), float(solved.x[-1])


def equilibria(side: Side) -> Iterator[tuple[Shares, Shares]]:
    """Yields the equilibria whose mixtures have equally many actions, which are all of a nondegenerate game.

    Each is a mixture of the player's own and one of the other's. Small supports come first, so pure equilibria do.
    """
    payoff, others_payoff = np.array(side.payoff, float), np.array(side.others_payoff, float)
    for size in range(1, min(payoff.shape) + 1):
        supports = [*product(*(combinations(range(count), size) for count in payoff.shape))]
        mine, theirs = (np.array(support) for support in zip(*supports, strict=True))
        cells = mine[:, :, None], theirs[:, None, :]
        owns, others = _indifferent(others_payoff[cells].transpose(0, 2, 1)), _indifferent(payoff[cells])
        for number in np.flatnonzero((owns.min(1) > TOLERANCE) & (others.min(1) > TOLERANCE)):
            own = _spread(owns[number], mine[number], payoff.shape[0])
            other = _spread(others[number], theirs[number], payoff.shape[1])
            if _is_best(side, own, other) and _is_best(side.opposite, other, own):
                yield own, other


def equilibrium(side: Side) -> Shares:
    """Returns the player's own mixture in one equilibrium.

    In a zero-sum game it is `maximin`; else it is that of the equilibrium with the largest sum of both payoffs, the
    first of several. So two players may choose different equilibria where several have the same sum, as in Chicken.
    """
    if side.is_zero_sum:
        return maximin(side)[0]
    best = max(equilibria(side), key=lambda found: round(_sum(side, *found), 6), default=None)
    return best[0] if best else maximin(side)[0]


def _indifferent(payoffs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each of many square tables, the shares of its columns that make all rows pay alike; NaN if there are none."""
    count, size, _ = payoffs.shape
    equations = np.zeros((count, size + 1, size + 1))
    equations[:, :size, :size], equations[:, :size, size], equations[:, size, :size] = payoffs, -1, 1
    is_solvable = abs(np.linalg.det(equations)) > TOLERANCE
    shares = np.full((count, size), np.nan)
    shares[is_solvable] = np.linalg.inv(equations[is_solvable])[:, :size, size]
    return shares


def _spread(shares: npt.NDArray[np.float64], support: npt.NDArray[np.int_], count: int) -> Shares:
    """A mixture of all actions from that of a support."""
    mixture = np.zeros(count)
    mixture[support] = shares
    return _shares(mixture)


def _is_best(side: Side, own: Shares, other: Shares) -> bool:
    """True if no action pays more against the other's mixture than the player's own mixture does."""
    paid = [side.expected(action, other) for action in range(len(side.actions))]
    return max(paid) <= sum(map(float.__mul__, own, paid)) + TOLERANCE


def _sum(side: Side, own: Shares, other: Shares) -> float:
    """The expected sum of what both players get."""
    both = np.array(side.payoff, float) + np.array(side.others_payoff, float)
    return float(np.array(own) @ both @ np.array(other))


def _shares(values: npt.NDArray[np.float64]) -> Shares:
    return tuple(float(value) for value in np.round(values, 12))
