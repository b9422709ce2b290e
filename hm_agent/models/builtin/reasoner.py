"""The built-in reasoner: answers each question by calculation from the question's own fields, and nothing else.

It needs no key and no network and is deterministic. It is no language model, and never called one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import BaseModel

from hm_agent.asking import AnswerT, Call, Question, Unanswered, ignore
from hm_agent.core import Counts
from hm_agent.games.matrix.counters import best_target, expected_inventories
from hm_agent.games.matrix.payoff import infer_inventory
from hm_agent.games.matrix.questions import (
    CounterAnswer,
    InferInventory,
    InventoryAnswer,
    PlanAnswer,
    PlanSubgoals,
    PredictAndCounter,
    ProposeHypothesis,
    Rules,
)
from hm_agent.models.builtin import kitchen
from hm_agent.models.builtin.evidence import expectation, likeliest
from hm_agent.models.builtin.foresight import best_course
from hm_agent.models.builtin.library import strategy_of
from hm_agent.models.builtin.routes import plan_route
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
    shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(rules.behaviours, odds, strict=True))
    return CounterAnswer(
        reasoning=f"Expected next: {shares}.", other_next=_by_name(rules, other), own_next=_by_name(rules, target)
    )


def plan(question: PlanSubgoals) -> PlanAnswer:
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in plan_route(question)])


def _by_name(rules: Rules, counts: Counts) -> dict[str, int]:
    return dict(zip(rules.behaviours, counts, strict=True))


ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    InferInventory: infer,
    ProposeHypothesis: propose,
    PredictAndCounter: predict_and_counter,
    PlanSubgoals: plan,
    **kitchen.ANSWERS,
}


class BuiltinReasoner:
    """A model that calculates."""

    name = "builtin"

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        calculate = ANSWERS.get(type(question))
        if calculate is None:
            raise Unanswered(f"the built-in reasoner knows no answer to {type(question).__name__}")
        return cast(AnswerT, calculate(question))
