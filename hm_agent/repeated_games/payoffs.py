"""Games of two in normal form, as a table of payoffs and as either player sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

Table = tuple[tuple[float, ...], ...]
Shares = tuple[float, ...]
"""A probability for each action."""


def transposed(table: Table) -> Table:
    return tuple(zip(*table, strict=True))


@dataclass(frozen=True, slots=True)
class Side:
    """A game as one of its players sees it. Actions are numbers where a method takes them, in the order of the names.

    actions, others: the names of its own actions and of the other player's. payoff, others_payoff: row i, column j:
    what it and the other player get for its action i and the other's action j.
    """

    actions: tuple[str, ...]
    others: tuple[str, ...]
    payoff: Table
    others_payoff: Table

    @property
    def opposite(self) -> Side:
        """The same game as the other player sees it."""
        return Side(self.others, self.actions, transposed(self.others_payoff), transposed(self.payoff))

    @property
    def is_zero_sum(self) -> bool:
        """True if what both get always adds up to 0."""
        rows = zip(self.payoff, self.others_payoff, strict=True)
        return all(mine + yours == 0 for row, other in rows for mine, yours in zip(row, other, strict=True))

    def expected(self, own: int, chances: Sequence[float]) -> float:
        """The expected payoff of an action. chances: of each action of the other player."""
        paid: float = sum(map(mul, self.payoff[own], chances))
        return paid

    def best_against(self, chances: Sequence[float]) -> int:
        """The action with the largest expected payoff; the first of several. chances: as in `expected`."""
        paid = [self.expected(own, chances) for own in range(len(self.actions))]
        return paid.index(max(paid))

    def best_response(self, other: int) -> int:
        """The action that pays most against one action of the other player; the first of several."""
        paid = [row[other] for row in self.payoff]
        return paid.index(max(paid))

    def best_responses(self, action: int, times: int) -> int:
        """What so many best responses, each to the one before, lead to; in a game whose sides have the same actions."""
        for _ in range(times):
            action = self.best_response(action)
        return action

    def outguessing(self, own: int) -> int:
        """The best response to the other player's best response to one's own action."""
        return self.best_response(self.opposite.best_response(own))
