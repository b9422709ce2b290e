"""Records the questions to a model with their answers and calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pydantic import BaseModel

from hm_agent.questions import AnswerT, Exchange, Model, ModelCall, Question, Unanswered, Usage, ignore


class Transcript:
    """Wraps a model and records its exchanges, in the order in which the questions were asked.

    The model of an `AgentSetup` is one already while an episode is played (`RecordedAgent`).
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._exchanges: list[Exchange | None] = []
        self.usage = Usage()

    @classmethod
    def of(cls, model: Model) -> Transcript:
        """The model itself if it is a transcript already, so that nothing is recorded twice; else a new one of it."""
        return model if isinstance(model, Transcript) else cls(model)

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        calls: list[ModelCall] = []

        def record(call: ModelCall) -> None:
            calls.append(call)
            self.usage += Usage.of(call)
            note(call)

        # Answers to simultaneous questions arrive in any order, but the trace must not depend on it.
        exchanges, index = self._exchanges, len(self._exchanges)
        exchanges.append(None)
        started = time.perf_counter()
        answer: BaseModel | None = None
        self.usage += Usage(questions=1)
        try:
            answer = given = await self._model.answer(question, record)
        except Unanswered:
            self.usage += Usage(unanswered=1)
            raise
        finally:
            exchanges[index] = Exchange(question, answer, time.perf_counter() - started, tuple(calls))
        return given

    def take(self) -> Sequence[Exchange]:
        """Returns the exchanges recorded since the last call of this method."""
        taken, self._exchanges = self._exchanges, []
        return tuple(exchange for exchange in taken if exchange is not None)
