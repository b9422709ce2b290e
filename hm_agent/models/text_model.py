"""A language model that answers questions: it sends prompts and validates the replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, cast

from hm_agent.bounds import MAX_SENT_BACK
from hm_agent.models.answer_parsing import BadAnswer, UnfinishedThinking, read_answer
from hm_agent.models.chat import Chat, Message, Refused, Reply, Request, Sampling
from hm_agent.models.prices import AnyPrice, cost_of
from hm_agent.models.prompts import render, render_retry
from hm_agent.models.sources import note_reply
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, answer_schema, ignore

RETRIES = 3
"""How often a bad answer is sent back together with its problem."""


class TextModel:
    """A language model behind a chat, for one episode. price: None if unknown. seed: the episode's."""

    def __init__(self, name: str, chat: Chat, sampling: Sampling, price: AnyPrice | None, seed: int) -> None:
        self.name = name
        self._chat, self._sampling, self._price, self._seed = chat, sampling, price, seed

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        name, schema = question.asked_as, answer_schema(question)
        messages: tuple[Message, ...] = (Message("user", render(question)),)
        problem, part = "", None
        for _ in range(1 + RETRIES):
            request = Request(self.name, messages, self._sampling, name, schema, self._seed)
            try:
                drawn = await self._draw(request, question, note)
            except Unanswered as refused:
                problem = str(refused)
                break
            if drawn.answer is not None:
                return drawn.answer
            problem, part = drawn.problem, drawn.part or part
            # Some endpoints refuse empty messages.
            bad_answer = drawn.text[-MAX_SENT_BACK:] or "(nothing)"
            messages += (Message("assistant", bad_answer), Message("user", render_retry(problem)))
        if part is not None:
            return part
        raise Unanswered(f"{self.name} gave no valid answer to {name}: {problem}")

    async def _draw(
        self, request: Request, question: Question[AnswerT], note: Callable[[ModelCall], None]
    ) -> _Drawn[AnswerT]:
        """Draws the samples for a request; returns the first valid one, or else the last. Each call goes to `note`.

        An endpoint that gives one sample at a time is asked for the next one only after a bad one. Raises Unanswered if
        the endpoint refuses the request, which is noted as a call that cost nothing, with its words.
        """
        prompt = request.messages[-1].content
        drawn, part = _Drawn[AnswerT](None), None
        for sample in range(self._sampling.completions or 1):
            if sample:
                request = replace(request, sampling=replace(request.sampling, completions=None), sample=sample)
            try:
                reply = await self._chat.complete(request)
            except Unanswered as refused:
                is_cached = isinstance(refused, Refused) and refused.cached
                note(ModelCall(prompt, (), str(refused), 0, 0, 0.0 if self._price else None, is_cached))
                raise
            note_reply(reply)
            drawn = _first_valid(reply, question, request.schema)
            tokens = reply.input_tokens, reply.output_tokens
            problem = None if drawn.answer is not None else drawn.problem
            note(ModelCall(prompt, reply.texts, problem, *tokens, cost_of(reply, self._price), reply.cached))
            part = drawn.part or part
            if drawn.answer is not None or not reply.is_single:
                break
        return replace(drawn, part=part)


@dataclass(frozen=True)
class _Drawn(Generic[AnswerT]):
    """The outcome of the samples for one request.

    answer: the first valid one, None if there is none; then problem says what is wrong with the last sample, text is
    that sample, and part is what can be used of the last sample of which anything can.
    """

    answer: AnswerT | None
    problem: str = ""
    part: AnswerT | None = None
    text: str = ""


def _first_valid(reply: Reply, question: Question[AnswerT], schema: Mapping[str, Any]) -> _Drawn[AnswerT]:
    problem, part = reply.problem or "it is empty", None
    for text in reply.texts:
        try:
            return _Drawn(read_answer(text, question, schema))
        except BadAnswer as bad:
            told = None if isinstance(bad, UnfinishedThinking) else reply.problem
            problem, part = told or str(bad), cast("AnswerT | None", bad.part) or part
    return _Drawn(None, problem, part, reply.texts[-1] if reply.texts else "")
