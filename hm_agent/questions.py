"""What is asked of a model, who answers, and what that takes: all questions go through one door, `Model.answer`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)
T = TypeVar("T")


def in_one_line(text: str) -> str:
    """A text without line breaks, and without the marks that would make a heading of it."""
    return " ".join(text.split()).lstrip("# ")


Words = Annotated[str, AfterValidator(in_one_line)]
"""What a model puts into its own words and later prompts show: in one line, so that it passes for no other part."""


class Question(Generic[AnswerT]):
    """Something to ask of a model: a dataclass whose fields are all that may be shown.

    template: the prompt's file in prompts/. schema: the form of a valid answer. keys: those of the mappings in it.
    """

    __slots__ = ()
    template: ClassVar[str]
    schema: ClassVar[type[BaseModel]]

    @property
    def keys(self) -> Sequence[str]:
        return ()

    def check(self, answer: AnswerT) -> None:
        """Raises ValueError where an answer of the right form can't be used, with what would be right."""


UNSHOWN: Mapping[str, Any] = {"shown": False}
"""Metadata of a field that prompts and recordings leave out: it serves to check an answer, or differs between runs."""


def shown_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, without those that are not to be shown."""
    return {field.name: getattr(value, field.name) for field in fields(value) if field.metadata.get("shown", True)}


class Unanswered(Exception):
    """A model gave no valid answer to one question; the asker goes on as it defines."""


class ModelUnavailable(Exception):
    """A model can't be asked at all any more; it ends the episode. status: what the episode's result then says."""

    status: ClassVar[str] = "model_unavailable"


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a language model.

    prompt: its last message. replies: the completions as they came. problem: why none of them could be used. tokens,
    cost (USD): None where they are not known. cached: whether it was answered from a record of earlier runs.
    """

    prompt: str
    replies: tuple[str, ...] = ()
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached: bool = field(default=False, metadata=UNSHOWN)


def ignore(call: Call) -> None:
    """For those who need no account of calls."""


class Model(Protocol):
    """Whoever answers questions: a language model, or the built-in reasoner."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        """Answers, or raises `Unanswered` or `ModelUnavailable`. note: is told of every call this takes."""
        ...


async def answer_or_none(model: Model, question: Question[AnswerT]) -> AnswerT | None:
    """The answer; None where no valid one came, for those who go on without."""
    try:
        return await model.answer(question)
    except Unanswered:
        return None


async def together(asked: Iterable[Awaitable[T]]) -> list[T]:
    """Asks at the same time. Where one can't be asked at all, the others are waited for: their answers are paid for."""
    results = await asyncio.gather(*asked, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost so far.

    calls: requests to a language model, those answered from a record included. input_tokens, output_tokens, cost (USD):
    None where a call's are not known.
    """

    questions: int = 0
    unanswered: int = 0
    calls: int = 0
    cached: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0

    @classmethod
    def of(cls, call: Call) -> Usage:
        """What one call has cost."""
        return cls(0, 0, 1, int(call.cached), call.input_tokens, call.output_tokens, call.cost)

    def __add__(self, more: Usage) -> Usage:
        return Usage(
            questions=self.questions + more.questions,
            unanswered=self.unanswered + more.unanswered,
            calls=self.calls + more.calls,
            cached=self.cached + more.cached,
            input_tokens=_sum(self.input_tokens, more.input_tokens),
            output_tokens=_sum(self.output_tokens, more.output_tokens),
            cost=_sum(self.cost, more.cost),
        )


NumberT = TypeVar("NumberT", int, float)


def _sum(total: NumberT | None, more: NumberT | None) -> NumberT | None:
    return None if total is None or more is None else total + more


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question, the calls it took and what came of them; answer is None where nothing valid did."""

    question: Question[Any]
    answer: BaseModel | None
    seconds: float
    calls: tuple[Call, ...] = ()
