"""Questions to a model, the `Model` protocol that answers them, and the records of what was asked and used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)
T = TypeVar("T")


def in_one_line(text: str) -> str:
    """The text without line breaks and without the # signs that would make it a heading."""
    return " ".join(text.split()).lstrip("# ")


Words = Annotated[str, AfterValidator(in_one_line)]
"""Free text of a model that later prompts show, in one line so that it can't pass for another part of the prompt."""


class Question(Generic[AnswerT]):
    """A question to a model: a dataclass whose fields are all that its prompt may show.

    template: the prompt's file in prompts/, or `package:file` in another package. schema: the class of a valid answer.
    keys: the keys of mappings in it.
    """

    __slots__ = ()
    template: ClassVar[str]
    schema: ClassVar[type[BaseModel]]

    @property
    def keys(self) -> Sequence[str]:
        return ()

    def check(self, answer: AnswerT) -> None:
        """Raises ValueError if an answer of the right schema can't be used; the message says what would be right."""


def answer_schema(question: Question[Any]) -> dict[str, Any]:
    """The JSON schema of a valid answer, in the strict subset that OpenAI's structured outputs accept.

    All properties of an object are required and none may be added, so a mapping becomes an object with the question's
    keys. Raises ValueError for a mapping if the question has no keys.
    """
    return _strict(question.schema.model_json_schema(), question.keys)


def _strict(schema: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    strict = {name: part for name, part in schema.items() if name not in {"title", "default"}}
    if strict.get("type") == "object":
        strict = _closed(strict, keys)
    for name in ("properties", "$defs"):
        if name in strict:
            strict[name] = {inner: _strict(part, keys) for inner, part in strict[name].items()}
    if "items" in strict:
        strict["items"] = _strict(strict["items"], keys)
    if "anyOf" in strict:
        strict["anyOf"] = [_strict(part, keys) for part in strict["anyOf"]]
    return strict


def _closed(schema: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The schema of an object with all its properties named and required."""
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        if not keys:
            raise ValueError("a mapping in an answer needs the keys of its question, and it has none")
        schema = schema | {"properties": dict.fromkeys(keys, values)}
    properties = schema.get("properties", {})
    return schema | {"properties": properties, "required": list(properties), "additionalProperties": False}


UNSHOWN: Mapping[str, Any] = {"shown": False}
"""Metadata of a field that prompts and traces omit: it only serves to check an answer, or differs between runs."""


def shown_fields(value: Any) -> dict[str, Any]:
    """The values of a dataclass by field name, without the fields marked as `UNSHOWN`."""
    return {name: getattr(value, name) for name in _shown_names(value.__class__)}


@cache
def _shown_names(kind: type[Any]) -> Sequence[str]:
    return [field.name for field in fields(kind) if field.metadata.get("shown", True)]


class Unanswered(Exception):
    """A model gave no valid answer to one question; the caller decides what to do instead."""


class ModelUnavailable(Exception):
    """A model can't be asked any more, which ends the episode. status: of the episode's result."""

    status: ClassVar[str] = "model_unavailable"


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a language model.

    prompt: the last message. replies: the samples, unparsed. problem: why none of them is a valid answer. tokens, cost
    (USD): None if unknown. cached: True if the answer cache replied.
    """

    prompt: str
    replies: tuple[str, ...] = ()
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached: bool = field(default=False, metadata=UNSHOWN)


def ignore(call: Call) -> None:
    """The default `note` of `Model.answer`, for callers that don't record calls."""


class Model(Protocol):
    """A language model, or the built-in reasoner."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        """Answers, or raises `Unanswered` or `ModelUnavailable`. note: receives every call that this makes."""
        ...


async def answer_or_none(model: Model, question: Question[AnswerT]) -> AnswerT | None:
    """The answer, or None instead of `Unanswered`."""
    try:
        return await model.answer(question)
    except Unanswered:
        return None


async def together(awaitables: Iterable[Awaitable[T]]) -> list[T]:
    """Awaits several at the same time and returns their results in order.

    Raises the first exception only after all have ended, so that no answer that costs money is lost.
    """
    waiting = list(awaitables)
    if len(waiting) == 1:
        return [await waiting[0]]  # gathering would cost a task
    results = await asyncio.gather(*waiting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


@dataclass(frozen=True, slots=True)
class Usage:
    """What the questions so far took.

    calls: requests to a language model, including the `cached` ones. input_tokens, output_tokens, cost (USD): None if
    unknown for any call.
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
    """One question with its answer, the seconds and the calls it took; answer: None if there was no valid one."""

    question: Question[Any]
    answer: BaseModel | None
    seconds: float
    calls: tuple[Call, ...] = ()
