"""Answers to what the Theory of Mind asks in a matrix game, each calculated from its question alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.theory_of_mind.module import HypothesisAnswer
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution, best_target, expected_inventories
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import is_worthwhile
from hm_agent.worlds.melting_pot.games.matrix.payoff import infer_inventory
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import (
    ChooseOpponents,
    CounterAnswer,
    InferInventory,
    InventoryAnswer,
    MindAnswer,
    MindsAnswer,
    Opponent,
    PatientAnswer,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import expectation, likeliest, may_spy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.library import strategy_of
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_course
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import meeting_among, outlooks, thought_of
from hm_agent.worlds.melting_pot.games.matrix.rules import Rules


def infer(question: InferInventory) -> InventoryAnswer:
    rules = question.rules
    inventory, _ = infer_inventory(question.own, question.reward, rules.payoff, rules.initial_inventory)
    return InventoryAnswer(inventory=rules.by_name(inventory))


def propose(question: ProposeHypothesis) -> HypothesisAnswer:
    strategy = likeliest(question.rules, question.history, question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the {len(question.history)} interactions so far best.", hypothesis=strategy.words
    )


def counter(question: PredictAndCounter) -> CounterAnswer:
    """What the other is expected to hold by a hypothesis, and what pays most against that."""
    rules, history = question.rules, question.history
    strategy = strategy_of(question.hypothesis or "", rules, history)
    odds = expectation(strategy, history, question.taken)
    expected = expected_inventories(rules, history)
    believed = strategy if question.hypothesis else None
    course = None if rules.is_zero_sum else best_course(rules, history, believed, certain=question.certain)
    target = best_target(rules, odds, expected, question.own, course)
    other = expected[max(range(len(odds)), key=lambda n: odds[n])]
    return CounterAnswer(
        reasoning=said_of(rules, odds),
        other_next=rules.by_name(other),
        own_next=rules.by_name(target),
        covert=may_spy(rules, history),
    )


def predict(question: PredictNext) -> PredictionAnswer:
    rules, history = question.rules, question.history
    odds = expectation(strategy_of(question.hypothesis or "", rules, history), history, None)
    other = expected_inventories(rules, history)[max(range(len(odds)), key=lambda n: odds[n])]
    return PredictionAnswer(reasoning=said_of(rules, odds), other_next=rules.by_name(other))


def choose(question: ChooseOpponents) -> PatientAnswer:
    rules, opponents, own = question.rules, question.opponents, question.own
    odds = outlooks(rules, opponents, question.step)
    said = "; ".join(f"{player} {said_of(rules, shares)}" for player, shares in odds.items())
    best = meeting_among(rules, opponents, odds, own, question.step)
    if not is_worthwhile(rules, best, own):
        return PatientAnswer(reasoning=said, seek=[], own_next=rules.by_name(own), watch=True)
    return PatientAnswer(reasoning=said, seek=list(best.seek), own_next=rules.by_name(best.target))


def read_minds(question: ReadMinds) -> MindsAnswer:
    """Hypothesises about everybody that was met, and goes by it at once."""
    opponents = [thought_of(question.rules, opponent) for opponent in question.opponents]
    if question.rules.players > 2:
        return _read_many(question, opponents)
    (opponent,) = opponents
    believed = opponent.hypothesis.words if opponent.hypothesis else None
    taken = opponent.present.taken if opponent.present else None
    answer = counter(PredictAndCounter(question.rules, opponent.history, believed, taken=taken, own=question.own))
    other = max(answer.other_next, key=answer.other_next.__getitem__)
    return MindsAnswer(minds=_minds(opponents, {opponent.player: other}), own_next=answer.own_next)


def _read_many(question: ReadMinds, opponents: Sequence[Opponent]) -> MindsAnswer:
    rules = question.rules
    odds = outlooks(rules, opponents, question.step)
    best = meeting_among(rules, opponents, odds, question.own, question.step)
    expected = {player: rules.behaviours[shares.index(max(shares))] for player, shares in odds.items()}
    return MindsAnswer(minds=_minds(opponents, expected), seek=list(best.seek), own_next=rules.by_name(best.target))


def _minds(opponents: Sequence[Opponent], expected: Mapping[str, str]) -> list[MindAnswer]:
    """Of everybody that was met."""
    return [
        MindAnswer(player=each.player, hypothesis=each.hypothesis.words, next=expected[each.player])
        for each in opponents
        if each.hypothesis
    ]


def said_of(rules: Rules, odds: Distribution) -> str:
    """An expectation in words."""
    shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(rules.behaviours, odds, strict=True))
    return f"Expected next: {shares}."
