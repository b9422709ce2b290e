"""The mind of a player of Coins, and the built-in reasoner: by which rule the other takes coins, and what pays then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from hm_agent.core import Interaction
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.coins.coins_play import GOALS, SCRIPTED, SHORTCUTS, STAND_INS, play_best
from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsFollower, CoinsNotes, CoinsSeat
from hm_agent.worlds.melting_pot.games.coins.takes import SPARES_YOURS, TAKES_BOTH, TAKES_YOURS, CoinConduct, Take
from hm_agent.worlds.melting_pot.games.coins.taking_rules import CONSIDERED, TOLD, TakingRule
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.greedy import believed_rule, best_strategy, planner, review
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct

HOSTILE, SPARING = 0.55, 0.03
"""The chance that a coin that a player takes is the agent's: if it takes any, and if it takes only its own."""


class CoinsMind(WrittenMind):
    """What strategists ask about a player that takes coins."""

    def explains(self, hypotheses: Bank, history: Sequence[Interaction]) -> bool:
        """True if a hypothesis has foreseen the latest coin: that it took one of that colour before tells nothing."""
        return any(each.prediction and self.is_right(each.prediction, history[-1]) for each in hypotheses)


def _weigh(seat: CoinsSeat, about: str, history: Sequence[CoinConduct]) -> Mapping[str, float]:
    """The rules' log-likelihoods, less what speaks against each."""
    return {rule.words: _fit(rule, seat.takes, about) - against for rule, against in CONSIDERED.items()}


def _fit(rule: TakingRule, takes: Sequence[Take], player: str) -> float:
    fit = 0.0
    for number, take in enumerate(takes):
        if take.taker == player:
            chance = HOSTILE if rule.is_hostile(takes[:number], take.step, player) else SPARING
            fit += log(1 - chance if take.owner == player else chance)
    return fit


def _foresee(words: str | None, seat: CoinsSeat, about: str, history: Sequence[CoinConduct]) -> NextConduct:
    """Whose coins a player takes by a rule; words of no rule stand for those of the owner whose coin it took last."""
    rule = TOLD.get(words or "")
    if rule is None:
        is_hostile = bool(history) and history[-1].behaviour == TAKES_YOURS
    else:
        is_hostile = rule.is_hostile(seat.takes, seat.step, about)
    return NextConduct(does=TAKES_BOTH if is_hostile else SPARES_YOURS)


def _best_calls(seat: CoinsSeat, others: Sequence[PlayerBelief]) -> Sequence[Call]:
    return play_best(seat, TOLD.get(believed_rule(others, TOLD) or ""))


REASONER = WrittenReasoner(
    CoinsSeat, _weigh, _foresee, best_strategy, planner(SHORTCUTS, _best_calls), review, keeps_all=True
)
PARTS = OpenParts(
    CoinsNotes,
    CoinsFollower,
    CoinsMind,
    REASONER,
    shortcuts=SHORTCUTS,
    rules=lambda facts, slot: SCRIPTED,
    stand_ins=STAND_INS,
    goals=GOALS,
)
