"""Answers to who thinks of strategies of its own, each calculated from its question alone."""

from __future__ import annotations

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.by_reward import HindsightAnswer, Outcome
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import Meeting
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax, reward
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import ChoiceAnswer, PredictAndCounter
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import (
    FollowStrategy,
    JudgeStrategy,
    MakeStrategy,
    StrategyAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import likeliest
from hm_agent.worlds.melting_pot.games.matrix.reasoner.minds import counter
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import meeting_among, opponents_in, outlooks, stranger

BEST_IF = "Hold what does best against a player of whom this is true: "
FIRST = "Hold one kind, to see what the other player holds."
LEAD = "Lead with {}, and meet those that lose to it."
TOLERANCE = 1e-9


def make_strategy(question: MakeStrategy) -> StrategyAnswer:
    """The best answer to what explains the others best."""
    rules, history = question.rules, question.history
    if rules.players > 2:
        meeting = _meeting(question, None)
        words = LEAD.format(rules.behaviours[argmax(meeting.target) or 0])
        return StrategyAnswer(strategy=words, seek=list(meeting.seek), own_next=rules.by_name(meeting.target))
    best = [Hypothesis(each.words.removeprefix(BEST_IF), each.value) for each in question.best]
    believed = likeliest(rules, history, best).words if history else None
    answer = counter(PredictAndCounter(rules, history, believed))
    return StrategyAnswer(strategy=BEST_IF + believed if believed else FIRST, seek=[], own_next=answer.own_next)


def follow_strategy(question: FollowStrategy) -> ChoiceAnswer:
    rules = question.rules
    if rules.players > 2:
        leads = [n for n, name in enumerate(rules.behaviours) if question.strategy == LEAD.format(name)]
        meeting = _meeting(question, leads[0] if leads else None)
        return ChoiceAnswer(seek=list(meeting.seek), own_next=rules.by_name(meeting.target))
    believed = question.strategy.removeprefix(BEST_IF)
    return ChoiceAnswer(seek=[], own_next=counter(PredictAndCounter(rules, question.history, believed)).own_next)


def _meeting(question: MakeStrategy | FollowStrategy, lead: int | None) -> Meeting:
    """What to hold among many, and whom to meet with it. lead: the kind that is to lead, if one is."""
    rules = question.rules
    met = opponents_in(rules, question.history)
    known = {player: stranger(player) for player in question.players} | {each.player: each for each in met}
    step = question.history[-1].step if question.history else 0
    others, nothing = list(known.values()), (rules.initial_inventory,) * len(rules.behaviours)
    return meeting_among(rules, others, outlooks(rules, others, step), nothing, step, lead)


def judge_strategy(question: JudgeStrategy) -> HindsightAnswer:
    paid = reward(question.instead, question.encounter.other, question.rules.payoff)
    if abs(paid) < TOLERANCE:
        return HindsightAnswer(outcome=Outcome.NEUTRAL)
    return HindsightAnswer(outcome=Outcome.POSITIVE if paid > 0 else Outcome.NEGATIVE)
