"""Answers to what planning asks in a matrix game, each calculated from its question alone."""

from __future__ import annotations

from hm_agent.core import Counts
from hm_agent.worlds.melting_pot.games.game import Critique
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution, best_target
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import PredictAndCounter
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import EvaluatePlan, PlanAnswer, PlanSubgoals
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import likeliest
from hm_agent.worlds.melting_pot.games.matrix.reasoner.minds import counter
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import expected_of, opponents_in, outlooks, stranger
from hm_agent.worlds.melting_pot.games.matrix.reasoner.routes import plan_route


def plan(question: PlanSubgoals) -> PlanAnswer:
    target = _what_to_hold(question) if question.target is None else question.target
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in plan_route(question, target)])


def _what_to_hold(question: PlanSubgoals) -> Counts:
    """As the interactions suggest, where nobody has decided on it."""
    rules, history, own = question.rules, question.history, question.inventory
    if rules.players > 2:
        expected = expected_of(rules, opponents_in(rules, history))
        return best_target(rules, _anybody(question), expected, own)
    believed = likeliest(rules, history, ()).words if history else None
    answer = counter(PredictAndCounter(rules, history, believed, own=own))
    return rules.counts(answer.own_next)


def _anybody(question: PlanSubgoals) -> Distribution:
    """What to expect of whoever comes along."""
    rules = question.rules
    met = opponents_in(rules, question.history)
    known = outlooks(rules, [*met, stranger("")], question.step)
    crowd = [known[opponent.player] for opponent in met]
    crowd += [known[""]] * (rules.players - 1 - len(met))
    return tuple(sum(shares) / len(crowd) for shares in zip(*crowd, strict=True))


def evaluate_plan(question: EvaluatePlan) -> Critique:
    """Says what the plan brought; there is nothing in it that planning does not see in the interactions, too."""
    before, after = question.before, question.after
    steps = after.step - before.step
    if question.reward:
        verdict = "keep to what was held" if question.reward > 0 else "hold something else next time"
        return Critique(critique=f"In {steps} steps it was paid {question.reward:+.2f}: {verdict}.")
    gained = sum(after.inventory) - sum(before.inventory)
    if gained > 0:
        return Critique(critique=f"In {steps} steps it collected {gained}: go on.")
    return Critique(critique=f"In {steps} steps it brought nothing: look elsewhere.")
