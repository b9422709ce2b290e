"""Questions to a model, the `Model` protocol that answers them, and the records of what was asked and used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache, partial
from itertools import repeat
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, WithJsonSchema

from hm_agent.bounds import MAX_ITEMS, MAX_TEXT, MAX_WORDS

AnswerT = TypeVar("AnswerT", bound=BaseModel)
ReadT = TypeVar("ReadT")
ReadT_co = TypeVar("ReadT_co", covariant=True)


def in_one_line(text: str) -> str:
    """Joins a text into one line, without the leading # signs that would make it a heading."""
    return " ".join(text.split()).lstrip("# ")


def _not_empty(text: str) -> str:
    if not text:
        raise ValueError("it is empty; write it in words")
    return text


# A constrained endpoint copies what a pattern allows into a JSON string, so quotes and backslashes are left out.
WORDS_PATTERN = rf'^[A-Za-z0-9][^"\\\n\r\t]{{0,{MAX_WORDS - 1}}}$'
Words = Annotated[
    str,
    AfterValidator(in_one_line),
    AfterValidator(_not_empty),
    WithJsonSchema({"type": "string", "pattern": WORDS_PATTERN}),
]
"""Free text of a model that later prompts show: not empty, and in one line so that it can't pass for another part of
the prompt."""
Remark = Annotated[str, AfterValidator(in_one_line), WithJsonSchema({"type": "string", "maxLength": MAX_WORDS})]
"""Like `Words`, but may be empty."""

Forms = Mapping[str, Mapping[str, Any]]
"""JSON schema keywords to add to fields of an answer, by the field's name."""


class Question(Generic[AnswerT]):
    """A question to a model: a dataclass whose fields are all that its prompt may show.

    template: the prompt's file in prompts/, or `package:file` in another package. schema: the class of a valid answer;
    `keys`, `count_range` and `forms` narrow down its JSON schema for this question.
    """

    __slots__ = ()
    template: ClassVar[str]

    @property
    def schema(self) -> type[BaseModel]:
        raise NotImplementedError

    @property
    def asked_as(self) -> str:
        """The name of this kind of question in requests, traces and replays: its class's."""
        return type(self).__name__

    @property
    def keys(self) -> Sequence[str]:
        """The keys of every mapping in the answer."""
        return ()

    @property
    def count_range(self) -> tuple[int, int] | None:
        """The smallest and the largest number in the answer; None if its class bounds its numbers."""
        return None

    @property
    def forms(self) -> Forms:
        """JSON schema keywords to add to fields of the answer, by the field's name at any depth."""
        return {}

    def check(self, answer: AnswerT) -> None:
        """Raises ValueError if an answer of the right schema can't be used; the message says what would be right."""

    def usable_part(self, answer: AnswerT) -> AnswerT | None:
        """Returns the part of an answer refused by `check` that is valid by itself, None if there is none.

        It is used after the model has been told what is wrong with the answer and has given no valid one.
        """
        return None


def one_of(names: Iterable[str]) -> dict[str, Any]:
    """Returns the JSON schema keywords of a field that holds one of these names."""
    return {"enum": list(names)}


def some_of(names: Sequence[str]) -> dict[str, Any]:
    """Returns the JSON schema keywords of a field that holds a list of these names."""
    return {"items": one_of(names), "maxItems": len(names)}


def plan_of(first: str, further: str, most: int) -> dict[str, Any]:
    """Returns the JSON schema keywords of a field that holds a plan of 1 to `most` calls.

    first, further: regular expressions of the first call and of all later ones. Whether a later call can be carried out
    depends on the calls before it, which no schema expresses.
    """
    starts = [{"type": "string", "pattern": first}]
    return {"prefixItems": starts, "items": {"pattern": further}, "minItems": 1, "maxItems": most}


class MissingField(Exception):
    """A check needs a field that the answer lacks because it was malformed, which is reported already."""


def check_all(*checks: Callable[[], object]) -> None:
    """Runs every check; raises one ValueError with the messages of all that failed.

    A check that raises `MissingField` is skipped.
    """
    problems: list[str] = []
    for check in checks:
        try:
            check()
        except MissingField:
            continue
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError("; ".join(problems))


def answer_schema(question: Question[Any]) -> dict[str, Any]:
    """Returns the JSON schema of a valid answer: closed, bounded, and without titles, defaults and descriptions.

    All properties of an object are required and none may be added, so a mapping becomes an object with the question's
    keys. Numbers, texts and lists have bounds. It leaves out what only `check` can decide, e.g. that a call is refused.
    Raises ValueError for a mapping if the question has no keys.
    """
    return map_schema(_json_schema(question.schema), partial(_close, question, question.forms))


@lru_cache(256)  # some questions create the class of their answers
def _json_schema(schema: type[BaseModel]) -> Mapping[str, Any]:
    return schema.model_json_schema()


