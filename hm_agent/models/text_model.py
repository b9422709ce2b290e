"""A language model as the agent meets it: a question goes out as a prompt, a checked answer comes back."""

from __future__ import annotations

from collections.abc import Callable

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.chat import Chat, Message, Reply, Request, Sampling
from hm_agent.models.prices import Price
from hm_agent.models.prompts import render, render_retry
from hm_agent.models.schema import answer_schema
from hm_agent.questions import AnswerT, Call, Question, Unanswered, ignore

RETRIES = 3
"""How often a bad answer is sent back with what was wrong with it."""


class TextModel:
    """Answers questions by way of a chat, for one episode."""

    def __init__(self, name: str, chat: Chat, sampling: Sampling, price: Price | None, seed: int) -> None:
        self.name = name
        self._chat, self._sampling, self._price, self._seed = chat, sampling, price, seed

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        messages: tuple[Message, ...] = (Message("user", render(question)),)
        problem: str | None = None
        for _ in range(1 + RETRIES):
            reply = await self._chat.complete(self._request(question, messages))
            answer, problem = _first_valid(reply, question)
            note(self._call(messages, reply, problem))
            if answer is not None:
                return answer
            messages += (Message("assistant", _last(reply)), Message("user", render_retry(problem or "")))
        raise Unanswered(f"{self.name} gave no valid answer to {type(question).__name__}: {problem}")

    def _request(self, question: Question[AnswerT], messages: tuple[Message, ...]) -> Request:
        name = type(question).__name__
        return Request(self.name, messages, self._sampling, name, answer_schema(question), self._seed)

    def _call(self, messages: tuple[Message, ...], reply: Reply, problem: str | None) -> Call:
        cost = self._price.of(reply.input_tokens, reply.output_tokens) if self._price else None
        prompt = messages[-1].content
        return Call(prompt, reply.texts, problem, reply.input_tokens, reply.output_tokens, cost, reply.cached)


def _first_valid(reply: Reply, question: Question[AnswerT]) -> tuple[AnswerT | None, str | None]:
    """The first completion that can be used, or else what is wrong with the last."""
    problem = reply.problem or "it is empty"
    for text in reply.texts:
        try:
            return read_answer(text, question), None
        except BadAnswer as bad:
            problem = reply.problem or str(bad)
    return None, problem


def _last(reply: Reply) -> str:
    """The completion that is sent back; never nothing, which some endpoints refuse."""
    return (reply.texts[-1] if reply.texts else "") or "(nothing)"
