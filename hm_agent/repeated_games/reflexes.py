"""What play that answers the last round alone earns at best against opponents whose rules are known, exactly."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.policy_classes import Mixture
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

MOST_ACTIONS = 3
"""In games with more actions a reflex sees of the last round only how far apart the two actions were."""
Reflex = tuple[int, ...]
"""How far from the other's last action it plays, by the class of the last round; of all classes or only the first."""
LastRound = tuple[int, int]
"""The numbers of the own action and of the other's."""


def reflex_value(mixture: Mixture, rounds: int) -> float:
    """The expected sum of payoffs of the best reflex: a policy that knows the rules and sees the last round alone.

    It answers alike in all rounds but the first, in which it plays any action. By branch and bound, one class of last
    rounds after the other: for classes that are still open, play that is told the rule and its state is the bound.
    """
    reflexes = _Reflexes(mixture, rounds)
    waiting: list[tuple[float, Reflex]] = [(-reflexes.bound(()), ())]
    while len(waiting[0][1]) < reflexes.classes:
        _, reflex = heappop(waiting)
        for way in range(reflexes.actions):
            heappush(waiting, (-reflexes.bound((*reflex, way)), (*reflex, way)))
    return -waiting[0][0]


class _Reflexes:
    """The game as a Markov chain, whose states are a rule, its state and the round before it, None at first."""

    def __init__(self, mixture: Mixture, rounds: int) -> None:
        side = next(iter(mixture)).side.opposite
        seen = _classes(side)
        self.actions, self.classes, self._rounds = len(side.actions), max(seen.values()) + 1, rounds
        self._shares = np.array(list(mixture.values()))
        states, after = _states(mixture)
        self._after = np.array(after)
        self._chances = np.array([rule.chances(state) for rule, state, _ in states])
        self._paid = self._chances @ np.array(side.payoff).T
        self._seen = np.array([seen[last] if last else self.classes for *_, last in states])
        self._others = np.array([last[1] if last else 0 for *_, last in states])

    def bound(self, reflex: Reflex) -> float:
        """What the best reflex that begins so earns at most; what it earns, if it is whole."""
        ways = np.array([*reflex, *[-1] * (self.classes + 1 - len(reflex))])[self._seen]
        chosen = (self._others + ways) % self.actions
        permitted = (ways[:, None] < 0) | (np.arange(self.actions) == chosen[:, None])
        of_actions = np.zeros_like(self._paid)
        for _ in range(self._rounds):
            values = of_actions.max(1, initial=-np.inf, where=permitted)
            of_actions = self._paid + np.einsum("so,sao->sa", self._chances, values[self._after])
        starts: npt.NDArray[np.float64] = self._shares @ of_actions[: len(self._shares)]
        return float(starts.max())


def _classes(side: Side) -> dict[LastRound, int]:
    """The last rounds that a reflex tells apart, by number."""
    count, last_rounds = len(side.actions), list(product(range(len(side.actions)), range(len(side.others))))
    if count <= MOST_ACTIONS:
        return {last: number for number, last in enumerate(last_rounds)}
    return {(own, other): (own - other) % count for own, other in last_rounds}


def _states(mixture: Mixture) -> tuple[list[tuple[RuleOfPlay, Any, LastRound | None]], list[list[list[int]]]]:
    """All states that can be reached, the rules' starts first; and for each the number of the next, by both actions.

    Where the other never plays an action, the number means nothing.
    """
    states: list[tuple[RuleOfPlay, Any, LastRound | None]] = [(rule, rule.start, None) for rule in mixture]
    numbers = {state: number for number, state in enumerate(states)}
    after: list[list[list[int]]] = []
    for rule, state, _ in states:  # grows meanwhile
        side, chances = rule.side, rule.chances(state)
        after.append([[0] * len(side.actions) for _ in side.others])
        for own, other in product(range(len(side.others)), range(len(side.actions))):
            if chances[other]:
                following = rule, rule.after(state, other, own), (own, other)
                if following not in numbers:
                    numbers[following] = len(states)
                    states.append(following)
                after[-1][own][other] = numbers[following]
    return states, after
