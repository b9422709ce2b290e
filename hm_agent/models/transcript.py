"""Keeps what was asked and answered, for recordings and for the bill."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from hm_agent.core import AnswerT, Exchange, Model, Question, Unanswered, Usage


class Transcript:
    """A model that writes down every exchange with the model it wraps."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._exchanges: list[Exchange] = []
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, question: Question[AnswerT]) -> AnswerT:
        started = time.perf_counter()
        self.usage = replace(self.usage, calls=self.usage.calls + 1)
        try:
            answer = await self._model.answer(question)
        except Unanswered:
            self.usage = replace(self.usage, unanswered=self.usage.unanswered + 1)
            self._note(Exchange(question, None, time.perf_counter() - started))
            raise
        self._note(Exchange(question, answer, time.perf_counter() - started))
        return answer

    def _note(self, exchange: Exchange) -> None:
        self._exchanges.append(exchange)

    def take(self) -> Sequence[Exchange]:
        """The exchanges since the last time they were taken."""
        taken, self._exchanges = tuple(self._exchanges), []
        return taken
