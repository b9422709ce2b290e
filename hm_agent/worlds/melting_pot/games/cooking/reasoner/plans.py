"""Answers to what planning asks in a kitchen, each calculated from its question alone."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, DISH, POT, SOUP, TOMATO, Station
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import (
    CritiqueInteraction,
    EvaluateCooking,
    PlanAnswer,
    PlanCooking,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.errands import Lookahead
from hm_agent.worlds.melting_pot.games.game import Critique
from hm_agent.worlds.melting_pot.grid import distance
from hm_agent.worlds.melting_pot.planning.subgoals import MoveTo, Subgoal, Wait


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


def evaluate(question: EvaluateCooking) -> Critique:
    """Says what the plan brought; there is nothing in it that planning does not see in the kitchen, too."""
    steps = question.after.step - question.before.step
    if question.failed is not None:
        return Critique(critique=f"{question.failed} changed nothing: look at hands and pots before using anything.")
    soups = round(question.reward / question.rules.reward)
    return Critique(
        critique=f"In {steps} steps, {soups} delivered: {'go on' if soups else 'see what is missing most'}."
    )
