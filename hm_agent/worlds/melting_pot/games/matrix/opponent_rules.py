"""The rules that an opponent in a matrix game may follow: a general class without an entry for any known opponent.

A rule looks at one feature of the interactions so far, e.g. what the agent played last, and answers each of its values
with a behaviour. Behaviours are numbers here, in the game's order. A rule keeps a small state, so that it never reads a
history twice, and simulated futures with the same state are the same future.

These are hypotheses, and no rules of play (`repeated_games/rules_of_play.py`), by which opponents play: they are seen
from the agent's side, say themselves in a sentence, go on where it is unclear what was played, and look also at what
the opponent saw collected.

A rule has an order, by the moves that it looks at. The same moves are all that it can predict the agent from:

- 0: nobody's moves. It predicts nothing: constants and mixtures.
- 1: the agent's moves alone. It takes the agent to go on as before, like a player of order 0.
- 2: the opponent's own moves too. It takes the agent to answer them, like a player of order 1.

A rule of order 3 would take the agent for a player of order 2 and so predict it from the moves of both; but these are
what rules of order 2 may look at already. So there is no higher order. A habit of the opponent's own, e.g. a cycle, is
of order 2 as well: the same rule describes both, and no history tells them apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hm_agent.repeated_games.payoffs import Shares, Table
from hm_agent.worlds.melting_pot.games.matrix.moves import UNKNOWN, Feature, Moves


class Relation(NamedTuple):
    """One way to reply to any move, e.g. `the same as`. words: to be followed by the move. replies: one per move."""

    words: str
    replies: tuple[int, ...]


def relations(payoff: Table) -> Sequence[Relation]:
    """The relations that give each move a reply of its own."""
    kinds = range(len(payoff))
    same = Relation("the same as", tuple(kinds))
    if len(payoff) == 2:
        return same, Relation("the opposite of", (1, 0))
    columns = [[row[kind] for row in payoff] for kind in kinds]
    best = Relation("what does best against", tuple(column.index(max(column)) for column in columns))
    worst = Relation("what does worst against", tuple(column.index(min(column)) for column in columns))
    return same, *(each for each in (best, worst) if sorted(each.replies) == [*kinds] and each.replies != same.replies)


@dataclass(frozen=True)
class OpponentStrategy(ABC):
    """A strategy of the opponent; by default one that looks at no moves.

    behaviours: the names of all behaviours. words: a sentence that describes this strategy alone. order: 0, 1 or 2, by
    the moves that it looks at (see the module). start: its state before any interaction; states are hashable.
    """

    behaviours: tuple[str, ...]

    @property
    @abstractmethod
    def words(self) -> str: ...

    @property
    def order(self) -> int:
        return 0

    @property
    def start(self) -> Any:
        return None

    def after(self, state: Any, moves: Moves) -> Hashable:
        """The state after one more interaction."""
        return None

    @abstractmethod
    def chances(self, state: Any) -> Shares:
        """The distribution over its next behaviour in a state."""


class Rule(OpponentStrategy):
    """A deterministic strategy."""

    def noticing(self, state: Any, seen: int) -> Any:
        """The state once the opponent has seen what the agent collects for the next interaction."""
        return state

    @abstractmethod
    def reply(self, state: Any) -> int:
        """Its next behaviour in a state, UNKNOWN if the state doesn't determine it."""

    def chances(self, state: Any) -> Shares:
        return certain(self.reply(state), len(self.behaviours))


@dataclass(frozen=True)
class Constant(Rule):
    """Plays one behaviour in every interaction."""

    played: int

    @property
    def words(self) -> str:
        return f"The opponent always plays {self.behaviours[self.played]}."

    def reply(self, state: None) -> int:
        return self.played


@dataclass(frozen=True)
class Answer(Rule):
    """Answers each value of a feature with one behaviour. replies: by value. sentence: the rule in words."""

    feature: Feature
    replies: tuple[int, ...]
    sentence: str

    @property
    def words(self) -> str:
        return self.sentence

    @property
    def order(self) -> int:
        return self.feature.order

    @classmethod
    def by_relation(cls, behaviours: tuple[str, ...], relation: Relation, feature: Feature) -> Answer:
        """The rule that answers every value of a feature by the same relation."""
        words = f"The opponent plays {relation.words} {feature.words}."
        return cls(behaviours, feature, relation.replies, words)

    @property
    def start(self) -> Any:
        return self.feature.start

    def noticing(self, state: Any, seen: int) -> Any:
        return self.feature.noticing(state, seen)

    def after(self, state: Any, moves: Moves) -> Any:
        return self.feature.after(state, moves)

    def reply(self, state: Any) -> int:
        value = self.feature.value(state)
        return UNKNOWN if value == UNKNOWN else self.replies[value]


@dataclass(frozen=True)
class Until(Rule):
    """Plays one behaviour until the agent has played `trigger` `times` times; from then on it follows another rule."""

    first: int
    trigger: int
    times: int
    then: Rule

    @property
    def words(self) -> str:
        times = "once" if self.times == 1 else f"{self.times} times"
        first, trigger = self.behaviours[self.first], self.behaviours[self.trigger]
        then = self.then.words.removeprefix("The opponent ")
        return f"The opponent plays {first} until I have played {trigger} {times}; from then on it {then}"

    @property
    def order(self) -> int:
        """At least 1, since it counts moves of the agent."""
        return max(1, self.then.order)

    @property
    def start(self) -> tuple[int, Any]:
        return 0, self.then.start

    def after(self, state: tuple[int, Any], moves: Moves) -> tuple[int, Any]:
        """How often the agent has played the trigger, at most `times`, and the later rule's state."""
        count, later = state
        return min(count + (moves.own == self.trigger), self.times), self.then.after(later, moves)

    def reply(self, state: tuple[int, Any]) -> int:
        count, later = state
        return self.first if count < self.times else self.then.reply(later)


@dataclass(frozen=True)
class Mixture(OpponentStrategy):
    """Draws each behaviour with a fixed probability, independently of the history."""

    probabilities: Shares

    @property
    def words(self) -> str:
        parts = (f"{name} {share:.0%}" for name, share in zip(self.behaviours, self.probabilities, strict=True))
        return f"The opponent mixes at random: {', '.join(parts)} of the time."

    def chances(self, state: None) -> Shares:
        return self.probabilities


def certain(played: int, kinds: int) -> Shares:
    """The distribution with all probability on one behaviour, uniform if that is UNKNOWN."""
    if played == UNKNOWN:
        return (1 / kinds,) * kinds
    return tuple(float(kind == played) for kind in range(kinds))
