"""The best play against an opponent whose rule is known, and against one of several known rules.

Both are exact for a given number of rounds, by dynamic programming over the states of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from operator import mul
from typing import Any

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

DIGITS = 10
"""To how many decimals expected payoffs are rounded when actions are compared, and probabilities unless said."""

MOST_KNOWN = 500_000
"""How many beliefs' values are remembered at a time."""

Beliefs = tuple[tuple[int, Any, float], ...]
"""The rules that are still possible: for each its number, the state that it would be in, and its probability."""

Places = tuple[int, ...]
"""Rules in their states, by the numbers that `BayesPlay` gives them."""

Outcome = tuple[float, float, Any]
"""What can come of an action in a round: its chance, the payoff, and the state of the rule after it."""


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
        return _expected(self._outcomes(state), self._values[left - 1])

    @property
    def total(self) -> float:
        """The expected sum of payoffs of best play over all rounds."""
        return self.value(self._rule.start, self._rounds)

    @cached_property
    def _values(self) -> Sequence[dict[Any, float]]:
        """By the number of rounds left, the value of each state that can be reached by then."""
        outcomes, before, states = cache(self._outcomes), set[Any](), {self._rule.start}
        reached = [states]
        for _ in range(self._rounds):
            if states != before:  # or they lead to themselves in all later rounds, too
                before, states = states, {after for state in states for own in outcomes(state) for *_, after in own}
            reached.append(states)
        values = [dict.fromkeys(reached[-1], 0.0)]
        for states in reversed(reached[:-1]):
            later = values[-1]
            values.append({state: max(_expected(outcomes(state), later)) for state in states})
        return values

    def _outcomes(self, state: Any) -> list[list[Outcome]]:
        """For each action, what can come of it in a state."""
        replies = [(reply, chance) for reply, chance in enumerate(self._rule.chances(state)) if chance]
        return [
            [(chance, paid[reply], self._rule.after(state, reply, own)) for reply, chance in replies]
            for own, paid in enumerate(self._side.payoff)
        ]


def _expected(outcomes: Sequence[Sequence[Outcome]], later: Mapping[Any, float]) -> list[float]:
    """For each action, the expected payoff and value of the state after it. later: the values of these states."""
    return [sum([chance * (paid + later[after]) for chance, paid, after in own]) for own in outcomes]


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
        self._known: dict[tuple[Places, Shares, int, int], float] = {}
        self._places: dict[tuple[int, Any], int] = {}
        self._at: list[tuple[int, Any, Shares]] = []
        self._after = cache(self._place_after)
        self.prior: Beliefs = tuple(
            (number, rule.start, share) for number, (rule, share) in enumerate(zip(rules, prior, strict=True)) if share
        )

    def updated(self, beliefs: Beliefs, own: int, other: int) -> Beliefs:
        """The beliefs after a round. own: the agent's action; other: the opponent's, which some rule must permit."""
        places, shares = self._placed(beliefs)
        return tuple(
            (*self._at[self._after(place, own, other)][:2], share)
            for place, share in zip(*self._weighed(places, shares, other), strict=True)
        )

    def chances(self, beliefs: Beliefs) -> list[float]:
        """The probability of each of the opponent's next actions."""
        return self._chances(*self._placed(beliefs))

    def action(self, beliefs: Beliefs, left: int) -> int:
        """The best action with `left` rounds to play; the first of several."""
        likely = self._rounded(*self._placed(beliefs))
        rounded = [round(value, DIGITS) for value in self._action_values(*likely, left, min(self._lookahead, left))]
        return rounded.index(max(rounded))

    def value(self, beliefs: Beliefs, left: int) -> float:
        """The expected sum of payoffs of this play; with a lookahead, an upper bound on it."""
        return self._value(*self._rounded(*self._placed(beliefs)), left, min(self._lookahead, left))

    # Plans, in which a rule in a state is a number, its place, which is quicker to look up than both

    def _place(self, number: int, state: Any) -> int:
        """The place of a rule in a state: its index in `_at`."""
        place = self._places.setdefault((number, state), len(self._at))
        if place == len(self._at):
            self._at.append((number, state, self.rules[number].chances(state)))
        return place

    def _place_after(self, place: int, own: int, other: int) -> int:
        number, state, _ = self._at[place]
        return self._place(number, self.rules[number].after(state, other, own))

    def _placed(self, beliefs: Beliefs) -> tuple[Places, Shares]:
        return tuple(self._place(number, state) for number, state, _ in beliefs), tuple(share for *_, share in beliefs)

    def _chances(self, places: Places, shares: Shares) -> list[float]:
        by_rule = [self._at[place][2] for place in places]
        return [sum(map(mul, shares, column)) for column in zip(*by_rule, strict=True)]

    def _weighed(self, places: Places, shares: Shares, other: int) -> tuple[Places, Shares]:
        """The places that permit an action of the opponent, as they were before it, and their probabilities after."""
        at, kept, weights = self._at, [], []
        for place, share in zip(places, shares, strict=True):
            if weight := share * at[place][2][other]:
                kept.append(place)
                weights.append(weight)
        total = sum(weights)
        return tuple(kept), tuple([weight / total for weight in weights])

    def _rounded(self, places: Places, shares: Shares) -> tuple[Places, Shares]:
        """The places whose probability does not round to 0; their probabilities add up to 1."""
        likely = [round(share, self._digits) for share in shares]
        if not all(likely):
            places = tuple([place for place, share in zip(places, likely, strict=True) if share])
            likely = [share for share in likely if share]
        total = sum(likely)
        return places, tuple([share / total for share in likely])

    def _value(self, places: Places, shares: Shares, left: int, depth: int) -> float:
        if len(places) == 1 or depth == 0:
            rules = [self._at[place] for place in places]
            values = [self._responses[number].value(state, left) for number, state, _ in rules]
            known: float = sum(map(mul, shares, values))
            return known
        key = places, shares, left, depth
        value = self._known.get(key)
        if value is None:
            value = max(self._action_values(places, shares, left, depth))
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            self._known[key] = value
        return value

    def _action_values(self, places: Places, shares: Shares, left: int, depth: int) -> list[float]:
        """For each action, the expected sum of payoffs if it is played now and this play follows."""
        after, left, depth = self._after, left - 1, max(0, depth - 1)
        outcomes = [  # what the opponent's action says of its rule depends on no action of one's own
            (other, chance, *self._rounded(*self._weighed(places, shares, other)))
            for other, chance in enumerate(self._chances(places, shares))
            if chance
        ]
        return [
            sum(
                [
                    chance
                    * (paid[other] + self._value(tuple([after(one, own, other) for one in kept]), odds, left, depth))
                    for other, chance, kept, odds in outcomes
                ]
            )
            for own, paid in enumerate(self._side.payoff)
        ]
