"""Rules by which another player may act, each with the chances of its actions in the next two interactions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

StateT = TypeVar("StateT")

SLIP = 0.05
"""The chance with which any rule is taken to be left for an action drawn alike, so that no surprise refutes it."""


@dataclass(frozen=True, slots=True)
class LikelyRule:
    """A rule by which another player may act. Chances are in the order of its actions.

    share: how likely it is that this rule holds. next: the chance of each action next. then: the same for the
    interaction after that: a row for each action that the agent may take now if they depend on it, one row if they
    don't, none if they stay as they are. lasts: True if a change of the likeliest action, by the agent's, is for good.
    """

    words: str
    share: float
    next: Shares
    then: tuple[Shares, ...] = ()
    lasts: bool = False


def rows_told(by_choice: Sequence[Shares]) -> tuple[Shares, ...]:
    """What a rule has to tell of the interaction after next, in `then`: one row if it is the same for every choice.

    by_choice: the chances of the other's actions for each action of the agent.
    """
    return tuple(by_choice[:1] if len(set(by_choice)) == 1 else by_choice)


def changes_last(state: StateT, after: Callable[[StateT], Sequence[StateT]], expected: Callable[[StateT], int]) -> bool:
    """True if whatever the agent's next action changes is for good, as far as one more interaction tells.

    after: the states after an interaction in which the other does what is expected, one for each action of the agent.
    expected: the other's likeliest action in a state.
    """
    changed = [later for later in after(state) if expected(later) != expected(state)]
    return all(expected(later) == expected(each) for each in changed for later in after(each))


def likely_rule(rule: RuleOfPlay, state: Any, words: str, share: float) -> LikelyRule:
    """What a rule of play in a state foresees of the next two interactions."""
    chances, choices = rule.chances(state), range(len(rule.side.others))
    replies = [(reply, chance) for reply, chance in enumerate(chances) if chance]
    after = [[(chance, rule.after(state, reply, own)) for reply, chance in replies] for own in choices]
    if all(later == state for outcomes in after for _, later in outcomes):
        return LikelyRule(words, share, chances)
    rows = rows_told([_mixed([(chance, rule.chances(later)) for chance, later in outcomes]) for outcomes in after])

    def expected(present: Any) -> int:
        return likeliest(rule.chances(present))

    def then(present: Any) -> Sequence[Any]:
        return [rule.after(present, expected(present), own) for own in choices]

    return LikelyRule(words, share, chances, rows, len(rows) > 1 and changes_last(state, then, expected))


def _mixed(rows: Sequence[tuple[float, Shares]]) -> Shares:
    """The chances that come of several, each with its own chance."""
    columns = range(len(rows[0][1]))
    return tuple(sum(chance * row[column] for chance, row in rows) for column in columns)


@dataclass(frozen=True)
class ToldRule(RuleOfPlay):
    """A `LikelyRule` as a state machine: None before the next interaction, then the number of the row that holds.

    A rule with a row for each of the agent's actions is taken to answer the latest of these for ever, or, if its
    changes last, the first one that changes anything.
    """

    next: Shares
    then: tuple[Shares, ...]
    lasts: bool = False

    def after(self, state: int | None, own: int, other: int) -> int | None:
        if self.lasts and state is not None and likeliest(self.then[state]) != likeliest(self.next):
            return state
        return other if len(self.then) > 1 else 0 if self.then else None

    def chances(self, state: int | None) -> Shares:
        return self.next if state is None else self.then[state]

    def is_open(self, state: int | None) -> bool:
        """True if the rule told of two interactions, which are over; what holds from now on is a guess."""
        return state is not None


def told_rule(rule: LikelyRule, side: Side) -> ToldRule:
    """A rule that another player may follow, with slips. side: the game of one interaction as the agent sees it."""
    return ToldRule(side.opposite, _slipping(rule.next), tuple(map(_slipping, rule.then)), rule.lasts)


def likeliest(chances: Shares) -> int:
    """The number of the action with the largest chance; the first of several."""
    return chances.index(max(chances))


def _slipping(chances: Shares) -> Shares:
    """The chances where an action is drawn alike with the chance SLIP; they add up to 1."""
    total = sum(chances)
    return tuple((1 - SLIP) * chance / total + SLIP / len(chances) for chance in chances)
