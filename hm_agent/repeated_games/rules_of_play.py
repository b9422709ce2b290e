"""The rules by which opponents play a repeated game: small state machines that one round moves on.

A rule sees the game from its own side: `own` is what it played itself. Each has a state before the first round, the
chances of its next action in a state, and the state after a round; states are hashable, so that a game against a rule
is a finite Markov decision process. Randomness is in the chances alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from statistics import mean
from typing import Any, ClassVar

from hm_agent.repeated_games.payoffs import Shares, Side


@dataclass(frozen=True)
class RuleOfPlay(ABC):
    """How an opponent plays. side: the game as it sees it. Actions are numbers in the order of `side.actions`.

    order: how deep it looks at the other (docs/glossary.md); 0 if it only goes on by itself. tremble: the chance of any
    other action than `reply`. Both are parameters of some rules.
    """

    side: Side
    start: ClassVar[Any] = None
    order = 0
    tremble = 0.0

    @abstractmethod
    def after(self, state: Any, own: int, other: int) -> Hashable:
        """The state after a round."""

    def reply(self, state: Any) -> int | None:
        """What it plays in a state; None if it draws from all actions alike."""
        raise NotImplementedError

    def chances(self, state: Any) -> Shares:
        """The probability of each of its actions in a state."""
        return self.trembling(self.reply(state), self.tremble)

    def trembling(self, reply: int | None, chance: float) -> Shares:
        """The chances where it plays `reply` but, with this chance, any other action."""
        count = len(self.side.actions)
        if reply is None:
            return (1 / count,) * count
        return tuple(1 - chance if action == reply else chance / (count - 1) for action in range(count))

    def next_action(self, action: int) -> int:
        """The action after this one; after the last, the first."""
        return (action + 1) % len(self.side.actions)


@dataclass(frozen=True)
class PureRule(RuleOfPlay):
    """Plays one action throughout; draws it in the first round if that is None."""

    action: int | None = None

    def after(self, state: int | None, own: int, other: int) -> int:
        return own

    def reply(self, state: int | None) -> int | None:
        return self.action if state is None else state


@dataclass(frozen=True)
class MixtureRule(RuleOfPlay):
    """Draws every action by fixed weights, which move on by one action after `half_time` rounds; None: they stay."""

    weights: tuple[float, ...]
    half_time: int | None = None
    start = 0

    @classmethod
    def even(cls, side: Side) -> MixtureRule:
        """The rule that draws every action alike."""
        count = len(side.actions)
        return cls(side, (1 / count,) * count)

    def after(self, state: int, own: int, other: int) -> int:
        """The number of rounds played, at most `half_time`."""
        return min(state + 1, self.half_time or 0)

    def chances(self, state: int) -> Shares:
        shift = int(self.half_time is not None and state >= self.half_time)
        return tuple(self.weights[action - shift] for action in range(len(self.weights)))


@dataclass(frozen=True)
class CycleRule(RuleOfPlay):
    """Plays actions in turn, over and over."""

    cycle: tuple[int, ...]
    start = 0

    def after(self, state: int, own: int, other: int) -> int:
        return (state + 1) % len(self.cycle)

    def reply(self, state: int) -> int:
        return self.cycle[state]


@dataclass(frozen=True)
class UsualRule(RuleOfPlay):
    """Draws each action with a chance that grows with how often it played it in the last `window` rounds.

    One round more is shared by all actions alike, so that at first it draws evenly, as from Pólya's urn.
    """

    window: int = 5
    start = ()

    def after(self, state: tuple[int, ...], own: int, other: int) -> tuple[int, ...]:
        """Its last actions, the oldest first."""
        return (*state, own)[-self.window :]

    def chances(self, state: tuple[int, ...]) -> Shares:
        actions = range(len(self.side.actions))
        return tuple((state.count(action) + 1 / len(actions)) / (len(state) + 1) for action in actions)


class NextActionRule(RuleOfPlay):
    """A rule whose state is its next action. first: what it plays before there is a state; None to draw it."""

    first: int | None

    def reply(self, state: int | None) -> int | None:
        return self.first if state is None else state


@dataclass(frozen=True)
class StepRule(RuleOfPlay):
    """Goes `step` actions on, and round to the first, from what it played `rounds_ago` rounds ago; 1: the last one.

    first: what it plays until there is such a round; None to draw it. tremble: as in CopyRule.
    """

    step: int = 1
    first: int | None = None
    tremble: float = 0.0
    rounds_ago: int = 1
    start = ()

    def after(self, state: tuple[int, ...], own: int, other: int) -> tuple[int, ...]:
        """Its last actions, the oldest first."""
        return (*state, own)[-self.rounds_ago :]

    def reply(self, state: tuple[int, ...]) -> int | None:
        return self.first if len(state) < self.rounds_ago else (state[0] + self.step) % len(self.side.actions)


@dataclass(frozen=True)
class FlipRule(RuleOfPlay):
    """Plays one action for some rounds, and another from then on."""

    first: int
    then: int
    rounds: int
    start = 0

    def after(self, state: int, own: int, other: int) -> int:
        return min(state + 1, self.rounds)

    def reply(self, state: int) -> int:
        return self.first if state < self.rounds else self.then


@dataclass(frozen=True)
class CopyRule(NextActionRule):
    """Plays `step` actions on from what the other played last; any other action with the chance `tremble`.

    first: None to draw it. With a cooperative first action and no step this is tit-for-tat.
    """

    first: int | None = None
    tremble: float = 0.0
    step: int = 0
    order = 1

    def after(self, state: int | None, own: int, other: int) -> int:
        return (other + self.step) % len(self.side.actions)


@dataclass(frozen=True)
class CounterEarlierRule(RuleOfPlay):
    """Best-responds to what the other played `rounds_ago` rounds ago; 1 stands for the last one.

    Until there is such a round, it goes on with its first action. first, tremble: as in CopyRule.
    """

    rounds_ago: int = 1
    first: int | None = None
    tremble: float = 0.0
    start = (None, ())
    order = 1

    def after(self, state: tuple[int | None, tuple[int, ...]], own: int, other: int) -> Hashable:
        """What it played last, None once that does not matter, and the other's last actions, the oldest first."""
        others = (*state[1], other)[-self.rounds_ago :]
        return None if len(others) == self.rounds_ago else own, others

    def reply(self, state: tuple[int | None, tuple[int, ...]]) -> int | None:
        last, others = state
        if len(others) == self.rounds_ago:
            return self.side.best_response(others[0])
        return self.first if last is None else last


