"""A library of strategies that an opponent in a matrix game may follow, each with its own words.

A strategy says how likely each behaviour is next, given the encounters so far. A hypothesis in words is read back by
the same library, so that its prediction follows from what it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Protocol

from hm_agent.games.matrix.counters import Odds
from hm_agent.games.matrix.payoff import Payoff, argmax
from hm_agent.games.matrix.questions import Encounter, Rules

FLIPS = range(1, 6)
"""After how many interactions a change of mind is thought of."""


class Strategy(Protocol):
    """A way to play, in words and in numbers. prior: its log odds before any evidence; simpler ones are likelier."""

    @property
    def behaviours(self) -> tuple[str, ...]: ...

    @property
    def words(self) -> str: ...

    @property
    def prior(self) -> float: ...

    def predict(self, history: Sequence[Encounter]) -> Odds:
        """What it plays after these encounters."""
        ...


@dataclass(frozen=True)
class Always:
    """One pure strategy for ever."""

    behaviours: tuple[str, ...]
    played: str
    prior: float = 0.0

    @property
    def words(self) -> str:
        return f"The opponent always plays {self.played}."

    def predict(self, history: Sequence[Encounter]) -> Odds:
        return _surely(self.behaviours, self.played)


@dataclass(frozen=True)
class Flip:
    """One pure strategy for some interactions, another from then on."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -2.5

    @property
    def words(self) -> str:
        times = "interaction" if self.after == 1 else f"{self.after} interactions"
        return f"The opponent plays {self.first} for the first {times} and {self.then} from then on."

    def predict(self, history: Sequence[Encounter]) -> Odds:
        return _surely(self.behaviours, self.first if len(history) < self.after else self.then)


@dataclass(frozen=True)
class Reply:
    """An answer to one of the two moves of the last encounter: the focal player's, or its own."""

    behaviours: tuple[str, ...]
    words: str
    prior: float
    to_own: bool
    replies: tuple[str, ...]
    """What it plays after each behaviour, in their order."""

    def predict(self, history: Sequence[Encounter]) -> Odds:
        for encounter in reversed(history):
            move = encounter.behaviour if self.to_own else encounter.own_behaviour
            if move is not None:
                return _surely(self.behaviours, self.replies[self.behaviours.index(move)])
        return (1 / len(self.behaviours),) * len(self.behaviours)


@dataclass(frozen=True)
class Spying:
    """The best response to what it last saw the focal player collect; its own last move where it saw nothing since."""

    behaviours: tuple[str, ...]
    replies: tuple[str, ...]
    words: str = "The opponent plays the best response to what it last saw me collect."
    prior: float = 0.75

    def predict(self, history: Sequence[Encounter]) -> Odds:
        for encounter in reversed(history):
            if (seen := argmax(encounter.shown)) is not None:
                return _surely(self.behaviours, self.replies[seen])
            if encounter.behaviour is not None:
                return _surely(self.behaviours, encounter.behaviour)
        return (1 / len(self.behaviours),) * len(self.behaviours)


@dataclass(frozen=True)
class Mixture:
    """Each behaviour with a probability of its own, whatever happened before."""

    behaviours: tuple[str, ...]
    odds: Odds
    prior: float = -2.0

    @property
    def words(self) -> str:
        parts = (f"{name} {share:.0%}" for name, share in zip(self.behaviours, self.odds, strict=True))
        return f"The opponent mixes at random: {', '.join(parts)} of the time."

    def predict(self, history: Sequence[Encounter]) -> Odds:
        return self.odds

    @classmethod
    def fitted(cls, behaviours: tuple[str, ...], history: Sequence[Encounter]) -> Mixture:
        """The mixture that the encounters suggest; half an imagined encounter of each kind keeps it open."""
        seen = [0.5 + sum(encounter.behaviour == name for encounter in history) for name in behaviours]
        return cls(behaviours, tuple(max(0.01, round(count / sum(seen), 2)) for count in seen))


def _surely(behaviours: tuple[str, ...], played: str) -> Odds:
    return tuple(float(name == played) for name in behaviours)


@cache
def library(rules: Rules) -> tuple[Strategy, ...]:
    """All strategies that are thought of, but for mixtures, which are fitted to what was seen."""
    names = rules.behaviours
    always = (Always(names, name) for name in names)
    flips = (Flip(names, first, then, after) for first, then in permutations(names, 2) for after in FLIPS)
    return (*always, *_replies(names, rules.payoff), *flips)


def _replies(names: tuple[str, ...], payoff: Payoff) -> Iterator[Strategy]:
    best = _answers(names, payoff, max)
    worst = _answers(names, payoff, min)
    yield Reply(names, "The opponent plays the best response to what I played last.", -0.5, False, best)
    yield Spying(names, best)
    yield Reply(names, "The opponent repeats its own last move.", -1.0, True, names)
    yield Reply(names, "The opponent copies what I played last.", -1.5, False, names)
    yield Reply(names, "The opponent plays what does worst against what I played last.", -2.0, False, worst)
    yield Reply(names, "The opponent cycles: it plays the best response to its own last move.", -1.5, True, best)
    yield Reply(names, "The opponent cycles: it plays what its own last move does best against.", -1.5, True, worst)


def _answers(names: tuple[str, ...], payoff: Payoff, choose: Callable[..., int]) -> tuple[str, ...]:
    columns = range(len(names))
    return tuple(names[choose(columns, key=lambda row: payoff[row][column])] for column in columns)


def strategy_of(words: str, rules: Rules, history: Sequence[Encounter]) -> Strategy:
    """The strategy that a hypothesis in words describes; where it is none of the library, a mixture by experience."""
    known = {strategy.words.casefold(): strategy for strategy in library(rules)}
    if (strategy := known.get(words.strip().casefold())) is not None:
        return strategy
    shares = [re.search(rf"\b{re.escape(name)} ([0-9]{{1,3}})%", words) for name in rules.behaviours]
    if all(shares):
        odds = tuple(int(share[1]) / 100 for share in shares if share)
        return Mixture(rules.behaviours, odds)
    return Mixture.fitted(rules.behaviours, history)
