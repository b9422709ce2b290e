"""A library of strategies that an opponent in a matrix game may follow, each with its own words.

A strategy says how likely each behaviour is next, given the encounters so far. A hypothesis in words is read back by
the same library, so that its prediction follows from what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction


class Strategy(Protocol):
    """A way to play, in words and in numbers. prior: its log odds before any evidence; simpler ones are likelier."""

    @property
    def behaviours(self) -> tuple[str, ...]: ...

    @property
    def words(self) -> str: ...

    @property
    def prior(self) -> float: ...

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
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

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
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

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
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
    first: str | None = None
    """What it begins with, None where that is open."""

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        for encounter in reversed(history):
            move = encounter.behaviour if self.to_own else encounter.own_behaviour
            if move is not None:
                return _surely(self.behaviours, self.replies[self.behaviours.index(move)])
        if self.first is not None:
            return _surely(self.behaviours, self.first)
        return (1 / len(self.behaviours),) * len(self.behaviours)


def tit_for_tat(behaviours: tuple[str, ...], first: str) -> Reply:
    """Tit for tat."""
    words = f"The opponent begins with {first} and then copies what I played last."
    return Reply(behaviours, words, 0.0, False, behaviours, first)


@dataclass(frozen=True)
class Spying:
    """The best response to what it last saw the focal player collect; its own last move where it saw nothing since."""

    behaviours: tuple[str, ...]
    replies: tuple[str, ...]
    words: str = "The opponent plays the best response to what it last saw me collect."
    prior: float = 0.75

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        for encounter in reversed(history):
            if (seen := argmax(encounter.shown)) is not None:
                return _surely(self.behaviours, self.replies[seen])
            if encounter.behaviour is not None:
                return _surely(self.behaviours, encounter.behaviour)
        return (1 / len(self.behaviours),) * len(self.behaviours)


@dataclass(frozen=True)
class Grudge:
    """One pure strategy until the focal player has played another so many times, and that one ever after."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -1.5

    @property
    def words(self) -> str:
        return (
            f"The opponent plays {self.first} until I have played {self.then} {_times(self.after)}, then {self.then}."
        )

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        offences = sum(encounter.own_behaviour == self.then for encounter in history)
        return _surely(self.behaviours, self.first if offences < self.after else self.then)


@dataclass(frozen=True)
class Corrigible:
    """One pure strategy until the focal player has answered it in kind so many times; it makes up, and copies then."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -2.0

    @property
    def words(self) -> str:
        return (
            f"The opponent plays {self.first} until I have played {self.first} {_times(self.after)}, then {self.then} "
            "once, and from then on it copies what I played last."
        )

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        answers = [encounter.own_behaviour for encounter in history if encounter.own_behaviour is not None]
        punished = answers.count(self.first)
        if punished < self.after:
            return _surely(self.behaviours, self.first)
        is_turning = punished == self.after and answers[-1] == self.first
        return _surely(self.behaviours, self.then if is_turning else answers[-1])


@dataclass(frozen=True)
class Mixture:
    """Each behaviour with a probability of its own, whatever happened before."""

    behaviours: tuple[str, ...]
    odds: Distribution
    prior: float = -2.0

    @property
    def words(self) -> str:
        parts = (f"{name} {share:.0%}" for name, share in zip(self.behaviours, self.odds, strict=True))
        return f"The opponent mixes at random: {', '.join(parts)} of the time."

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        return self.odds

    @classmethod
    def fitted(cls, behaviours: tuple[str, ...], history: Sequence[MatrixInteraction]) -> Mixture:
        """The mixture that the encounters suggest; half an imagined encounter of each kind keeps it open."""
        seen = [0.5 + sum(encounter.behaviour == name for encounter in history) for name in behaviours]
        return cls(behaviours, tuple(max(0.01, round(count / sum(seen), 2)) for count in seen))


def _surely(behaviours: tuple[str, ...], played: str) -> Distribution:
    return tuple(float(name == played) for name in behaviours)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
