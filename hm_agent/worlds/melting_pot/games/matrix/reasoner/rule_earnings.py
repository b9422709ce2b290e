"""Calculates what a rule earns the player who follows it: players who mean to gain follow rules that pay."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache

from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import UNKNOWN, Moves, Rule
from hm_agent.worlds.melting_pot.games.matrix.rules import Payoff

INTERACTIONS = 24
"""The number of interactions over which a rule's earnings are averaged."""


def earnings(rule: Rule, payoff: Payoff, theirs: Payoff) -> float:
    """The mean reward per interaction of a player who follows a rule, against one who knows it and answers it best.

    payoff: of the player who answers. theirs: of the one who follows the rule. In both, rows are the player's own
    behaviours. While the rule determines no reply, it is taken to play every behaviour with the same probability.
    """
    kinds = range(len(payoff))

    @cache
    def totals(state: Hashable, left: int) -> tuple[float, float]:
        """What the best answers earn in the interactions that are left, and what the rule earns against them."""
        if left == 0:
            return 0.0, 0.0
        return max(after(state, left, answer) for answer in kinds)

    def after(state: Hashable, left: int, answer: int) -> tuple[float, float]:
        reply = rule.reply(state)
        replies = kinds if reply == UNKNOWN else (reply,)
        mine = earned = 0.0
        for played in replies:
            later = totals(rule.updated(state, Moves(answer, played, seen=answer)), left - 1)
            mine += (payoff[answer][played] + later[0]) / len(replies)
            earned += (theirs[played][answer] + later[1]) / len(replies)
        return mine, earned

    return totals(rule.start, INTERACTIONS)[1] / INTERACTIONS
