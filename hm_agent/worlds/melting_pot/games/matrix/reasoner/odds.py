"""The reasoner's answers to questions for chances (agent `hm_odds`): the likeliest rules with what each foresees."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.theory_of_mind.language_questions import GiveOdds, OddsAnswer, RuleChances
from hm_agent.theory_of_mind.odds import LikelyRule
from hm_agent.theory_of_mind.written_reasoner import odds_of
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Moves
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    Fit,
    pickup_reliability,
    posterior,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import opponents_of, predict_all
from hm_agent.worlds.melting_pot.games.matrix.rules import matrix_interactions
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat

KEEPS_ITS_KIND = "it keeps to its kind, or draws one as the others do"
"""The rule that is told of one player among many, whose next life may be another."""


def give_odds(question: GiveOdds) -> OddsAnswer:
    """The likeliest rules of an only opponent, those that foresee the same as one; of one among many, its next kind."""
    seat, history = question.situation, matrix_interactions(question.history)
    assert isinstance(seat, MatrixSeat)
    if seat.rules.players > 2:
        shares = predict_all(seat.rules, opponents_of(seat, history), seat.step)[question.about]
        return OddsAnswer(rules=[RuleChances.of(LikelyRule(KEEPS_ITS_KIND, 1.0, shares))])
    (other,) = seat.others
    reliability = pickup_reliability(seat.rules, history)
    rules = []
    for fit, weight in posterior(seat.rules, history):
        expected, then = fit.prediction(), _rows_after(fit)
        seen = update_on_pickups(expected, other.present.taken, reliability) if other.present else expected
        share = weight * (sum(a * b for a, b in zip(seen, expected, strict=True)) if other.present else 1.0)
        rows = then[:1] if len(set(then)) == 1 else then
        rules.append(LikelyRule(fit.strategy.words, share, seen, tuple(rows), len(rows) > 1 and _lasts(fit)))
    return odds_of(rules)


def _rows_after(fit: Fit) -> Sequence[Shares]:
    """For each kind that the agent may play next, the chances in the interaction after, if the likeliest comes next."""
    return [after.prediction() for after in _after(fit)]


def _after(fit: Fit) -> Sequence[Fit]:
    """For each kind that the agent may play next, the fit then, if the likeliest kind of the other comes next."""
    kinds, likeliest = range(len(fit.prediction())), _likeliest(fit)
    return [fit._replace(state=fit.strategy.updated(fit.state, Moves(own, likeliest, own))) for own in kinds]


def _likeliest(fit: Fit) -> int:
    chances = fit.prediction()
    return chances.index(max(chances))


def _lasts(fit: Fit) -> bool:
    """True if whatever the agent's next move changes is for good, as far as one more interaction tells."""
    changed = [each for each in _after(fit) if _likeliest(each) != _likeliest(fit)]
    return all(_likeliest(later) == _likeliest(each) for each in changed for later in _after(each))
