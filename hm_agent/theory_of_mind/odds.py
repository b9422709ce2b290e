"""Beliefs about one other player as chances: the rules that it may follow, and the best choice against all of them.

A model names rules and chances; the choice is calculated, by dynamic programming over all interactions that are left,
so that it also counts what it makes the other player do, be it for good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hm_agent.repeated_games.best_play import BayesPlay
from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

StateT = TypeVar("StateT")

SLIP = 0.05
"""The chance with which any rule is taken to be left for an action drawn alike, so that no surprise refutes it."""
LOOKAHEAD = 1
"""After how many more interactions the rule is taken to be known (QMDP; Littman, Cassandra and Kaelbling, 1995).

An answer tells of two interactions. Whoever looks further ahead with it takes a rule whose grudges need longer for
good nature, and tests it for good.
"""


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


class RuleBeliefs:
    """What is believed of one other player: rules with their probabilities, which interactions change (Bayes).

    rules: at least one; their shares need not add up to 1. side: the game of one interaction as the agent sees it.
    left: how many more interactions there are.
    """

    def __init__(self, rules: Sequence[LikelyRule], side: Side, left: int) -> None:
        total = sum(rule.share for rule in rules)
        self._words = [rule.words for rule in rules]
        self._rules = [
            ToldRule(side.opposite, _slipping(rule.next), tuple(map(_slipping, rule.then)), rule.lasts)
            for rule in rules
        ]
        self._play = BayesPlay(self._rules, [rule.share / total for rule in rules], left, LOOKAHEAD)
        self._beliefs, self._left = self._play.prior, left

    @property
    def chances(self) -> Shares:
        """The probability of each of the other player's next actions."""
        return tuple(self._play.chances(self._beliefs))

    @property
    def ranked(self) -> Sequence[tuple[str, float, Shares]]:
        """Each rule in words, with its probability and the chances of the next actions by it; the likeliest first."""
        likeliest = sorted(self._beliefs, key=lambda belief: belief[2], reverse=True)
        return [(self._words[number], share, self._rules[number].chances(state)) for number, state, share in likeliest]

    @property
    def is_open(self) -> bool:
        """True if it is likelier than not that what the player does next was not told."""
        return sum(share for number, state, share in self._beliefs if self._rules[number].is_open(state)) > 0.5

    @property
    def choice(self) -> int:
        """The number of the agent's best action now."""
        return self._play.action(self._beliefs, self._left)

    def take(self, own: int, other: int) -> None:
        """Takes in an interaction. own, other: the actions of the agent and of the other player."""
        self._beliefs = self._play.updated(self._beliefs, own, other)
        self._left = max(1, self._left - 1)


def likeliest(chances: Shares) -> int:
    """The number of the action with the largest chance; the first of several."""
    return chances.index(max(chances))


def _slipping(chances: Shares) -> Shares:
    """The chances where an action is drawn alike with the chance SLIP; they add up to 1."""
    total = sum(chances)
    return tuple((1 - SLIP) * chance / total + SLIP / len(chances) for chance in chances)