def map_schema(schema: Mapping[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Returns the schema with a change applied to it and to every schema inside it, outer ones first."""
    changed = change(dict(schema))
    for name in ("properties", "$defs"):
        if name in changed:
            changed[name] = {inner: map_schema(part, change) for inner, part in changed[name].items()}
    if "items" in changed:
        changed["items"] = map_schema(changed["items"], change)
    for name in ("anyOf", "prefixItems"):
        if name in changed:
            changed[name] = [map_schema(part, change) for part in changed[name]]
    return changed


def item_schemas(schema: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    """Returns the schemas of a list's first `count` items; the leading ones may have their own (`prefixItems`)."""
    return [*schema.get("prefixItems", ()), *repeat(schema["items"], count)][:count]


def _close(question: Question[Any], forms: Forms, schema: dict[str, Any]) -> dict[str, Any]:
    """Returns one schema without title, default and description, with all its properties required, and with bounds."""
    closed = {name: part for name, part in schema.items() if name not in {"title", "default", "description"}}
    match closed.get("type"):
        case "object":
            closed |= _closed_object(question.keys, forms, closed)
        case "array":
            closed.setdefault("maxItems", MAX_ITEMS)
        case "string" if not closed.keys() & {"enum", "const", "pattern", "maxLength"}:
            closed["maxLength"] = MAX_TEXT
        case "integer" | "number" if question.count_range and "enum" not in closed:
            closed = dict(zip(("minimum", "maximum"), question.count_range, strict=True)) | closed
    return closed


def _closed_object(keys: Sequence[str], forms: Forms, schema: Mapping[str, Any]) -> dict[str, Any]:
    properties, values = schema.get("properties", {}), schema.get("additionalProperties")
    if isinstance(values, dict):
        if not keys:
            raise ValueError("a mapping in an answer needs the keys of its question, and it has none")
        properties = dict.fromkeys(keys, values)
    properties = {name: _merged(part, forms.get(name, {})) for name, part in properties.items()}
    return {"properties": properties, "required": list(properties), "additionalProperties": False}


def _merged(schema: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema with further keywords; mappings under a keyword that both have are merged."""
    merged = dict(schema)
    for name, part in form.items():
        merged[name] = _merged(merged[name], part) if isinstance(merged.get(name), dict) else part
    return merged


UNSHOWN: Mapping[str, Any] = {"shown": False}
"""Metadata of dataclass fields that prompts and traces omit: they only check an answer, or differ between runs."""


def shown_fields(value: Any) -> dict[str, Any]:
    """Returns the values of a dataclass by field name, without the fields marked as `UNSHOWN`."""
    return {name: getattr(value, name) for name in _shown_names(value.__class__)}


@cache
def _shown_names(kind: type[Any]) -> Sequence[str]:
    return [field.name for field in fields(kind) if field.metadata.get("shown", True)]


class Unanswered(Exception):
    """A model gave no valid answer to one question; the caller decides what to do instead."""


class ModelUnavailable(Exception):
    """The model can't be asked any more, which ends the episode. status: the episode's status in its result."""

    status: ClassVar[str] = "model_unavailable"


@dataclass(frozen=True, slots=True)
class ModelCall:
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


def ignore(call: ModelCall) -> None:
    """The default `note` of `Model.answer`, for callers that don't record calls."""


class Model(Protocol):
    """A language model, or the built-in reasoner."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        """Answers, or raises `Unanswered` or `ModelUnavailable`. note: receives every call made for the answer."""
        ...


async def answer_or_none(model: Model, question: Question[AnswerT]) -> AnswerT | None:
    """Asks a model; returns None if there is no valid answer (`Unanswered`)."""
    try:
        return await model.answer(question)
    except Unanswered:
        return None


@dataclass(frozen=True, slots=True)
class Asking(Generic[ReadT_co]):
    """A question, and what its answer means to whoever asks; build it with `asking`, which keeps the answer's type.

    read: turns a valid answer into what was wanted.
    """

    question: Question[Any]
    read: Callable[[Any], ReadT_co]


def asking(question: Question[AnswerT], read: Callable[[AnswerT], ReadT]) -> Asking[ReadT]:
    """Joins a question with the function that reads its answers; a type checker refuses one for other answers."""
    return Asking(question, read)


async def ask(model: Model, asked: Asking[ReadT]) -> ReadT | None:
    """Asks a model and reads its answer; returns None if there is no valid one."""
    answer = await answer_or_none(model, asked.question)
    return None if answer is None else asked.read(answer)


async def together(awaitables: Iterable[Awaitable[ReadT]]) -> list[ReadT]:
    """Awaits several at the same time and returns their results in order.

    Raises the first exception only after all have ended, so that no answer that costs money is lost.
    """
    waiting = list(awaitables)
    if len(waiting) == 1:
        return [await waiting[0]]  # saves the task that gather would create
    results = await asyncio.gather(*waiting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts the questions asked so far, with their calls, tokens and cost.

    calls: requests to a language model, including the `cached` ones. input_tokens, output_tokens, cost (USD): of all of
    them, None if unknown for any. cached_cost: the part of the cost that the cached calls stand for, which was not
    paid again.
    """

    questions: int = 0
    unanswered: int = 0
    calls: int = 0
    cached: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0
    cached_cost: float | None = 0.0

    @classmethod
    def of(cls, call: ModelCall) -> Usage:
        saved = call.cost if call.cached else 0.0
        return cls(0, 0, 1, int(call.cached), call.input_tokens, call.output_tokens, call.cost, saved)

    @property
    def paid(self) -> float | None:
        """The cost in USD without the cached calls, None if unknown."""
        if self.cached == self.calls:
            return 0.0
        return None if self.cost is None or self.cached_cost is None else self.cost - self.cached_cost

    def __add__(self, more: Usage) -> Usage:
        pairs = zip(_AMOUNTS(self), _AMOUNTS(more), strict=True)
        totals: list[Any] = [None if one is None or other is None else one + other for one, other in pairs]
        return Usage(*totals)


_AMOUNTS = attrgetter(*(each.name for each in fields(Usage)))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question with its answer, and the seconds and calls it took. answer: None if there was no valid one."""

    question: Question[Any]
    answer: BaseModel | None
    seconds: float
    calls: tuple[ModelCall, ...] = ()
