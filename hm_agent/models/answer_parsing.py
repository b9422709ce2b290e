"""Finds the answer in what a model wrote: read as data, checked, never evaluated."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any, cast

from pydantic import ValidationError

from hm_agent.questions import AnswerT, Question

LONGEST = 200_000
"""Only so many characters are read, the last ones."""
LONGEST_LITERAL = 10_000
"""Python's own parser is slow with nonsense, so it gets no more than any answer needs."""
TRIES = 200
"""Only so many places where an object may begin are tried, the last ones: braces in braces could take for ever."""
DEEPEST = 30
"""Objects and lists nested deeper are refused: no answer needs it, and parsers recurse."""

_STRING = r'"(?:[^"\\]++|\\.)*+"?|' + r"'(?:[^'\\]++|\\.)*+'?"
_COMMENT = r"(?:#|//)[^\n]*+"
_MARK = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]()]", re.DOTALL)
_WORD = re.compile(rf"{_STRING}|{_COMMENT}|\b(?:true|false|null)\b", re.DOTALL)
_START = re.compile(r"""\{(?=\s*["'])""")
_DEPTH = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
_IN_PYTHON = {"true": "True", "false": "False", "null": "None"}


class BadAnswer(ValueError):
    """A model's text holds no valid answer; the message tells the model what is wrong and what would be right."""

    def __init__(self, problem: str) -> None:
        unbroken = re.sub(r"(\S{40})\S{20,}", r"\1...", problem)
        super().__init__(unbroken if len(unbroken) <= 400 else f"{unbroken[:397]}...")


def read_answer(text: str, question: Question[AnswerT]) -> AnswerT:
    """Reads the last valid answer in a text, with whatever stands around it.

    An object, in JSON or as a Python literal, counts if it has one of an answer's keys and was not only thought of,
    before `</think>`. Raises BadAnswer for what is wrong with the last one.
    """
    text = text[-LONGEST:]
    fields = question.schema.model_fields.keys()
    problem = BadAnswer(f"no answer found; write one JSON object with the keys {', '.join(map(json.dumps, fields))}")
    answer, end, thought = None, 0, text.rfind("</think>")
    for start in _starts(text):
        if start < end:
            continue  # it is part of an object that could be read
        try:
            found, end = _object(text, start)
            if end > thought and fields & found.keys():
                answer = _checked(found, question)
        except BadAnswer as error:
            problem = error
    if answer is None:
        raise problem
    return answer


def _starts(text: str) -> list[int]:
    """Where an object may begin. Sets and templates in prose hardly ever have a quote right after the brace."""
    return [match.start() for match in _START.finditer(text)][-TRIES:]


def _object(text: str, start: int) -> tuple[dict[Any, Any], int]:
    """The object that begins there, and where it ends."""
    end = _end(text, start)
    try:
        return json.loads(text[start:end], strict=False), end
    except ValueError as error:
        found = _literal(text[start:end]) if end - start <= LONGEST_LITERAL else None
        if isinstance(found, dict):
            return found, end
        raise BadAnswer(f"not valid JSON: {_fault(error)}") from error


def _end(text: str, start: int) -> int:
    depth = 0
    for mark in _MARK.finditer(text, start):
        depth += _DEPTH.get(mark[0], 0)
        if depth == 0:
            return mark.end()
        if depth > DEEPEST:
            raise BadAnswer(f"nested deeper than {DEEPEST} levels; write one plain JSON object")
    raise BadAnswer("the JSON object is never closed; write it to the end, more briefly, and escape quotes in strings")


def _literal(text: str) -> object:
    """What a Python literal stands for, None where it is none; true, null, // and line breaks in strings pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at escapes such as in "\d", which are kept as they are
        try:
            return ast.literal_eval(_WORD.sub(_in_python, text))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None


def _in_python(word: re.Match[str]) -> str:
    if word[0].startswith(("#", "//")):
        return ""
    return _IN_PYTHON.get(word[0]) or word[0].replace("\n", "\\n")


def _fault(error: ValueError) -> str:
    """What is wrong and where. The one other error of the parser is about the length of numbers."""
    if not isinstance(error, json.JSONDecodeError):
        return "a number in it is too long"
    return f"{error.msg} near {error.doc[max(error.pos - 20, 0) : error.pos + 20]!r}"


def _checked(found: dict[Any, Any], question: Question[AnswerT]) -> AnswerT:
    try:
        answer = cast("AnswerT", question.schema.model_validate(found))
        answer.model_dump_json()  # half of a surrogate pair could be neither sent nor recorded
        question.check(answer)
    except ValidationError as error:
        raise BadAnswer(_faults(error)) from error
    except ValueError as error:
        raise BadAnswer(str(error)) from error
    return answer


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(str(part)[:30] for part in fault['loc'])}: {fault['msg']}" for fault in faults[:3]]
    return "; ".join(told + ["and more"] * (len(faults) > 3))
