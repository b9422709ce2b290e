"""Which rules of play fit the rounds so far: a fixed set of rules, each with its state and its likelihood.

They are tried on any table of payoffs, whatever opponents there are. Where every round has its own table, levels of
thought are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from math import log
from typing import Any

from hm_agent.repeated_games.best_play import best_response
from hm_agent.repeated_games.dilemma_rules import GradualRule, GrimRule, TitForTwoTatsRule
from hm_agent.repeated_games.levels import NAIVE, LevelRule
from hm_agent.repeated_games.mind_rules import OutguessRule
from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import (
    CopyRule,
    CounterEarlierRule,
    FictitiousPlayRule,
    MixtureRule,
    PureRule,
    RuleOfPlay,
    SlippingRule,
    StepRule,
    SwitchAfterLossesRule,
    UsualRule,
    WinStayLoseShiftRule,
)

SLIP = 0.05
"""The chance that a rule is taken to play any action alike, so that one surprise rules nothing out."""
LAGS, WINDOW = range(1, 7), 8
"""From how many rounds before a habit may go on, and over how many it is counted what the other mostly does."""
LEVELS = (1, 2, 3)
"""The levels of thought that are tried; those from the second on only of players who see what this one gets."""
USUAL_NAIVE, USUAL_WEIGHT = "average", 3.0
"""What level 1 of the field wants (Stahl and Wilson, 1995), and how often it is expected for once of each variant."""
Moves = tuple[tuple[int, int], ...]
"""The numbers of the player's own action and of the other's, for each round so far."""


@lru_cache(64)
def rules_tried(side: Side) -> Sequence[RuleOfPlay]:
    """The rules that the other, who sees the game as `side`, may play by; the simplest first."""
    return tuple(_rules(side))


def _rules(side: Side) -> Iterator[RuleOfPlay]:
    actions = range(len(side.actions))
    yield from (PureRule(side, action) for action in actions)
    yield MixtureRule.even(side)
    yield from (StepRule(side, step, rounds_ago=ago) for ago, step in product(LAGS, actions) if (ago, step) != (1, 0))
    yield UsualRule(side, WINDOW)
    yield from (CounterEarlierRule(side, ago) for ago in (1, 2))
    yield WinStayLoseShiftRule.above_mean(side)
    yield SwitchAfterLossesRule(side, 2)
    yield FictitiousPlayRule(side, 4)
    yield OutguessRule(side)
    if side.actions == side.others:
        yield from (CopyRule(side), CopyRule(side, None, 0.15))
    if side.actions == side.others and len(actions) == 2:
        for cooperate, defect in permutations(actions):
            yield from (GrimRule(side, times, cooperate, defect) for times in (1, 2))
            yield TitForTwoTatsRule(side, cooperate, defect)
            yield GradualRule(side, cooperate, defect)


def levels_tried(side: Side, *, sees_less: bool) -> Sequence[RuleOfPlay]:
    """The rules by which the other may play where every round has its own table; the present one is `side`.

    sees_less: True if the other does not see what the player gets.
    """
    levels = product(LEVELS[:1] if sees_less else LEVELS, NAIVE)
    return (MixtureRule.even(side), *(LevelRule(side, level, naive) for level, naive in levels))


@dataclass(frozen=True)
class RuleFit:
    """A rule in its present state, and the logarithm of the likelihood of the other's actions so far by it."""

    rule: RuleOfPlay
    state: Any
    likelihood: float = 0.0

    @property
    def chances(self) -> Shares:
        return self.rule.chances(self.state)

    def after(self, own: int, other: int) -> RuleFit:
        """The fit after one more round. own: the player's action. other: that of the one who may play by the rule."""
        slipping = SlippingRule(self.rule.side, self.rule, SLIP)
        likelihood = self.likelihood + log(slipping.chances(self.state)[other])
        return RuleFit(self.rule, self.rule.after(self.state, other, own), likelihood)

    def values(self, rounds: int, left: int) -> Sequence[float]:
        """The expected reward of each of the player's actions; of this round alone where the rest is the same for all.

        That is so for a rule that only goes on by itself; and so it is taken in a state that the rule never gets to.
        rounds: of the game. left: those still to play, the present one included.
        """
        if self.rule.order:
            try:
                return best_response(self.rule, rounds).action_values(self.state, left)
            except KeyError:
                pass
        side = self.rule.side.opposite
        return [side.expected(own, self.chances) for own in range(len(side.actions))]


def fits(side: Side, moves: Moves) -> Sequence[RuleFit]:
    """The fit of each rule tried. side: the game as the other sees it. The lags of a habit share one rule's weight."""
    return [
        replace(fit, likelihood=fit.likelihood - log(len(LAGS))) if isinstance(fit.rule, StepRule) else fit
        for fit in _followed(side, moves)
    ]


@lru_cache(1_000)
def _followed(side: Side, moves: Moves) -> Sequence[RuleFit]:
    """The fit of each rule tried, where each has the same weight at first."""
    if not moves:
        return [RuleFit(rule, rule.start) for rule in rules_tried(side)]
    return [fit.after(*moves[-1]) for fit in _followed(side, moves[:-1])]


def fits_by_table(rules: Sequence[RuleOfPlay], tables: Sequence[Side], moves: Moves) -> Sequence[RuleFit]:
    """The fit of each rule where every round had its own table. tables: as the other saw them."""
    found = []
    for rule in rules:
        is_usual = isinstance(rule, LevelRule) and rule.naive == USUAL_NAIVE
        fit = RuleFit(rule, rule.start, log(USUAL_WEIGHT) if is_usual else 0.0)
        for table, move in zip(tables, moves, strict=True):
            fit = replace(fit, rule=replace(rule, side=table)).after(*move)
        found.append(replace(fit, rule=rule))
    return found
