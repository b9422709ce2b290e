"""Questions of a user's own: a prompt and the class of its answer, asked as the package's questions are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import overload

from pydantic import BaseModel

from hm_agent.models.prompts import phrase, render_own
from hm_agent.questions import (
    UNSHOWN,
    AnswerT,
    Asking,
    Forms,
    Model,
    Question,
    ReadT,
    answer_or_none,
    check_all,
    one_of,
)
from hm_agent.questions import ask as ask_and_read

Choices = Mapping[str, Sequence[str]]
"""The names that a field of an answer may have, by the field."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NAME_RULE = "a question's name is of at most 64 letters a to z, digits and _, and begins with no digit"


@dataclass(frozen=True, slots=True)
class OwnQuestion(Question[AnswerT]):
    """A prompt that a user wrote. answer: the class of a valid answer. choices, test, name: as in `ask`.

    Raises ValueError for choices of a field that the answer lacks, and for a name that endpoints don't take.
    """

    template = "own.j2"
    prompt: str
    answer: type[AnswerT] = field(metadata=UNSHOWN)
    choices: Choices = field(default_factory=dict, metadata=UNSHOWN)
    test: Callable[[AnswerT], object] = field(default=bool, metadata=UNSHOWN)
    name: str = field(default="", metadata=UNSHOWN)

    def __post_init__(self) -> None:
        if self.name and not _NAME.fullmatch(self.name):
            raise ValueError(f"name={self.name!r}: {_NAME_RULE}, e.g. PlanMoves")
        if unknown := self.choices.keys() - self.answer.model_fields.keys():
            raise ValueError(f"choices: {self.answer.__name__} has no field {min(unknown)!r}")

    @property
    def asked_as(self) -> str:
        return self.name or type(self).__name__

    @property
    def schema(self) -> type[BaseModel]:
        return self.answer

    @property
    def forms(self) -> Forms:
        fields = self.answer.model_json_schema()["properties"]
        return {
            name: {"items": one_of(known)} if fields[name].get("type") == "array" else one_of(known)
            for name, known in self.choices.items()
        }

    def check(self, answer: AnswerT) -> None:
        check_all(*(partial(self._check_choice, answer, name) for name in self.choices), partial(self.test, answer))

    def _check_choice(self, answer: AnswerT, name: str) -> None:
        given, known = getattr(answer, name), self.choices[name]
        for each in given if isinstance(given, list) else [given]:
            if each not in known:
                told = ", ".join(known)
                raise ValueError(phrase("unreadable.j2", "no_choice", field=name, given=repr(each)[:80], known=told))


@overload
async def ask(
    model: Model,
    asked: str,
    schema: type[AnswerT],
    *,
    values: Mapping[str, object] | None = None,
    choices: Choices | None = None,
    check: Callable[[AnswerT], object] = bool,
    name: str = "",
) -> AnswerT | None: ...


@overload
async def ask(model: Model, asked: Question[AnswerT]) -> AnswerT | None: ...


@overload
async def ask(model: Model, asked: Asking[ReadT]) -> ReadT | None: ...


async def ask(
    model: Model,
    asked: str | Question[AnswerT] | Asking[ReadT],
    schema: type[AnswerT] | None = None,
    *,
    values: Mapping[str, object] | None = None,
    choices: Choices | None = None,
    check: Callable[[AnswerT], object] = bool,
    name: str = "",
) -> AnswerT | ReadT | None:
    """Asks a model; returns its answer, None if it gives no valid one though it was told several times what is wrong.

    model: `AgentSetup.model`, so that trace, replay and totals have the question. asked: the text of a prompt, which is
    sent as it is; or, with `values`, the name `module:file` of a Jinja2 template beside a module, which is shown them;
    or a `Question`; or what a mind asks (`self._mind.ask_...`). schema: the pydantic class of the answer to a text,
    which the model gives as a JSON object. choices: the names that a field of it may have, by field; for a list, its
    items. check: raises ValueError, which says what would be right, for an answer that can't be used. name: how traces
    and replays call a question by a text, e.g. `PlanMoves`; without it `OwnQuestion`.
    """
    if isinstance(asked, Asking):
        return await ask_and_read(model, asked)
    if isinstance(asked, Question):
        return await answer_or_none(model, asked)
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise TypeError(f"ask(model, text, schema): the schema must be a pydantic class, not {schema!r}")
    text = asked if values is None else render_own(asked, values)
    return await answer_or_none(model, OwnQuestion(text, schema, choices or {}, check, name))
