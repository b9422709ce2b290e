"""Calculates what a rule earns the player who follows it: players who mean to gain follow rules that pay."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from hm_agent.repeated_games.payoffs import Side
from hm_agent.worlds.melting_pot.games.matrix.moves import UNKNOWN, Moves
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Rule

INTERACTIONS = 24
"""The number of interactions over which a rule's earnings are averaged."""

Outcome = tuple[float, float, Hashable]
"""What an interaction pays the player who answers and the one who follows the rule, and the state after it."""


def earnings(rule: Rule, side: Side) -> float:
    """The mean reward per interaction of a player who follows a rule, against one who knows it and answers it best.

    side: the game as the player sees it who answers. While the rule determines no reply, it is taken to play every
    behaviour with the same probability.
    """
    kinds = range(len(side.actions))

    @cache
    def outcomes(state: Hashable) -> Sequence[Sequence[Outcome]]:
        """Those of each answer, one for each reply that the rule may give."""
        reply = rule.reply(state)
        replies = kinds if reply == UNKNOWN else (reply,)
        return [[outcome(state, answer, played) for played in replies] for answer in kinds]

    def outcome(state: Hashable, answer: int, played: int) -> Outcome:
        after = rule.after(state, Moves(answer, played, seen=answer))
        return side.payoff[answer][played], side.others_payoff[answer][played], after

    @cache
    def totals(state: Hashable, left: int) -> tuple[float, float]:
        """What the best answers earn in the interactions that are left, and what the rule earns against them."""
        if left == 0:
            return 0.0, 0.0
        return max(means(possible, left) for possible in outcomes(state))

    def means(possible: Sequence[Outcome], left: int) -> tuple[float, float]:
        mine = earned = 0.0
        for paid, paid_to_rule, after in possible:
            later = totals(after, left - 1)
            mine += (paid + later[0]) / len(possible)
            earned += (paid_to_rule + later[1]) / len(possible)
        return mine, earned

    return totals(rule.start, INTERACTIONS)[1] / INTERACTIONS
