"""The built-in reasoner in a matrix game: what it answers to each question, by calculation from the question alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from hm_agent.asking import Question
from hm_agent.core import Counts
from hm_agent.games.matrix.counters import Odds, best_meeting, best_target, expected_inventories
from hm_agent.games.matrix.payoff import infer_inventory
from hm_agent.games.matrix.questions import (
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    InferInventory,
    InventoryAnswer,
    PlanAnswer,
    PlanSubgoals,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
)
from hm_agent.games.matrix.rules import Rules
from hm_agent.models.builtin.matrix.crowd import outlooks
from hm_agent.models.builtin.matrix.evidence import expectation, likeliest
from hm_agent.models.builtin.matrix.foresight import best_course
from hm_agent.models.builtin.matrix.library import strategy_of
from hm_agent.models.builtin.matrix.routes import plan_route
from hm_agent.theory_of_mind.module import HypothesisAnswer


def infer(question: InferInventory) -> InventoryAnswer:
    rules = question.rules
    inventory, _ = infer_inventory(question.own, question.reward, rules.payoff, rules.initial_inventory)
    return InventoryAnswer(inventory=_by_name(rules, inventory))


def propose(question: ProposeHypothesis) -> HypothesisAnswer:
    strategy = likeliest(question.rules, question.history, question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the {len(question.history)} interactions so far best.", hypothesis=strategy.words
    )


def predict_and_counter(question: PredictAndCounter) -> CounterAnswer:
    rules, history = question.rules, question.history
    strategy = strategy_of(question.hypothesis or "", rules, history)
    odds = expectation(strategy, history, question.taken)
    expected = expected_inventories(rules, history)
    believed = strategy if question.hypothesis else None
    course = None if rules.is_contest else best_course(rules, history, believed, certain=question.certain)
    target = best_target(rules, odds, expected, question.own, course)
    other = expected[max(range(len(odds)), key=lambda n: odds[n])]
    return CounterAnswer(
        reasoning=_shares(rules, odds), other_next=_by_name(rules, other), own_next=_by_name(rules, target)
    )


def predict(question: PredictNext) -> PredictionAnswer:
    rules, history = question.rules, question.history
    odds = expectation(strategy_of(question.hypothesis or "", rules, history), history, None)
    other = expected_inventories(rules, history)[max(range(len(odds)), key=lambda n: odds[n])]
    return PredictionAnswer(reasoning=_shares(rules, odds), other_next=_by_name(rules, other))


def choose(question: ChooseOpponents) -> ChoiceAnswer:
    rules, opponents = question.rules, question.opponents
    met = [encounter for opponent in opponents for encounter in opponent.history]
    odds = outlooks(rules, opponents, question.step)
    target, seek = best_meeting(rules, odds, expected_inventories(rules, met), question.own)
    said = "; ".join(f"{player} {_shares(rules, shares)}" for player, shares in odds.items())
    return ChoiceAnswer(reasoning=said, seek=list(seek), own_next=_by_name(rules, target))


def plan(question: PlanSubgoals) -> PlanAnswer:
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in plan_route(question)])


def _shares(rules: Rules, odds: Odds) -> str:
    shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(rules.behaviours, odds, strict=True))
    return f"Expected next: {shares}."


def _by_name(rules: Rules, counts: Counts) -> dict[str, int]:
    return dict(zip(rules.behaviours, counts, strict=True))


ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    InferInventory: infer,
    ProposeHypothesis: propose,
    PredictAndCounter: predict_and_counter,
    PredictNext: predict,
    ChooseOpponents: choose,
    PlanSubgoals: plan,
}
