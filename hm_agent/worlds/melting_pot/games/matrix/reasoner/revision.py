"""The reasoner's answers to questions that revise hypotheses, predict and choose all at once (agent `hm_joint`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.hypotheses import find
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    Distribution,
    best_target,
    expected_inventories,
    is_worthwhile,
    pays_to_watch,
)
from hm_agent.worlds.melting_pot.games.matrix.joint_questions import (
    JointChoiceAnswer,
    JointCounterAnswer,
    ReviseAndChoose,
    ReviseAndCounter,
    RevisionAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.questions import LeadAnswer, Opponent
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    Fit,
    may_respond_to_observation,
    pickup_reliability,
    posterior,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_behaviour
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import choose_among, predict_all
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules

KEPT = 3
"""The largest number of hypotheses in an answer."""


Weighed = Sequence[tuple[Fit, float]]
"""The fits of the strategies that an opponent may follow, each with its posterior probability, the likeliest first."""


def weighed_strategies(rules: MatrixRules, opponent: Opponent) -> Weighed:
    return sorted(posterior(rules, opponent.history, opponent.hypotheses), key=lambda pair: -pair[1])


def predict_in_view_of_all(rules: MatrixRules, weighed: Weighed, opponent: Opponent) -> Distribution:
    """The distribution over an opponent's next behaviour: the mean over its strategies, corrected by its pickups."""
    parts = [(fit.prediction(), weight) for fit, weight in weighed]
    mean = tuple(sum(part[n] * weight for part, weight in parts) for n in range(len(parts[0][0])))
    if opponent.present is None:
        return mean
    return update_on_pickups(mean, opponent.present.taken, pickup_reliability(rules, opponent.history))


def likeliest_lead(rules: MatrixRules, probabilities: Distribution, expected: Sequence[Counts]) -> LeadAnswer:
    """The likeliest pure strategy, with the count of its resource. expected: the inventory held for each strategy."""
    likeliest = probabilities.index(max(probabilities))
    return LeadAnswer(kind=rules.behaviours[likeliest], count=expected[likeliest][likeliest])


def _revisions(rules: MatrixRules, opponent: Opponent, weighed: Weighed) -> list[RevisionAnswer]:
    """The likeliest strategies as hypotheses, the likeliest last; those that the question shows, by their number."""
    if not opponent.history:
        return []
    answers = []
    for fit, _ in reversed(weighed[:KEPT]):
        words, predicted = fit.strategy.words, fit.prediction()
        shown = find(opponent.hypotheses, words)
        of = opponent.hypotheses.index(shown) + 1 if shown else 0
        answers.append(
            RevisionAnswer(
                of=of,
                hypothesis="" if shown else words,
                next=rules.behaviours[predicted.index(max(predicted))],
            )
        )
    return answers


def revise_and_counter(question: ReviseAndCounter) -> JointCounterAnswer:
    rules, opponent = question.rules, question.opponent
    history = opponent.history
    weighed = weighed_strategies(rules, opponent)
    probabilities = predict_in_view_of_all(rules, weighed, opponent)
    expected = expected_inventories(rules, history)
    believed = weighed[0][0].strategy if history else None
    behaviour = None if rules.is_zero_sum else best_behaviour(rules, history, believed)
    target = best_target(rules, probabilities, expected, question.own, behaviour)
    return JointCounterAnswer(
        hypotheses=_revisions(rules, opponent, weighed),
        other_next=likeliest_lead(rules, probabilities, expected),
        own_next=rules.by_name(target),
        watch=pays_to_watch(rules, probabilities, expected, question.own),
        covert=may_respond_to_observation(rules, history),
    )


def revise_and_choose(question: ReviseAndChoose) -> JointChoiceAnswer:
    rules, own, step = question.rules, question.own, question.step
    revised: list[RevisionAnswer] = []
    opponents = []
    for opponent in question.opponents:
        if opponent.player == question.about:
            weighed = weighed_strategies(rules, opponent)
            revised = _revisions(rules, opponent, weighed)
            if opponent.history:
                opponent = replace(opponent, hypothesis=Hypothesis(weighed[0][0].strategy.words))
        opponents.append(opponent)
    best = choose_among(rules, opponents, predict_all(rules, opponents, step), own, step)
    if not is_worthwhile(rules, best, own):
        return JointChoiceAnswer(hypotheses=revised, seek=[], own_next=rules.by_name(own), watch=True)
    return JointChoiceAnswer(hypotheses=revised, seek=list(best.seek), own_next=rules.by_name(best.target))
