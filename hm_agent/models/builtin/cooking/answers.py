"""The built-in reasoner in a kitchen: what it answers to each question, by calculation from the question alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from hm_agent.asking import Question
from hm_agent.games.cooking.kitchen import COOKED, DISH, POT, SOUP, TOMATO, Station
from hm_agent.games.cooking.questions import (
    BehaviourAnswer,
    ChooseRole,
    CritiqueInteraction,
    PlanAnswer,
    PlanCooking,
    PredictTeammate,
    ProposeTeammate,
    RoleAnswer,
)
from hm_agent.games.cooking.roles import strategy_for
from hm_agent.games.game import Critique
from hm_agent.grid import distance
from hm_agent.models.builtin.cooking.errands import Lookahead
from hm_agent.models.builtin.cooking.teammates import likeliest, prediction
from hm_agent.planning.subgoals import MoveTo, Subgoal, Wait
from hm_agent.theory_of_mind.module import HypothesisAnswer


def propose(question: ProposeTeammate) -> HypothesisAnswer:
    strategy = likeliest(question.history, question.best)
    return HypothesisAnswer(
        reasoning=f"It explains the latest {len(question.history)} rounds best.", hypothesis=strategy.words
    )


def predict(question: PredictTeammate) -> BehaviourAnswer:
    return BehaviourAnswer(behaviour=prediction(question.hypothesis, question.history))


def choose(question: ChooseRole) -> RoleAnswer:
    strategy = strategy_for(question.expected)
    assert strategy.role is not None
    return RoleAnswer(
        teammate=strategy.expected_role or question.rules.roles[-1], role=strategy.role, strategy=strategy.words
    )


def plan(question: PlanCooking) -> PlanAnswer:
    subgoals = _look_for_stations(question) or Lookahead(question).best() or _keep_watch(question)
    return PlanAnswer(subgoals=[str(subgoal) for subgoal in subgoals])


def _look_for_stations(question: PlanCooking) -> list[Subgoal]:
    """Goes where one sees what one has not seen yet of the own room."""
    if not question.unseen:
        return []
    here = question.pose.cell
    near = [cell for cell in question.floor if any(distance(cell, dark) == 1 for dark in question.unseen)]
    places = [cell for cell in near if cell != here]
    return [MoveTo(here, min(places, key=lambda cell: (distance(here, cell), cell)))] if places else []


def _keep_watch(question: PlanCooking) -> list[Subgoal]:
    return [Wait(question.pots[0].cell)] if question.pots else [MoveTo(question.pose.cell, question.pose.cell)]


def criticise(question: CritiqueInteraction) -> Critique:
    return Critique(critique=_reason(question.hands, question.before, question.rules.tomatoes))


def _reason(hands: str | None, used: Station | None, tomatoes: int) -> str:
    """What the rules of the kitchen say to an attempt that changed nothing."""
    if used is None:
        return "Nothing lies there, and one needs something in one's hands to put it down."
    if used.kind.startswith(POT):
        return _reason_at_pot(hands, used, tomatoes)
    if hands is not None:
        return f"With a {hands} in the hands nothing can be taken there: use it or put it down first."
    return "It takes soup, and nothing else."


def _reason_at_pot(hands: str | None, pot: Station, tomatoes: int) -> str:
    if hands == TOMATO:
        return f"The pot holds {tomatoes} tomatoes already: fill another, or wait until its soup is taken."
    if hands == DISH and pot.mark != COOKED:
        return "Its soup isn't cooked yet: fill it, and wait until it is."
    if hands == SOUP:
        return "One can't put soup back: deliver it."
    return "Only a tomato or a dish is of use at a pot: fetch one first."


ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    ProposeTeammate: propose,
    PredictTeammate: predict,
    ChooseRole: choose,
    PlanCooking: plan,
    CritiqueInteraction: criticise,
}
