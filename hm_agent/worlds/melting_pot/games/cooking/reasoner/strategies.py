"""Answers to who thinks of strategies of its own in a kitchen, each calculated from its question alone."""

from __future__ import annotations

from hm_agent.theory_of_mind.by_reward import HindsightAnswer, Outcome
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import (
    CookingStrategyAnswer,
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
    PartAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammates import likeliest, prediction
from hm_agent.worlds.melting_pot.games.cooking.roles import COMPLEMENT, OWN_PART

COVERS = {LOADS: {LOADS}, SERVES: {SERVES}, EVERYTHING: {LOADS, SERVES}}
"""The work that is done by each role."""


def make_strategy(question: MakeCookingStrategy) -> CookingStrategyAnswer:
    """The role that goes with what the rounds so far suggest of the teammate."""
    history = question.history
    role = COMPLEMENT[prediction(likeliest(history, ()).words, history) if history else None]
    return CookingStrategyAnswer(role=role, strategy=OWN_PART[role])


def follow_strategy(question: FollowCookingStrategy) -> PartAnswer:
    return PartAnswer(role=next((role for role, words in OWN_PART.items() if words == question.strategy), EVERYTHING))


def judge_strategy(question: JudgeCookingStrategy) -> HindsightAnswer:
    """Soup is delivered where all work is done, by whomever."""
    done = COVERS.get(question.instead, set()) | COVERS.get(question.round.behaviour or "", set())
    return HindsightAnswer(outcome=Outcome.POSITIVE if done >= {LOADS, SERVES} else Outcome.NEUTRAL)
