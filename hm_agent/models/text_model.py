"""A language model that answers questions: sends prompts, and checks what comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.chat import Chat, Message, Reply, Request, Sampling
from hm_agent.models.prices import Price
from hm_agent.models.prompts import render, render_retry
from hm_agent.questions import AnswerT, Call, Question, Unanswered, answer_schema, ignore

RETRIES = 3
"""How often a bad answer is sent back together with what is wrong with it."""


class TextModel:
    """A language model behind a chat, for one episode. price: None if unknown. seed: the episode's."""

    def __init__(self, name: str, chat: Chat, sampling: Sampling, price: Price | None, seed: int) -> None:
        self.name = name
        self._chat, self._sampling, self._price, self._seed = chat, sampling, price, seed

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        name, schema = type(question).__name__, answer_schema(question)
        messages: tuple[Message, ...] = (Message("user", render(question)),)
        problem: str | None = None
        part: AnswerT | None = None
        for _ in range(1 + RETRIES):
            request = Request(self.name, messages, self._sampling, name, schema, self._seed)
            reply = await self._chat.complete(request)
            answer, problem, usable = _first_valid(reply, question)
            tokens = reply.input_tokens, reply.output_tokens
            cost = self._price.of(*tokens) if self._price else None
            note(Call(messages[-1].content, reply.texts, problem, *tokens, cost, reply.cached))
            if answer is not None:
                return answer
            part = usable or part
            # Some endpoints refuse empty messages.
            bad_answer = (reply.texts[-1] if reply.texts else "") or "(nothing)"
            messages += (Message("assistant", bad_answer), Message("user", render_retry(problem or "")))
        if part is not None:
            return part
        raise Unanswered(f"{self.name} gave no valid answer to {name}: {problem}")


def _first_valid(reply: Reply, question: Question[AnswerT]) -> tuple[AnswerT | None, str | None, AnswerT | None]:
    """The first sample that is a valid answer; or None, with what is wrong with the last sample and its usable part."""
    problem, part = reply.problem or "it is empty", None
    for text in reply.texts:
        try:
            return read_answer(text, question), None, None
        except BadAnswer as bad:
            problem, part = reply.problem or str(bad), cast("AnswerT | None", bad.part)
    return None, problem, part
