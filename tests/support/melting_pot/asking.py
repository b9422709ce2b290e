"""Asks the built-in reasoner."""

from __future__ import annotations

import asyncio

from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, Question
from hm_agent.worlds.melting_pot.games import answers

REASONER = BuiltinReasoner(answers())


def ask(question: Question[AnswerT]) -> AnswerT:
    """The answer, which is checked as a language model's is."""
    answer = asyncio.run(REASONER.answer(question))
    question.check(answer)
    return answer
