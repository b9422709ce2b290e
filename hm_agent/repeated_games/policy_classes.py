"""What play that is blind in one way earns at best against opponents whose rules are known, exactly.

Beside the best response they show what a game asks for: to watch the other, to see that it reacts, to look ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from typing import Any

from hm_agent.repeated_games.best_play import DIGITS
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

Mixture = Mapping[RuleOfPlay, float]
Cloud = tuple[tuple[RuleOfPlay, Any, float], ...]
"""Rules with their states and probabilities."""
TIE_DIGITS = 6
"""To how many decimals payoffs are compared: fewer than probabilities have, so that their rounding makes no choice."""
LEAST = 10.0**-DIGITS
"""The least probability of a state that is possible, so that rounding rules none out."""
MOST_STATES = 30_000
"""How many states the clouds that a calculation tells apart may have together."""


class TooManyError(Exception):
    """A calculation has met more states than `MOST_STATES`."""


def longest(value: Callable[[Mixture, int], float], mixture: Mixture, rounds: int) -> tuple[float, int]:
    """What a class earns per round over as many rounds, at most `rounds`, as can be calculated; and how many these are.

    value: `open_loop_value`, `watching_value` or another function of mixture and rounds.
    """
    found, most = 0.0, 0
    for most in range(1, rounds + 1):
        try:
            found = value(mixture, most) / most
        except TooManyError:
            return found, most - 1
    return found, most


def open_loop_value(mixture: Mixture, rounds: int) -> float:
    """The expected sum of payoffs of the best fixed sequence of actions: it knows the rules and never looks."""
    side = next(iter(mixture)).side.opposite

    @_counted
    def value(cloud: Cloud, left: int) -> float:
        if not left:
            return 0.0
        chances = _chances(cloud)
        return max(
            side.expected(own, chances) + value(_moved(cloud, {own: 1.0})[1], left - 1)
            for own in range(len(side.actions))
        )

    return value(_start(mixture), rounds)


def watching_value(mixture: Mixture, rounds: int) -> float:
    """The expected sum of payoffs of one that knows the rules, and takes the other to depend on nothing that it does.

    It expects of the other's next action what the other's actions so far let expect, as if its own had been drawn, and
    best-responds to that round alone.
    """
    side = next(iter(mixture)).side.opposite
    drawn = dict.fromkeys(range(len(side.actions)), 1 / len(side.actions))

    @_counted
    def value(believed: Cloud, true: Cloud, left: int) -> float:
        if not left:
            return 0.0
        expected, total = _chances(believed), 0.0
        paid = [round(side.expected(own, expected), TIE_DIGITS) for own in range(len(side.actions))]
        own = paid.index(max(paid))
        for other in range(len(side.others)):
            chance, later = _moved(true, {own: 1.0}, other)
            if chance:
                total += chance * (side.payoff[own][other] + value(_moved(believed, drawn, other)[1], later, left - 1))
        return total

    return value(_start(mixture), _start(mixture), rounds)


def myopic_value(mixture: Mixture, rounds: int) -> float:
    """The expected sum of payoffs of one that is told the rule and its state, and best-responds to each round alone."""
    side = next(iter(mixture)).side.opposite

    @cache
    def value(rule: RuleOfPlay, state: Any, left: int) -> float:
        if not left:
            return 0.0
        chances = rule.chances(state)
        paid = [round(side.expected(own, chances), TIE_DIGITS) for own in range(len(side.actions))]
        own = paid.index(max(paid))
        later = (chance * value(rule, rule.after(state, other, own), left - 1) for other, chance in enumerate(chances))
        return side.expected(own, chances) + sum(later)

    return sum(share * value(rule, rule.start, rounds) for rule, share in mixture.items())


def _counted(value: Callable[..., float]) -> Callable[..., float]:
    """Remembers the values of a function of a cloud and more; raises TooManyError for too many states."""
    known: dict[Hashable, float] = {}
    states = 0

    def remembered(cloud: Cloud, *others: Hashable) -> float:
        nonlocal states
        if (cloud, *others) not in known:
            states += len(cloud)
            if states > MOST_STATES:
                raise TooManyError
            known[cloud, *others] = value(cloud, *others)
        return known[cloud, *others]

    return remembered


def _start(mixture: Mixture) -> Cloud:
    return tuple((rule, rule.start, share) for rule, share in mixture.items())


def _chances(cloud: Cloud) -> Sequence[float]:
    """The probability of each next action."""
    columns = zip(*(rule.chances(state) for rule, state, _ in cloud), strict=True)
    shares = [share for *_, share in cloud]
    return [sum(share * chance for share, chance in zip(shares, column, strict=True)) for column in columns]


def _moved(cloud: Cloud, owns: Mapping[int, float], other: int | None = None) -> tuple[float, Cloud]:
    """The probability of the other's action, and the cloud after it.

    owns: the probabilities of the own action. other: None if the other's action is not seen.
    """
    weights: dict[tuple[RuleOfPlay, Any], float] = {}
    for rule, state, share in cloud:
        for reply, chance in enumerate(rule.chances(state)):
            if chance and other in (None, reply):
                for own, drawn in owns.items():
                    key = rule, rule.after(state, reply, own)
                    weights[key] = weights.get(key, 0.0) + share * chance * drawn
    total = sum(weights.values())
    return total, tuple((*key, max(round(weight / total, DIGITS), LEAST)) for key, weight in weights.items())
