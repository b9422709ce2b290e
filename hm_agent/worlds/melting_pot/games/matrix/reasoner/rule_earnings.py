"""What a rule earns the player who follows it: players who mean to gain follow rules that pay."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache

from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import UNKNOWN, Moves, Rule
from hm_agent.worlds.melting_pot.games.matrix.rules import Payoff

INTERACTIONS = 24
"""Over how many interactions a rule's earnings are averaged."""


def earnings(rule: Rule, payoff: Payoff, theirs: Payoff) -> float:
    """What a rule earns in each interaction against one who knows it and answers it best, to the end.

    payoff: of the one who answers. theirs: of the player who follows the rule; rows are the own behaviours in both.
    Where the rule tells nothing yet, each of its behaviours is taken to be as likely as any other.
    """
    kinds = range(len(payoff))

    @cache
    def totals(state: Hashable, left: int) -> tuple[float, float]:
        """What the best answers earn in the interactions that are left, and what the rule then earns."""
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
