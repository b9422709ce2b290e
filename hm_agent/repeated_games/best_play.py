"""The best play against an opponent whose rule is known, and against one of several known rules.

Both are exact for a given number of rounds, by dynamic programming over the states of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from operator import mul
from typing import Any

from hm_agent.repeated_games.rules_of_play import RuleOfPlay

DIGITS = 10
"""To how many decimals expected payoffs are rounded when actions are compared, and probabilities unless said."""

MOST_KNOWN = 500_000
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


@lru_cache(4096)
def best_response(rule: RuleOfPlay, rounds: int) -> BestResponse:
    """The best response to a rule; its values are computed once in a process."""
    return BestResponse(rule, rounds)


class BayesPlay:
    """The best play against one of several rules, each with a prior probability, by dynamic programming over beliefs.

    lookahead: after how many more rounds the opponent's rule is taken to be known, which values what can be found out
    within them, and is an upper bound on what can be earned later; None: never. digits: to how many decimals the
    probabilities of rules are rounded in what is planned; beliefs that are then alike are planned for once. Without a
    lookahead and with 10 digits, play is optimal.
    """

    def __init__(
        self,
        rules: Sequence[RuleOfPlay],
        prior: Sequence[float],
        rounds: int,
        lookahead: int | None = None,
        digits: int = DIGITS,
    ) -> None:
        self.rules = rules
        self._side = rules[0].side.opposite
        self._responses = [best_response(rule, rounds) for rule in rules]
        self._lookahead, self._digits = rounds if lookahead is None else lookahead, digits
        self._known: dict[tuple[Beliefs, int, int], float] = {}
        self._chances = cache(lambda number, state: rules[number].chances(state))
        self._after = cache(lambda number, state, own, other: rules[number].after(state, other, own))
        self.prior: Beliefs = tuple(
            (number, rule.start, share) for number, (rule, share) in enumerate(zip(rules, prior, strict=True)) if share
        )

    def updated(self, beliefs: Beliefs, own: int, other: int) -> Beliefs:
        """The beliefs after a round. own: the agent's action; other: the opponent's, which some rule must permit."""
        weights = [
            (number, state, weight)
            for number, state, share in beliefs
            if (weight := share * self._chances(number, state)[other])
        ]
        total = sum(weight for *_, weight in weights)
        return tuple(
            (number, self._after(number, state, own, other), weight / total) for number, state, weight in weights
        )

    def chances(self, beliefs: Beliefs) -> list[float]:
        """The probability of each of the opponent's next actions."""
        shares = [share for *_, share in beliefs]
        by_rule = [self._chances(number, state) for number, state, _ in beliefs]
        return [sum(map(mul, shares, column)) for column in zip(*by_rule, strict=True)]

    def action(self, beliefs: Beliefs, left: int) -> int:
        """The best action with `left` rounds to play; the first of several."""
        values = self._action_values(self._rounded(beliefs), left, min(self._lookahead, left))
        rounded = [round(value, DIGITS) for value in values]
        return rounded.index(max(rounded))

    def value(self, beliefs: Beliefs, left: int) -> float:
        """The expected sum of payoffs of this play; with a lookahead, an upper bound on it."""
        return self._value(beliefs, left, min(self._lookahead, left))

    def _value(self, beliefs: Beliefs, left: int, depth: int) -> float:
        beliefs = self._rounded(beliefs)
        if len(beliefs) == 1 or depth == 0:
            return sum(share * self._responses[number].value(state, left) for number, state, share in beliefs)
        key = beliefs, left, depth
        if key not in self._known:
            value = max(self._action_values(beliefs, left, depth))
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            self._known[key] = value
        return self._known[key]

    def _action_values(self, beliefs: Beliefs, left: int, depth: int) -> list[float]:
        """For each action, the expected sum of payoffs if it is played now and this play follows."""
        chances = [(other, chance) for other, chance in enumerate(self.chances(beliefs)) if chance]
        return [
            sum(
                chance * (paid[other] + self._value(self.updated(beliefs, own, other), left - 1, max(0, depth - 1)))
                for other, chance in chances
            )
            for own, paid in enumerate(self._side.payoff)
        ]

    def _rounded(self, beliefs: Beliefs) -> Beliefs:
        """The beliefs without rules whose probability rounds to 0; the others' probabilities add up to 1."""
        likely = [(number, state, round(share, self._digits)) for number, state, share in beliefs]
        total = sum(share for *_, share in likely)
        return tuple((number, state, share / total) for number, state, share in likely if share)
