"""The kinds of strategies that an opponent in a matrix game may follow.

A strategy predicts a distribution over the opponent's next behaviour from the interactions so far. Each has words of
its own, from which a hypothesis is mapped back to the strategy, so that its prediction follows from its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, argmax


class OpponentStrategy(Protocol):
    """A strategy of the opponent. prior: its log odds before any evidence; simpler strategies are likelier."""

    @property
    def behaviours(self) -> tuple[str, ...]: ...

    @property
    def words(self) -> str: ...

    @property
    def prior(self) -> float: ...

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        """The distribution over its behaviour in the interaction after these."""
        ...


@dataclass(frozen=True)
class Always:
    """Plays one pure strategy in every interaction."""

    behaviours: tuple[str, ...]
    played: str
    prior: float = 0.0

    @property
    def words(self) -> str:
        return f"The opponent always plays {self.played}."

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        return _certain(self.behaviours, self.played)


@dataclass(frozen=True)
class Flip:
    """Plays one pure strategy for the first `after` interactions and another from then on."""

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
        return _certain(self.behaviours, self.first if len(history) < self.after else self.then)


@dataclass(frozen=True)
class Reaction:
    """Answers one of the two moves of the last interaction: its own if to_own, else the agent's."""

    behaviours: tuple[str, ...]
    words: str
    prior: float
    to_own: bool
    replies: tuple[str, ...]
    """The answer to each behaviour, in the game's order."""
    first: str | None = None
    """The first move, None for a uniform distribution."""

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        for interaction in reversed(history):
            move = interaction.behaviour if self.to_own else interaction.own_behaviour
            if move is not None:
                return _certain(self.behaviours, self.replies[self.behaviours.index(move)])
        if self.first is not None:
            return _certain(self.behaviours, self.first)
        return (1 / len(self.behaviours),) * len(self.behaviours)


def tit_for_tat(behaviours: tuple[str, ...], first: str) -> Reaction:
    """Begins with one pure strategy and then copies the agent's last move."""
    words = f"The opponent begins with {first} and then copies what I played last."
    return Reaction(behaviours, words, 0.0, False, behaviours, first)


@dataclass(frozen=True)
class ObservationResponder:
    """Plays the best response to what it last saw the agent collect.

    Where it saw nothing before its latest interaction, it repeats its own last move.
    """

    behaviours: tuple[str, ...]
    replies: tuple[str, ...]
    words: str = "The opponent plays the best response to what it last saw me collect."
    prior: float = 0.75

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        for interaction in reversed(history):
            if (seen := argmax(interaction.shown)) is not None:
                return _certain(self.behaviours, self.replies[seen])
            if interaction.behaviour is not None:
                return _certain(self.behaviours, interaction.behaviour)
        return (1 / len(self.behaviours),) * len(self.behaviours)


@dataclass(frozen=True)
class GrimTrigger:
    """Plays `first` until the agent has played `then` in `after` interactions, and `then` in all later ones."""

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
        defections = sum(interaction.own_behaviour == self.then for interaction in history)
        return _certain(self.behaviours, self.first if defections < self.after else self.then)


@dataclass(frozen=True)
class Corrigible:
    """Plays `first` until the agent has played it, too, `after` times; then plays `then` once and copies thereafter."""

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
        moves = [interaction.own_behaviour for interaction in history if interaction.own_behaviour is not None]
        punishments = moves.count(self.first)
        if punishments < self.after:
            return _certain(self.behaviours, self.first)
        is_turning = punishments == self.after and moves[-1] == self.first
        return _certain(self.behaviours, self.then if is_turning else moves[-1])


@dataclass(frozen=True)
class Mixture:
    """Draws each behaviour with a fixed probability, independently of the history."""

    behaviours: tuple[str, ...]
    probabilities: Distribution
    prior: float = -2.0

    @property
    def words(self) -> str:
        parts = (f"{name} {share:.0%}" for name, share in zip(self.behaviours, self.probabilities, strict=True))
        return f"The opponent mixes at random: {', '.join(parts)} of the time."

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        return self.probabilities

    @classmethod
    def fitted(cls, behaviours: tuple[str, ...], history: Sequence[MatrixInteraction]) -> Mixture:
        """The mixture estimated from the interactions, with a pseudo-count of 0.5 for each behaviour."""
        seen = [0.5 + sum(interaction.behaviour == name for interaction in history) for name in behaviours]
        return cls(behaviours, tuple(max(0.01, round(count / sum(seen), 2)) for count in seen))


def _certain(behaviours: tuple[str, ...], played: str) -> Distribution:
    """The distribution with all probability on one behaviour."""
    return tuple(float(name == played) for name in behaviours)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
