"""All strategies that the built-in reasoner thinks of, and the way back from words to a strategy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations

from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import (
    Always,
    Corrigible,
    Flip,
    Grudge,
    Mixture,
    Reply,
    Spying,
    Strategy,
    tit_for_tat,
)
from hm_agent.worlds.melting_pot.games.matrix.payoff import Payoff
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules

FLIPS = range(1, 6)
"""After how many interactions a change of mind is thought of."""
GRUDGES = range(1, 5)
"""After how many moves against it an opponent is thought to change for good."""


@cache
def library(rules: Rules) -> tuple[Strategy, ...]:
    """All strategies that are thought of, but for mixtures, which are fitted to what was seen."""
    names = rules.behaviours
    flips = (Flip(names, first, then, after) for first, then in permutations(names, 2) for after in FLIPS)
    own = _contesting if rules.is_zero_sum else _bargaining
    return (*own(names, rules.payoff), *flips)


def _contesting(names: tuple[str, ...], payoff: Payoff) -> Iterator[Strategy]:
    """Where one's gain is the other's loss, a player means to foresee the other."""
    yield from (Always(names, name) for name in names)
    best = _answers(names, payoff, max)
    worst = _answers(names, payoff, min)
    yield Reply(names, "The opponent plays the best response to what I played last.", -0.5, False, best)
    yield Spying(names, best)
    yield Reply(names, "The opponent repeats its own last move.", -1.0, True, names)
    yield Reply(names, "The opponent copies what I played last.", -1.5, False, names)
    yield Reply(names, "The opponent plays what does worst against what I played last.", -2.0, False, worst)
    yield Reply(names, "The opponent cycles: it plays the best response to its own last move.", -1.5, True, best)
    yield Reply(names, "The opponent cycles: it plays what its own last move does best against.", -1.5, True, worst)


def _bargaining(names: tuple[str, ...], payoff: Payoff) -> Iterator[Strategy]:
    """Where both can gain, a player means to move the other: it rewards and punishes."""
    yield from (Always(names, name, prior=-0.7) for name in names)
    yield tit_for_tat(names, first=max(names, key=lambda name: _together(names, payoff, name)))
    yield Reply(names, "The opponent repeats its own last move.", -2.5, True, names)
    for kind, harsh in permutations(names, 2):
        if _together(names, payoff, kind) > _together(names, payoff, harsh):
            yield from (Grudge(names, kind, harsh, after) for after in GRUDGES)
            yield from (Corrigible(names, harsh, kind, after) for after in GRUDGES)


def _together(names: tuple[str, ...], payoff: Payoff, both: str) -> float:
    """What both gain where both play the same."""
    return payoff[names.index(both)][names.index(both)]


def _answers(names: tuple[str, ...], payoff: Payoff, choose: Callable[..., int]) -> tuple[str, ...]:
    columns = range(len(names))
    return tuple(names[choose(columns, key=lambda row: payoff[row][column])] for column in columns)


def strategy_of(words: str, rules: Rules, history: Sequence[MatrixInteraction]) -> Strategy:
    """The strategy that a hypothesis in words describes; where it is none of the library, a mixture by experience."""
    known = {strategy.words.casefold(): strategy for strategy in library(rules)}
    if (strategy := known.get(words.strip().casefold())) is not None:
        return strategy
    shares = [re.search(rf"\b{re.escape(name)} ([0-9]{{1,3}})%", words) for name in rules.behaviours]
    if all(shares):
        odds = tuple(int(share[1]) / 100 for share in shares if share)
        return Mixture(rules.behaviours, odds)
    return Mixture.fitted(rules.behaviours, history)