@dataclass(frozen=True)
class WinStayLoseShiftRule(NextActionRule):
    """Stays with an action that paid more than `aspiration`, else takes the next (Nowak and Sigmund, 1993)."""

    aspiration: float = 0.0
    first: int | None = None
    order = 2

    @classmethod
    def above_mean(cls, side: Side) -> WinStayLoseShiftRule:
        """The rule that stays with an action that paid more than the mean of its payoffs."""
        return cls(side, mean(paid for row in side.payoff for paid in row))

    def after(self, state: int | None, own: int, other: int) -> int:
        return own if self.side.payoff[own][other] > self.aspiration else self.next_action(own)


@dataclass(frozen=True)
class SwitchAfterLossesRule(RuleOfPlay):
    """Stays with an action until it has paid less than 0 `losses` times in a row; then takes the next."""

    losses: int = 2
    first: int | None = None
    start = (None, 0)
    order = 2

    def after(self, state: tuple[int | None, int], own: int, other: int) -> tuple[int, int]:
        """Its next action, and how often in a row it has lost with it."""
        lost = state[1] + 1 if self.side.payoff[own][other] < 0 else 0
        return (self.next_action(own), 0) if lost == self.losses else (own, lost)

    def reply(self, state: tuple[int | None, int]) -> int | None:
        return self.first if state[0] is None else state[0]


@dataclass(frozen=True)
class FictitiousPlayRule(RuleOfPlay):
    """Best-responds to the mixture of what the other played in the last `window` rounds (Brown, 1951).

    Of several best responses it takes what it played last, if that is among them, else the first. first, tremble: as in
    CopyRule.
    """

    window: int = 5
    first: int | None = None
    tremble: float = 0.0
    start = (None, ())
    order = 1

    def after(self, state: tuple[int | None, tuple[int, ...]], own: int, other: int) -> Hashable:
        return own, (*state[1], other)[-self.window :]

    def reply(self, state: tuple[int | None, tuple[int, ...]]) -> int | None:
        last, others = state
        if last is None:
            return self.first
        gains = [sum(row[other] for other in others) for row in self.side.payoff]
        return last if gains[last] == max(gains) else gains.index(max(gains))


@dataclass(frozen=True)
class SlippingRule(RuleOfPlay):
    """Another rule that plays any action alike with a small chance, as a rule looks that is only nearly right."""

    rule: RuleOfPlay
    chance: float

    @property
    def start(self) -> Any:
        return self.rule.start

    def after(self, state: Any, own: int, other: int) -> Hashable:
        return self.rule.after(state, own, other)

    def chances(self, state: Any) -> Shares:
        slip = self.chance / len(self.side.actions)
        return tuple((1 - self.chance) * share + slip for share in self.rule.chances(state))
