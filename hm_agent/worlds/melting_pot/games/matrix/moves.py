"""The moves of both players as a rule sees them, and the features of past moves that it may look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hm_agent.worlds.melting_pot.facts import argmax
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction

UNKNOWN = -1
"""Stands for an unknown behaviour."""


class Moves(NamedTuple):
    """One interaction as a rule sees it: the behaviours of both, and what the opponent saw the agent collect for it."""

    own: int
    other: int
    seen: int = UNKNOWN


def moves_in(behaviours: tuple[str, ...], history: Iterable[MatrixInteraction]) -> tuple[Moves, ...]:
    """The moves of these interactions, the oldest first."""

    def index(name: str | None) -> int:
        return UNKNOWN if name is None else behaviours.index(name)

    return tuple(
        Moves(
            index(each.own_behaviour),
            index(each.behaviour),
            UNKNOWN if (seen := argmax(each.shown)) is None else seen,
        )
        for each in history
    )


class Feature(Protocol):
    """What a rule looks at.

    words: a noun phrase. order: the order of a rule that looks at it. start: its state before any interaction; states
    are hashable.
    """

    @property
    def words(self) -> str: ...

    @property
    def order(self) -> int: ...

    @property
    def start(self) -> Any: ...

    def noticing(self, state: Any, seen: int) -> Any:
        """The state once the opponent has seen what the agent collects for the next interaction."""
        return state

    def after(self, state: Any, moves: Moves) -> Any:
        """The state after one more interaction."""
        ...

    def value(self, state: Any) -> int:
        """The feature's value in a state, UNKNOWN if the state doesn't determine it."""
        ...


AGO = {1: "last", 2: "two interactions ago", 3: "three interactions ago"}


@dataclass(frozen=True)
class PastMove(Feature):
    """The agent's move some interactions ago if is_own, else the opponent's."""

    is_own: bool
    ago: int
    start = ()

    @property
    def words(self) -> str:
        return f"what {'I' if self.is_own else 'it'} played {AGO[self.ago]}"

    @property
    def order(self) -> int:
        return 1 if self.is_own else 2

    def after(self, state: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        """The latest moves, the latest first."""
        return (moves.own if self.is_own else moves.other, *state)[: self.ago]

    def value(self, state: tuple[int, ...]) -> int:
        return state[-1] if len(state) == self.ago else UNKNOWN


@dataclass(frozen=True)
class SeenCollecting(Feature):
    """What the opponent last saw the agent collect most of, be it for the next interaction or an earlier one."""

    words = "what it last saw me collect"
    order = 1
    start = UNKNOWN

    def noticing(self, state: int, seen: int) -> int:
        return state if seen == UNKNOWN else seen

    def after(self, state: int, moves: Moves) -> int:
        return self.noticing(state, moves.seen)

    def value(self, state: int) -> int:
        return state


@dataclass(frozen=True)
class Pair(Feature):
    """Two features at once: the value is the first's times the number of behaviours, plus the second's."""

    first: PastMove
    second: PastMove
    behaviours: int

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words}"

    @property
    def order(self) -> int:
        return max(self.first.order, self.second.order)

    @property
    def start(self) -> tuple[Any, Any]:
        return self.first.start, self.second.start

    def after(self, state: tuple[Any, Any], moves: Moves) -> tuple[Any, Any]:
        return self.first.after(state[0], moves), self.second.after(state[1], moves)

    def value(self, state: tuple[Any, Any]) -> int:
        values = self.first.value(state[0]), self.second.value(state[1])
        return UNKNOWN if UNKNOWN in values else values[0] * self.behaviours + values[1]
