"""The best play against an opponent whose rule is known, and against one of several known rules.

Both are exact for a given number of rounds, by dynamic programming over the states of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import mul
from typing import Any

from hm_agent.repeated_games.rules_of_play import RuleOfPlay

DIGITS = 10
"""To how many decimals probabilities are rounded when beliefs are compared, and expected payoffs when actions are."""

MOST_KNOWN = 100_000
"""How many beliefs' values are remembered at a time."""

Beliefs = tuple[tuple[int, Any, float], ...]
"""The rules that are still possible: for each its number, the state that it would be in, and its probability."""


class BestResponse:
    """The best response to one rule over a number of rounds, by backward induction.

    The rule's states that can be reached in each round, and the transitions between them, are a finite Markov decision
    process; its values are computed once, from the last round to the first.
    """

    def __init__(self, rule: RuleOfPlay, rounds: int) -> None:
        self._rule, self._rounds = rule, rounds
        self._side = rule.side.opposite

    def value(self, state: Any, left: int) -> float:
        """The expected sum of payoffs of best play from a state, with `left` rounds to play."""
        return self._values[left][state]

    def action(self, state: Any, left: int) -> int:
        """The best action; the first of several."""
        values = [round(value, DIGITS) for value in self.action_values(state, left)]
        return values.index(max(values))

    def action_values(self, state: Any, left: int) -> list[float]:
        """For each action, the expected sum of payoffs if it is played now and best play follows."""
        return self._action_values(state, self._values[left - 1])

    @property
    def total(self) -> float:
        """The expected sum of payoffs of best play over all rounds."""
        return self.value(self._rule.start, self._rounds)

    @cached_property
    def _values(self) -> Sequence[dict[Any, float]]:
        """By the number of rounds left, the value of each state that can be reached by then."""
        reached = [{self._rule.start}]
        for _ in range(self._rounds):
            reached.append({after for state in reached[-1] for after in self._successors(state)})
        values = [dict.fromkeys(reached[-1], 0.0)]
        for states in reversed(reached[:-1]):
            values.append({state: max(self._action_values(state, values[-1])) for state in states})
        return values

    def _successors(self, state: Any) -> set[Any]:
        replies = [reply for reply, chance in enumerate(self._rule.chances(state)) if chance]
        return {self._rule.after(state, reply, own) for own in range(len(self._side.actions)) for reply in replies}

    def _action_values(self, state: Any, later: dict[Any, float]) -> list[float]:
        chances = self._rule.chances(state)
        return [
            sum(
                chance * (paid[reply] + later[self._rule.after(state, reply, own)])
                for reply, chance in enumerate(chances)
                if chance
            )
            for own, paid in enumerate(self._side.payoff)
        ]


class BayesPlay:
    """The best play against one of several rules, each with a prior probability, by dynamic programming over beliefs.

    lookahead: after how many more rounds the opponent's rule is taken to be known, which values what can be found out
    within them, and is an upper bound on what can be earned later; None: never, so that play is exactly optimal.
    """

    def __init__(
        self, rules: Sequence[RuleOfPlay], prior: Sequence[float], rounds: int, lookahead: int | None = None
    ) -> None:
        self._rules, self._side = rules, rules[0].side.opposite
        self._responses = [BestResponse(rule, rounds) for rule in rules]
        self._lookahead = rounds if lookahead is None else lookahead
        self._known: dict[tuple[Beliefs, int, int], float] = {}
        self.prior: Beliefs = tuple(
            (number, rule.start, share) for number, (rule, share) in enumerate(zip(rules, prior, strict=True)) if share
        )

    def updated(self, beliefs: Beliefs, own: int, other: int) -> Beliefs:
        """The beliefs after a round. own: the agent's action; other: the opponent's, which some rule must permit."""
        weights = [
            (number, state, share * self._rules[number].chances(state)[other]) for number, state, share in beliefs
        ]
        total = sum(weight for *_, weight in weights)
        return tuple(
            (number, self._rules[number].after(state, other, own), round(weight / total, DIGITS))
            for number, state, weight in weights
            if weight / total > 10**-DIGITS
        )

    def chances(self, beliefs: Beliefs) -> list[float]:
        """The probability of each of the opponent's next actions."""
        shares = [share for *_, share in beliefs]
        by_rule = [self._rules[number].chances(state) for number, state, _ in beliefs]
        return [sum(map(mul, shares, column)) for column in zip(*by_rule, strict=True)]

    def action(self, beliefs: Beliefs, left: int) -> int:
        """The best action with `left` rounds to play; the first of several."""
        depth = min(self._lookahead, left)
        values = [
            round(self._action_value(beliefs, own, left, depth), DIGITS) for own in range(len(self._side.actions))
        ]
        return values.index(max(values))

    def value(self, beliefs: Beliefs, left: int) -> float:
        """The expected sum of payoffs of this play; with a lookahead, an upper bound on it."""
        return self._value(beliefs, left, min(self._lookahead, left))

    def _value(self, beliefs: Beliefs, left: int, depth: int) -> float:
        if len(beliefs) == 1 or depth == 0:
            return sum(share * self._responses[number].value(state, left) for number, state, share in beliefs)
        key = beliefs, left, depth
        if key not in self._known:
            actions = range(len(self._side.actions))
            value = max(self._action_value(beliefs, own, left, depth) for own in actions)
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            self._known[key] = value
        return self._known[key]

    def _action_value(self, beliefs: Beliefs, own: int, left: int, depth: int) -> float:
        paid = self._side.payoff[own]
        return sum(
            chance * (paid[other] + self._value(self.updated(beliefs, own, other), left - 1, max(0, depth - 1)))
            for other, chance in enumerate(self.chances(beliefs))
            if chance > 10**-DIGITS
        )
