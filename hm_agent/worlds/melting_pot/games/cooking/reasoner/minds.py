"""Answers to what the Theory of Mind asks in a kitchen, each calculated from its question alone."""

from __future__ import annotations

from hm_agent.theory_of_mind.module import HypothesisAnswer
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import (
    BehaviourAnswer,
    ChooseRole,
    MindAnswer,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
    RoleAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammates import likeliest, prediction
from hm_agent.worlds.melting_pot.games.cooking.roles import strategy_for


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


def read_teammate(question: ReadTeammate) -> MindAnswer:
    """Hypothesises about the teammate, and goes by it at once."""
    believed = likeliest(question.history, ())
    expected = prediction(believed.words, question.history)
    strategy = strategy_for(expected if question.history else None)
    assert strategy.role is not None
    return MindAnswer(hypothesis=believed.words, teammate=expected, role=strategy.role, strategy=strategy.words)
