"""Models that answer as a record says, for one seat of one episode: to play it again without asking anybody."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from hm_agent.models.chat import Reply, Request, Sampling
from hm_agent.models.text_model import TextModel
from hm_agent.questions import AnswerT, ModelCall, ModelUnavailable, Question, Unanswered, ignore


class OtherQuestion(ModelUnavailable):
    """An agent asks what the record does not answer, so that the episode can't be the recorded one."""

    status = "other_question"


@dataclass(frozen=True)
class RecordedCall:
    """One request and its replies. prompt: the hash of its last message. The rest is as in `ModelCall`."""

    prompt: str
    replies: tuple[str, ...] = ()
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class RecordedQuestion:
    """A question by its name. answer: only of a model that answers with data, without any call."""

    question: str
    calls: tuple[RecordedCall, ...] = ()
    answer: Mapping[str, Any] | None = None


RecordedAnswers = Mapping[str, Sequence[RecordedQuestion]]
"""The questions of one episode by seat, in the order in which they were asked."""


def prompt_hash(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class RecordedModel:
    """Gives the recorded answers of one seat in their order, by the same validation and retries as when it was asked.

    It raises `OtherQuestion` for a prompt that differs from the recorded one.
    """

    def __init__(self, name: str, questions: Iterable[RecordedQuestion], sampling: Sampling, seed: int) -> None:
        self.name = name
        self._questions, self._sampling, self._seed = deque(questions), sampling, seed

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        kind = question.asked_as
        if not self._questions:
            raise OtherQuestion(f"{kind} is asked, and the record has no further question")
        recorded = self._questions.popleft()
        if recorded.question != kind:
            raise OtherQuestion(f"{kind} is asked, and the record has {recorded.question}")
        if not recorded.calls and recorded.answer is not None:
            return self._data_answer(question, recorded.answer)
        chat = _RecordedChat(recorded)
        model = TextModel(self.name, chat, self._sampling, None, self._seed)

        def note_recorded(call: ModelCall) -> None:
            if not chat.is_over:
                note(replace(call, cost=chat.latest_cost))

        return await model.answer(question, note_recorded)

    def _data_answer(self, question: Question[AnswerT], answer: Mapping[str, Any]) -> AnswerT:
        try:
            given: Any = question.schema.model_validate(answer)
        except ValidationError as error:
            raise OtherQuestion(f"the recorded answer to {question.asked_as} has another form") from error
        return given  # type: ignore[no-any-return]


class _RecordedChat:
    """The recorded replies to one question.

    latest_cost: of the request that was answered last. is_over: True once one is asked for that was never recorded.
    """

    def __init__(self, recorded: RecordedQuestion) -> None:
        self._question, self._calls = recorded.question, deque(recorded.calls)
        self.latest_cost: float | None = None
        self.is_over = False

    async def complete(self, request: Request) -> Reply:
        if not self._calls:
            self.is_over = True
            raise Unanswered("the record has no reply")
        call = self._calls.popleft()
        if call.prompt != prompt_hash(request.messages[-1].content):
            raise OtherQuestion(f"the prompt of {self._question} is another one than was answered")
        self.latest_cost = call.cost
        if not (call.replies or self._calls or call.input_tokens):
            raise Unanswered(call.problem or "")  # the endpoint refused it
        # Only an endpoint that gives one sample at a time gets the same prompt twice.
        is_single = bool(self._calls) and self._calls[0].prompt == call.prompt
        return Reply(call.replies, call.problem, call.input_tokens, call.output_tokens, is_single=is_single)
