"""Small automata that foretell another player's actions, weighed by how well they did: counting, without a mind."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from hm_agent.repeated_games.payoffs import Side

SLIP = 0.15
"""The chance with which an automaton is taken to play any action."""
MOST_LOSSES = 3


class Automata:
    """All automata of one habit, or of two between which one changes each time that it lost so many rounds in a row.

    A habit goes a fixed number of actions on from the last action of the other or of the player. Half of the weight is
    at first on automata of one habit. count: how many actions the other has.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._habits = np.array([*product((0, 1), range(count))])
        numbers = range(len(self._habits))
        two = [(*pair, losses) for pair in permutations(numbers, 2) for losses in range(1, MOST_LOSSES + 1)]
        self._automata = np.array([*((habit, habit, 0) for habit in numbers), *two])
        is_single = self._automata[:, 2] == 0
        self._weights = np.where(is_single, 1 / is_single.sum(), 1 / len(two))
        self._changed, self._lost = np.zeros(len(is_single), bool), np.zeros(len(is_single), int)
        self._foretold: np.ndarray | None = None

    def learn(self, side: Side, own: int, other: int) -> None:
        """Weighs the automata by a round, and moves them on. side: the round's table as the player sees it."""
        if self._foretold is not None:
            slip = SLIP / self._count
            self._weights *= np.where(self._foretold == other, 1 - SLIP + slip, slip)
            self._weights /= self._weights.sum()
        self._lost = (self._lost + 1) * (own == side.best_response(other))
        changes = (self._lost > 0) & (self._lost == self._automata[:, 2])
        self._changed ^= changes
        self._lost[changes] = 0
        anchor, steps = self._habits[np.where(self._changed, self._automata[:, 1], self._automata[:, 0])].T
        self._foretold = (np.array((own, other))[anchor] + steps) % self._count

    @property
    def chances(self) -> list[float]:
        """The probability of each of the other's next actions, after at least one round."""
        assert self._foretold is not None
        found: list[float] = np.bincount(self._foretold, self._weights, self._count).tolist()
        return found
