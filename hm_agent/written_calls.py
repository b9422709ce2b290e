"""Parses the calls of a plan, such as `go_to((3, 4))`, from a model's text without evaluating it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeVar

from hm_agent.models.prompts import phrase

CallT = TypeVar("CallT")
FunctionT = TypeVar("FunctionT")

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL | re.ASCII)
_COMMENT = re.compile(r"\s*(?:#|//).*\Z", re.DOTALL)


class CallError(ValueError):
    """A call is invalid; the message says what is wrong and what would be right."""


class WrittenCall:
    """The base class of a plan's calls, which are dataclasses: traces show a call as the text that a model writes.

    function: the name that stands before the brackets.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    function: ClassVar[str]

    @property
    def arguments(self) -> Sequence[object]:
        """What stands in the brackets: the fields, unless a subclass says otherwise."""
        return [getattr(self, name) for name in self.__match_args__]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"

    def to_json(self) -> str:
        return str(self)


def read_call(text: str, functions: Mapping[str, FunctionT], forms: str) -> tuple[str, FunctionT, str]:
    """Splits a call into its name, its function and the text in its brackets; ignores spacing and a trailing comment.

    The name of a function alone is read as a call without arguments. functions: the functions that may be called, by
    name. forms: how to write their calls, for the message of the CallError, which is raised for any other text.
    """
    call = _COMMENT.sub("", text).strip()
    written = _CALL.fullmatch(f"{call}()" if call in functions else call)
    if written is None:
        raise CallError(phrase("agent/messages.j2", "no_call", given=shortened(text), forms=forms))
    name, arguments = written.groups()
    if name not in functions:
        raise CallError(phrase("agent/messages.j2", "unknown_function", name=shortened(name), forms=forms))
    return name, functions[name], arguments


def read_calls(texts: Sequence[str], read: Callable[[str], CallT], forms: str) -> tuple[CallT, ...]:
    """Reads the calls of a plan; raises CallError with the errors of all its calls, or if the plan is empty."""
    calls, errors = [], []
    for text in texts:
        try:
            calls.append(read(text))
        except CallError as error:
            errors.append(str(error))
    if errors:
        raise CallError("; ".join(errors))
    if not calls:
        raise CallError(phrase("agent/messages.j2", "empty_plan", forms=forms))
    return tuple(calls)


def shortened(text: str) -> str:
    """Quotes a model's text for a message, cut to 60 characters."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def any_of(values: Iterable[object]) -> str:
    """The regular expression, a plain group, that matches the text of any of these values."""
    return f"({'|'.join(map(str, values))})"
