"""Beliefs about what another player does next, as chances: by rules in a table of payoffs, or as they were told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

from hm_agent.core import Interaction
from hm_agent.repeated_games.best_play import BayesPlay
from hm_agent.repeated_games.payoffs import Side
from hm_agent.theory_of_mind.odds import LikelyRule, likeliest, told_rule

LOOKAHEAD = 1
"""After how many more interactions the rule is taken to be known (QMDP; Littman, Cassandra and Kaelbling, 1995).

An answer tells of two interactions. Whoever looks further ahead with it takes a rule whose grudges need longer for
good nature, and tests it for good.
"""

MovesIn = Callable[[Interaction], tuple[int, int] | None]
"""The agent's action and the other's in an interaction, by their numbers; None if one is unknown."""


class PlayerOdds(ABC):
    """What is believed of one other player, as chances.

    knows: the probability with which the player knows each thing that the world asks about, in words. is_lasting: True
    if they still say something once new ones have to be asked for.
    """

    knows: Mapping[str, float] = MappingProxyType({})
    is_lasting: ClassVar[bool] = True

    @property
    @abstractmethod
    def chances(self) -> Mapping[str, float]:
        """The probability of each behaviour that may come next, by its name."""

    @property
    @abstractmethod
    def ranked(self) -> Sequence[tuple[str, float, str]]:
        """Each rule in words, with its probability and the likeliest behaviour by it; the likeliest rule first."""

    @property
    def likeliest(self) -> str:
        """The likeliest next behaviour; the first of several."""
        return max(self.chances, key=self.chances.__getitem__)

    @abstractmethod
    def take(self, interaction: Interaction, before: Interaction | None) -> bool:
        """Takes in an interaction with the player; returns True if new chances have to be asked for.

        before: the interaction with it before this one.
        """


class TableOdds(PlayerOdds):
    """Chances of a player's actions in a table of payoffs, which Bayes' rule moves on from one question to the next.

    A model names rules and chances; the choice is calculated, by dynamic programming over all interactions that are
    left, so that it also counts what it makes the other player do, be it for good. New chances are asked for after an
    action that is rarer than if all were drawn alike, and, unless both repeat their actions, when the answer does not
    tell of the next one.

    rules: at least one; their shares need not add up to 1. side: the game of one interaction as the agent sees it.
    left: for how many interactions the table holds.
    """

    def __init__(self, rules: Sequence[LikelyRule], side: Side, left: int, moves_in: MovesIn) -> None:
        total = sum(rule.share for rule in rules)
        self._words, self._rules = [rule.words for rule in rules], [told_rule(rule, side) for rule in rules]
        self._play = BayesPlay(self._rules, [rule.share / total for rule in rules], left, LOOKAHEAD)
        self._beliefs, self._left, self._names, self._moves_in = self._play.prior, left, side.others, moves_in

    @property
    def chances(self) -> Mapping[str, float]:
        return dict(zip(self._names, self._play.chances(self._beliefs), strict=True))

    @property
    def ranked(self) -> Sequence[tuple[str, float, str]]:
        ranked = sorted(self._beliefs, key=lambda belief: belief[2], reverse=True)
        return [
            (self._words[number], share, self._names[likeliest(self._rules[number].chances(state))])
            for number, state, share in ranked
        ]

    @property
    def choice(self) -> int:
        """The number of the agent's best action now."""
        return self._play.action(self._beliefs, max(1, self._left))

    def take(self, interaction: Interaction, before: Interaction | None) -> bool:
        if (moves := self._moves_in(interaction)) is None:
            return False
        own, other = moves
        is_surprise = self.chances[self._names[other]] < 1 / len(self._names)
        self._beliefs = self._play.updated(self._beliefs, own, other)
        self._left -= 1
        open_share = sum(share for number, state, share in self._beliefs if self._rules[number].is_open(state))
        is_untold = open_share > 0.5 and (before is None or moves != self._moves_in(before))
        return is_surprise or is_untold or self._left <= 0


@dataclass(frozen=True)
class ToldOdds(PlayerOdds):
    """Chances as an answer tells them, which hold until the next interaction.

    rules: in words, each with its share and its chances of the next behaviours; what a rule leaves open is anything
    else. They still hold after an interaction that was expected and like the one before.
    """

    is_lasting = False
    rules: Sequence[tuple[str, float, Mapping[str, float]]]
    knows: Mapping[str, float] = field(default_factory=dict)

    @property
    def chances(self) -> Mapping[str, float]:
        total: dict[str, float] = {}
        for _, share, chances in self.rules:
            for behaviour, chance in chances.items():
                total[behaviour] = total.get(behaviour, 0.0) + share * chance
        return total

    @property
    def ranked(self) -> Sequence[tuple[str, float, str]]:
        likeliest = sorted(self.rules, key=lambda rule: rule[1], reverse=True)
        return [(words, share, max(chances, key=chances.__getitem__)) for words, share, chances in likeliest]

    def take(self, interaction: Interaction, before: Interaction | None) -> bool:
        is_repeated = before is not None and interaction.behaviour == before.behaviour
        return not (is_repeated and interaction.behaviour == self.likeliest)
