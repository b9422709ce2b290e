"""The reasoner's answers to questions for chances (agent `hm_odds`): the likeliest rules with what each foresees."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.theory_of_mind.odds import LikelyRule, changes_last, likeliest, rows_told
from hm_agent.theory_of_mind.odds_questions import GiveOdds, OddsAnswer, RuleChances
from hm_agent.theory_of_mind.written_reasoner import odds_of
from hm_agent.worlds.melting_pot.games.matrix.moves import Moves
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    ACCURACY_PRIOR,
    Fit,
    pickup_reliability,
    posterior,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import FIRM_PRIOR
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import opponents_of, predict_all
from hm_agent.worlds.melting_pot.games.matrix.reasoner.revision import foreseen_by_creed
from hm_agent.worlds.melting_pot.games.matrix.rules import matrix_interactions
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat

KEEPS_ITS_KIND = "it keeps to its kind, or draws one as the others do"
"""The rule that is told of one player among many, whose next life may be another."""
PLAYS_BY_ITS_CREED = "it plays by what it believes, as the rules tell"
"""That of the opponent of a matched pair."""


def give_odds(question: GiveOdds) -> OddsAnswer:
    """The likeliest rules of an only opponent, those that foresee the same as one; of one among many, its next kind."""
    seat, history = question.situation, matrix_interactions(question.history)
    assert isinstance(seat, MatrixSeat)
    if seat.rules.players > 2:
        shares = predict_all(seat.rules, opponents_of(seat, history), seat.step)[question.about]
        return OddsAnswer(rules=[RuleChances.of(LikelyRule(KEEPS_ITS_KIND, 1.0, shares))])
    if told := foreseen_by_creed(seat):
        return OddsAnswer(rules=[RuleChances.of(LikelyRule(PLAYS_BY_ITS_CREED, 1.0, told))])
    (other,) = seat.others
    reliability = pickup_reliability(seat.rules, history)
    prior = ACCURACY_PRIOR if seat.rules.is_zero_sum else FIRM_PRIOR
    rules = []
    for fit, weight in posterior(seat.rules, history):
        expected, rows = fit.prediction(prior), rows_told([after.prediction(prior) for after in _after(fit)])
        seen = update_on_pickups(expected, other.present.taken, reliability) if other.present else expected
        share = weight * (sum(a * b for a, b in zip(seen, expected, strict=True)) if other.present else 1.0)
        rules.append(
            LikelyRule(fit.strategy.words, share, seen, rows, len(rows) > 1 and changes_last(fit, _after, _expected))
        )
    return odds_of(rules)


def _after(fit: Fit) -> Sequence[Fit]:
    """For each kind that the agent may play next, the fit then, if the likeliest kind of the other comes next."""
    other, kinds = _expected(fit), range(len(fit.strategy.behaviours))
    return [fit._replace(state=fit.strategy.after(fit.state, Moves(own, other, own))) for own in kinds]


def _expected(fit: Fit) -> int:
    return likeliest(fit.prediction())
