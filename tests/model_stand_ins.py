"""Models that stand in for a language model in whole episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore


class CheckedReasoner:
    """The built-in reasoner; keeps every question, and checks its own answers as a language model's are."""

    name = "builtin"

    def __init__(self, answers: ReasonerTable) -> None:
        self.asked: list[Question[Any]] = []
        self._reasoner = BuiltinReasoner(answers)

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        self.asked.append(question)
        answer = await self._reasoner.answer(question)
        question.check(answer)
        return answer


class Mute:
    """A model that has no valid answer to anything."""

    name = "mute"

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        raise Unanswered("silence")
