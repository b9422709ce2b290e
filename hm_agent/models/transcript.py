"""Keeps what was asked and answered, for recordings and for the bill."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pydantic import BaseModel

from hm_agent.asking import AnswerT, Call, Exchange, Model, Question, Unanswered, Usage, ignore


class Transcript:
    """A model that writes down every exchange with the model it wraps."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._exchanges: list[Exchange] = []
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        calls: list[Call] = []

        def count(call: Call) -> None:
            calls.append(call)
            self.usage += Usage.of(call)
            note(call)

        started = time.perf_counter()
        answer: BaseModel | None = None
        self.usage += Usage(questions=1)
        try:
            answer = given = await self._model.answer(question, count)
        except Unanswered:
            self.usage += Usage(unanswered=1)
            raise
        finally:
            self._exchanges.append(Exchange(question, answer, time.perf_counter() - started, tuple(calls)))
        return given

    def take(self) -> Sequence[Exchange]:
        """The exchanges since the last time they were taken."""
        taken, self._exchanges = tuple(self._exchanges), []
        return taken
