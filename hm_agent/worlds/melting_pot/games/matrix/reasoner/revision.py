"""The reasoner's answers to questions that revise hypotheses, predict and choose all at once (agent `hm_joint`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.theory_of_mind.hypotheses import find
from hm_agent.theory_of_mind.mind_questions import Revise, RevisedBeliefs, RevisedMind
from hm_agent.theory_of_mind.seat_question import answer_about, answer_deciding
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import best_target, expected_inventories, pays_to_watch
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    Fit,
    may_respond_to_observation,
    pickup_reliability,
    posterior,
    predict_behaviour,
    strategy_from_words,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_behaviour
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import choice_among, opponents_of
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, matrix_interactions
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, MatrixSeat, NextLead

KEPT = 3
"""The largest number of hypotheses in an answer."""


Weighed = Sequence[tuple[Fit, float]]
"""The fits of the strategies that an opponent may follow, each with its posterior probability, the likeliest first."""
History = Sequence[MatrixInteraction]


def predict_in_view_of_all(
    rules: MatrixRules, weighed: Weighed, history: History, present: PickupRecord | None
) -> Shares:
    """The distribution over an opponent's next behaviour: the mean over its strategies, corrected by its pickups."""
    parts = [(fit.prediction(), weight) for fit, weight in weighed]
    mean = tuple(sum(part[n] * weight for part, weight in parts) for n in range(len(parts[0][0])))
    if present is None:
        return mean
    return update_on_pickups(mean, present.taken, pickup_reliability(rules, history))


def likeliest_lead(rules: MatrixRules, probabilities: Shares, expected: Sequence[Counts]) -> NextLead:
    """The likeliest pure strategy, with the count of its resource. expected: the inventory held for each strategy."""
    likeliest = probabilities.index(max(probabilities))
    return NextLead(kind=rules.behaviours[likeliest], count=expected[likeliest][likeliest])


def revise(question: Revise) -> RevisedBeliefs[Any, Any]:
    """Keeps the likeliest strategies as hypotheses, the likeliest last; those that the question shows by their number.

    Names none of a player that the agent has not met, and decides in view of all.
    """
    seat = question.situation
    assert isinstance(seat, MatrixSeat)
    history = matrix_interactions(question.history)
    weighed = sorted(posterior(seat.rules, history, question.hypotheses), key=lambda pair: -pair[1])
    if len(seat.others) == 1:
        strategy: AgainstOne | AmongMany = _against_one(seat, history, weighed)
    else:
        believed = {belief.name: belief.hypothesis for belief in question.others}
        if question.about is not None and history:
            believed[question.about] = weighed[0][0].strategy.words
        strategy = choice_among(seat, opponents_of(seat, (*seat.interactions, *history), believed))
    answer: type[RevisedBeliefs[Any, Any]] = answer_deciding(RevisedBeliefs, seat)
    return answer(hypotheses=_revisions(seat, question, weighed) if history else [], strategy=strategy)


def _revisions(seat: MatrixSeat, question: Revise, weighed: Weighed) -> list[RevisedMind[Any]]:
    revised: type[RevisedMind[Any]] = answer_about(RevisedMind, seat)
    expected = expected_inventories(seat.rules, matrix_interactions(question.history))
    answers = []
    for fit, _ in reversed(weighed[:KEPT]):
        words, then = fit.strategy.words, likeliest_lead(seat.rules, fit.prediction(), expected)
        shown = find(question.hypotheses, words)
        of = question.hypotheses.index(shown) + 1 if shown else 0
        answers.append(revised(of=of, hypothesis="" if shown else words, next=then))
    return answers


def _against_one(seat: MatrixSeat, history: History, weighed: Weighed) -> AgainstOne:
    rules, (other,) = seat.rules, seat.others
    probabilities = foreseen_by_creed(seat) or predict_in_view_of_all(rules, weighed, history, other.present)
    believed = weighed[0][0].strategy if history else None
    behaviour = None if rules.is_zero_sum else best_behaviour(rules, history, believed)
    return best_against(seat, history, probabilities, seat.held, behaviour)


def counter(seat: MatrixSeat, history: History, believed: str, *, certain: bool = False) -> tuple[AgainstOne, Shares]:
    """Answers what a player does by a hypothesis with what earns most; also returns how likely each behaviour is.

    believed: empty if there is none. certain: True if it is known to be true, so that neither what the player was seen
    to take nor what the agent holds now matters.
    """
    rules, (other,) = seat.rules, seat.others
    if shares := foreseen_by_creed(seat):
        return best_against(seat, history, shares, seat.held, None), shares
    present, held = (None, None) if certain else (other.present, seat.held)
    strategy = strategy_from_words(believed, rules, history)
    probabilities = predict_behaviour(strategy, rules, history, present.taken if present else None)
    acted_on = strategy if believed else None
    behaviour = None if rules.is_zero_sum else best_behaviour(rules, history, acted_on, certain=certain)
    return best_against(seat, history, probabilities, held, behaviour), probabilities


def foreseen_by_creed(seat: MatrixSeat) -> Shares | None:
    """What the opponent of a matched pair plays by its creed, all kinds alike if that can't be told; None elsewhere."""
    if seat.witnessed is None:
        return None
    kind, kinds = seat.witnessed.opponents_kind(seat.side, seat.rules.order), range(len(seat.rules.behaviours))
    return tuple(1 / len(kinds) if kind is None else float(each == kind) for each in kinds)


def best_against(
    seat: MatrixSeat, history: History, probabilities: Shares, held: Counts | None, behaviour: int | None
) -> AgainstOne:
    """What earns most against one player. probabilities, held, behaviour: as in `best_target`."""
    rules, expected = seat.rules, expected_inventories(seat.rules, history)
    return AgainstOne(
        expects=likeliest_lead(rules, probabilities, expected),
        hold=rules.by_name(seat.within_reach(best_target(rules, probabilities, expected, held, behaviour))),
        watch=seat.may_watch and pays_to_watch(rules, probabilities, expected, held),
        covert=seat.witnessed is None and may_respond_to_observation(rules, history),
    )
