"""The kinds of strategies that an opponent in a matrix game may follow.

A strategy predicts a distribution over the opponent's next behaviour from the interactions so far. Of these it keeps a
small state, so that it never reads a history twice, and simulated futures with the same state are the same future. Each
has words of its own, from which a hypothesis is mapped back to the strategy, so that its prediction follows from its
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol

from hm_agent.worlds.melting_pot.facts import argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction


class OpponentStrategy(Protocol):
    """A strategy of the opponent. prior: its log odds before any evidence; simpler strategies are likelier.

    start: its state, which can be hashed, before any interaction.
    """

    start: ClassVar[Any]

    @property
    def behaviours(self) -> tuple[str, ...]: ...

    @property
    def words(self) -> str: ...

    @property
    def prior(self) -> float: ...

    def updated(self, state: Any, interaction: MatrixInteraction) -> Any:
        """The state after one more interaction."""
        ...

    def prediction(self, state: Any) -> Distribution:
        """The distribution over its next behaviour in a state."""
        ...

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        """The distribution over its behaviour in the interaction after these."""
        ...


class _Stateful:
    """What all strategies share; one that needs no state has to write `prediction` alone."""

    start: ClassVar[Any] = None

    def updated(self, state: Any, interaction: MatrixInteraction) -> Any:
        return state

    def prediction(self, state: Any) -> Distribution:
        raise NotImplementedError

    def predict(self, history: Sequence[MatrixInteraction]) -> Distribution:
        state = self.start
        for interaction in history:
            state = self.updated(state, interaction)
        return self.prediction(state)


@dataclass(frozen=True)
class Always(_Stateful):
    """Plays one pure strategy in every interaction."""

    behaviours: tuple[str, ...]
    played: str
    prior: float = 0.0

    @property
    def words(self) -> str:
        return f"The opponent always plays {self.played}."

    def prediction(self, state: None) -> Distribution:
        return _certain(self.behaviours, self.played)


@dataclass(frozen=True)
class Flip(_Stateful):
    """Plays one pure strategy for the first `after` interactions and another from then on."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -2.5
    start = 0

    @property
    def words(self) -> str:
        times = "interaction" if self.after == 1 else f"{self.after} interactions"
        return f"The opponent plays {self.first} for the first {times} and {self.then} from then on."

    def updated(self, state: int, interaction: MatrixInteraction) -> int:
        """The number of interactions, as far as it matters."""
        return min(state + 1, self.after)

    def prediction(self, state: int) -> Distribution:
        return _certain(self.behaviours, self.first if state < self.after else self.then)


@dataclass(frozen=True)
class Reaction(_Stateful):
    """Answers one of the two moves of the last interaction: its own if to_own, else the agent's."""

    behaviours: tuple[str, ...]
    words: str
    prior: float
    to_own: bool
    replies: tuple[str, ...]
    """The answer to each behaviour, in the game's order."""
    first: str | None = None
    """The first move, None for a uniform distribution."""

    def updated(self, state: str | None, interaction: MatrixInteraction) -> str | None:
        """The answer to the latest known move."""
        move = interaction.behaviour if self.to_own else interaction.own_behaviour
        return state if move is None else self.replies[self.behaviours.index(move)]

    def prediction(self, state: str | None) -> Distribution:
        return _certain_if_known(self.behaviours, state or self.first)


def tit_for_tat(behaviours: tuple[str, ...], first: str) -> Reaction:
    """Begins with one pure strategy and then copies the agent's last move."""
    words = f"The opponent begins with {first} and then copies what I played last."
    return Reaction(behaviours, words, 0.0, False, behaviours, first)


@dataclass(frozen=True)
class ObservationResponder(_Stateful):
    """Plays the best response to what it last saw the agent collect.

    Where it saw nothing before its latest interaction, it repeats its own last move.
    """

    behaviours: tuple[str, ...]
    replies: tuple[str, ...]
    words: str = "The opponent plays the best response to what it last saw me collect."
    prior: float = 0.75

    def updated(self, state: str | None, interaction: MatrixInteraction) -> str | None:
        """What it plays next, None if nothing tells."""
        seen = argmax(interaction.shown)
        return (interaction.behaviour or state) if seen is None else self.replies[seen]

    def prediction(self, state: str | None) -> Distribution:
        return _certain_if_known(self.behaviours, state)


@dataclass(frozen=True)
class GrimTrigger(_Stateful):
    """Plays `first` until the agent has played `then` in `after` interactions, and `then` in all later ones."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -1.5
    start = 0

    @property
    def words(self) -> str:
        return (
            f"The opponent plays {self.first} until I have played {self.then} {_times(self.after)}, then {self.then}."
        )

    def updated(self, state: int, interaction: MatrixInteraction) -> int:
        """The number of the agent's defections, as far as it matters."""
        return min(state + (interaction.own_behaviour == self.then), self.after)

    def prediction(self, state: int) -> Distribution:
        return _certain(self.behaviours, self.first if state < self.after else self.then)


@dataclass(frozen=True)
class Corrigible(_Stateful):
    """Plays `first` until the agent has played it, too, `after` times; then plays `then` once and copies thereafter."""

    behaviours: tuple[str, ...]
    first: str
    then: str
    after: int
    prior: float = -2.0
    start = (0, "")

    @property
    def words(self) -> str:
        return (
            f"The opponent plays {self.first} until I have played {self.first} {_times(self.after)}, then {self.then} "
            "once, and from then on it copies what I played last."
        )

    def updated(self, state: tuple[int, str], interaction: MatrixInteraction) -> tuple[int, str]:
        """How often the agent has punished it, as far as it matters, and the agent's latest known move."""
        punishments, latest = state
        move = interaction.own_behaviour or latest
        return min(punishments + (interaction.own_behaviour == self.first), self.after + 1), move

    def prediction(self, state: tuple[int, str]) -> Distribution:
        punishments, latest = state
        if punishments < self.after:
            return _certain(self.behaviours, self.first)
        is_turning = punishments == self.after and latest == self.first
        return _certain(self.behaviours, self.then if is_turning else latest)


@dataclass(frozen=True)
class Mixture(_Stateful):
    """Draws each behaviour with a fixed probability, independently of the history."""

    behaviours: tuple[str, ...]
    probabilities: Distribution
    prior: float = -2.0

    @property
    def words(self) -> str:
        parts = (f"{name} {share:.0%}" for name, share in zip(self.behaviours, self.probabilities, strict=True))
        return f"The opponent mixes at random: {', '.join(parts)} of the time."

    def prediction(self, state: None) -> Distribution:
        return self.probabilities

    @classmethod
    def fitted(cls, behaviours: tuple[str, ...], history: Sequence[MatrixInteraction]) -> Mixture:
        """The mixture estimated from the interactions, with a pseudo-count of 0.5 for each behaviour."""
        seen = [0.5 + sum(interaction.behaviour == name for interaction in history) for name in behaviours]
        return cls(behaviours, tuple(max(0.01, round(count / sum(seen), 2)) for count in seen))


@cache
def _certain(behaviours: tuple[str, ...], played: str) -> Distribution:
    """The distribution with all probability on one behaviour."""
    return tuple(float(name == played) for name in behaviours)


def _certain_if_known(behaviours: tuple[str, ...], played: str | None) -> Distribution:
    """The distribution with all probability on one behaviour, uniform where it is unknown."""
    return _certain(behaviours, played) if played is not None else (1 / len(behaviours),) * len(behaviours)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
