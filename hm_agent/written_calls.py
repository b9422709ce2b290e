"""The calls of a plan, such as `go_to((3, 4))`, read from a model's text without evaluating it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

CallT = TypeVar("CallT")
FunctionT = TypeVar("FunctionT")

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL | re.ASCII)
_COMMENT = re.compile(r"\s*(?:#|//).*\Z", re.DOTALL)


class CallError(ValueError):
    """A call is invalid; the message says what is wrong and what would be right."""


class WrittenCall:
    """What traces show of a call: the text as a model writes it."""

    __slots__ = ()

    def to_json(self) -> str:
        return str(self)


def read_call(text: str, functions: Mapping[str, FunctionT], forms: str) -> tuple[str, FunctionT, str]:
    """The name of a call, its function and what stands in its brackets; any spacing, with a comment after it.

    The name of a function alone is read as a call without arguments.
    functions: those that may be called, by name. forms: how to write them, for the message of the CallError that is
    raised if the text is no call of one of them.
    """
    call = _COMMENT.sub("", text).strip()
    written = _CALL.fullmatch(f"{call}()" if call in functions else call)
    if written is None:
        raise CallError(f"not a function call: {shortened(text)}; write {forms}")
    name, arguments = written.groups()
    if name not in functions:
        raise CallError(f"unknown function {shortened(name)}; write {forms}")
    return name, functions[name], arguments


def read_calls(texts: Sequence[str], read: Callable[[str], CallT], forms: str) -> tuple[CallT, ...]:
    """A whole plan; raises CallError with the errors of all its calls if `read` raises any, or if it is empty."""
    calls, errors = [], []
    for text in texts:
        try:
            calls.append(read(text))
        except CallError as error:
            errors.append(str(error))
    if errors:
        raise CallError("; ".join(errors))
    if not calls:
        raise CallError(f"the plan is empty; write {forms}")
    return tuple(calls)


def shortened(text: str) -> str:
    """What a message repeats of a model's text: quoted, at most 60 characters of it."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
