"""What was asked and answered, as recordings show it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hm_agent.models.transcript import Transcript
from hm_agent.questions import AnswerT, Model, ModelCall, Question, Unanswered, ignore, together
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES

QUESTIONS = list(MATRIX_EXAMPLES.values())[:3]


class LastFirst:
    """Gives up on the questions that are put to it, the last one first."""

    name = "last first"

    def __init__(self) -> None:
        self._is_done = {id(question): asyncio.Event() for question in QUESTIONS}

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        later = QUESTIONS[QUESTIONS.index(question) + 1 :]
        if later:
            await self._is_done[id(later[0])].wait()
        self._is_done[id(question)].set()
        raise Unanswered


async def ask(model: Model) -> None:
    async def one(question: Question[AnswerT]) -> None:
        try:
            await model.answer(question)
        except Unanswered:
            return

    await together(one(question) for question in QUESTIONS)


def test_questions_put_at_the_same_time_are_kept_in_the_order_of_asking() -> None:
    transcript = Transcript(LastFirst())
    asyncio.run(ask(transcript))
    assert [exchange.question for exchange in transcript.take()] == QUESTIONS
    assert transcript.take() == ()
    assert transcript.usage.unanswered == 3
