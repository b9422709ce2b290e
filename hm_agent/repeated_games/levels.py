"""Level-k thinkers, and the tables that are drawn for them: in a new table only thinking tells how another plays.

Players of level 1 look at their own payoffs alone; each further level best-responds to the one below it (Stahl and
Wilson, 1995). In a table that nobody has seen, no count of earlier actions foretells theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random

from hm_agent.repeated_games.payoffs import Side, Table, transposed
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

NAIVE: Mapping[str, Callable[[tuple[float, ...]], float]] = {"average": sum, "boldest": max, "safest": min}
"""What a naive player wants to be large in the payoffs of its action: their mean, the largest or the least of them."""


def naive_action(side: Side, naive: str) -> int:
    """The action that a naive player takes (`NAIVE`); the first of several."""
    worth = [NAIVE[naive](row) for row in side.payoff]
    return worth.index(max(worth))


def level_action(side: Side, level: int, naive: str) -> int:
    """The action of a player of a level from 1 on: a naive one, or the best response to the level below."""
    if level == 1:
        return naive_action(side, naive)
    return side.best_response(level_action(side.opposite, level - 1, naive))


@dataclass(frozen=True)
class LevelRule(RuleOfPlay):
    """Takes the other for a player of the level below its own, which is `order`, and best-responds to it.

    naive: how players of level 1 choose (`NAIVE`). tremble: as in CopyRule.
    """

    order: int = 1
    naive: str = "average"
    tremble: float = 0.0

    def after(self, state: None, own: int, other: int) -> None:
        return None

    def reply(self, state: None) -> int:
        return level_action(self.side, self.order, self.naive)


def drawn_side(rng: Random, actions: tuple[str, ...], highest: int) -> Side:
    """Draws a table of whole numbers from 0 to `highest`, for each player no two alike, without a pure equilibrium.

    All such tables are equally likely. With a pure equilibrium many levels would meet in it.
    """
    while True:
        side = Side(actions, actions, _drawn(rng, len(actions), highest), _drawn(rng, len(actions), highest))
        if not _has_pure_equilibrium(side):
            return side


@lru_cache(256)
def drawn_sides(seed: int, rounds: int, actions: tuple[str, ...], highest: int) -> tuple[Side, ...]:
    """The tables of an episode's rounds (`drawn_side`); remembered, since many agents play the same episodes."""
    rng = Random(f"tables/{seed}")
    return tuple(drawn_side(rng, actions, highest) for _ in range(rounds))


def _drawn(rng: Random, count: int, highest: int) -> Table:
    numbers = rng.sample(range(highest + 1), count**2)
    return tuple(tuple(numbers[row * count : (row + 1) * count]) for row in range(count))


def _has_pure_equilibrium(side: Side) -> bool:
    best = [max(column) for column in transposed(side.payoff)]
    cells = product(range(len(side.actions)), range(len(side.others)))
    return any(
        side.payoff[own][other] == best[other] and side.others_payoff[own][other] == max(side.others_payoff[own])
        for own, other in cells
    )
