"""Finds the answer in the text of a model. The text is parsed as data and validated, never evaluated."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from hm_agent.bounds import MAX_TEXT, kept_start
from hm_agent.questions import AnswerT, MissingField, Question, answer_schema, item_schemas

MAX_CHARACTERS = 200_000
"""How much of a text is read, from its end."""
MAX_LITERAL = 10_000
"""Characters that Python's parser gets at most: it is slow with malformed text, and no answer is longer."""
MAX_CANDIDATES = 200
"""How many opening braces are tried, from the end of the text: nested braces could take for ever."""
MAX_ERRORS = 10
"""How many errors in the form of an answer are told at once."""
MAX_PROBLEM = 900
"""Characters of what is told to the model about a bad answer."""
MAX_NAME = 60
"""Longer texts are not compared with the names that may be meant."""
MAX_DEPTH = 30
"""Deeper nested objects and lists are refused: no answer needs them, and parsers recurse."""

_STRING = r'"(?:[^"\\]++|\\.)*+"?|' + r"'(?:[^'\\]++|\\.)*+'?"
_COMMENT = r"(?:#|//)[^\n]*+"
# Strings and comments match first, so that nothing inside them is taken for a bracket or a name.
_BRACKET = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]()]", re.DOTALL)
_JSON_TOKEN = re.compile(rf"{_STRING}|{_COMMENT}|\b(?:true|false|null)\b", re.DOTALL)
_OBJECT_START = re.compile(r"""\{(?=\s*["'])""")
_NESTING = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
_PYTHON_NAMES = {"true": "True", "false": "False", "null": "None"}


class BadAnswer(ValueError):
    """A text contains no valid answer. The message is sent back to the model.

    part: the part of the answer that can be used by itself, if there is one.
    """

    def __init__(self, problem: str, part: BaseModel | None = None) -> None:
        self.part = part
        unbroken = re.sub(r"(\S{40})\S{20,}", r"\1...", problem)
        super().__init__(unbroken if len(unbroken) <= MAX_PROBLEM else f"{unbroken[: MAX_PROBLEM - 3]}...")


def read_answer(text: str, question: Question[AnswerT], schema: Mapping[str, Any] | None = None) -> AnswerT:
    """Returns the last valid answer in a text, whatever surrounds it. schema: the question's, where it is at hand.

    A candidate is a JSON object or a Python dict literal that has one of the answer's keys and stands after `</think>`,
    if the text has that. Raises BadAnswer with the problem of the last object.
    """
    text = text[-MAX_CHARACTERS:]
    fields = question.schema.model_fields.keys()
    problem = BadAnswer(f"no answer found; write one JSON object with the keys {', '.join(map(json.dumps, fields))}")
    answer, end, end_of_thinking = None, 0, text.rfind("</think>")
    # Sets and templates in prose hardly ever have a quote right after the opening brace.
    starts = [match.start() for match in _OBJECT_START.finditer(text)][-MAX_CANDIDATES:]
    for start in starts:
        if start < end:
            continue  # it is inside an object that was parsed
        try:
            found, end = _parse_object(text, start)
            if end > end_of_thinking and fields & found.keys():
                schema = schema or answer_schema(question)
                answer = _validate(found, question, schema)
        except BadAnswer as error:
            problem = error
    if answer is None:
        raise problem
    return answer


def _parse_object(text: str, start: int) -> tuple[dict[Any, Any], int]:
    """The object that begins at an index, and the index after its end."""
    end = _find_end(text, start)
    try:
        return json.loads(text[start:end], strict=False), end
    except ValueError as error:
        found = _parse_literal(text[start:end]) if end - start <= MAX_LITERAL else None
        if isinstance(found, dict):
            return found, end
        problem = "a number in it is too long"  # the only error of the parser that is no JSONDecodeError
        if isinstance(error, json.JSONDecodeError):
            problem = f"{error.msg} near {error.doc[max(error.pos - 20, 0) : error.pos + 20]!r}"
        raise BadAnswer(f"not valid JSON: {problem}") from error


def _find_end(text: str, start: int) -> int:
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += _NESTING.get(bracket[0], 0)
        if depth == 0:
            return bracket.end()
        if depth > MAX_DEPTH:
            raise BadAnswer(f"nested deeper than {MAX_DEPTH} levels; write one plain JSON object")
    raise BadAnswer("the JSON object is never closed; write it to the end, more briefly, and escape quotes in strings")


def _parse_literal(text: str) -> object:
    """The value of a Python literal, None if it is none. JSON's names, comments and broken strings are allowed.

    A set is read as a list.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes such as "\d", which stay as they are
        try:
            return ast.literal_eval(_SetsToLists().visit(ast.parse(_JSON_TOKEN.sub(_to_python, text), mode="eval")))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None


class _SetsToLists(ast.NodeTransformer):
    """Keeps the order in which a set's items are written: its own is another one in every process."""

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return self.generic_visit(ast.List(node.elts, ast.Load()))


def _to_python(match: re.Match[str]) -> str:
    """Python's word for JSON's; a comment is dropped, and line breaks in a string are escaped."""
    if match[0].startswith(("#", "//")):
        return ""
    return _PYTHON_NAMES.get(match[0]) or match[0].replace("\n", "\\n")


def _validate(found: dict[Any, Any], question: Question[AnswerT], schema: Mapping[str, Any]) -> AnswerT:
    """The answer in an object; raises BadAnswer with everything that is wrong with it."""
    found = as_meant(found, schema, schema.get("$defs", {}))
    try:
        answer = cast("AnswerT", question.schema.model_validate(found))
        answer.model_dump_json()  # fails for unpaired surrogates, which could be neither sent nor recorded
    except ValidationError as error:
        raise BadAnswer(
            "; ".join([*_told(error), *_problems(_valid_fields(found, error, question), question)])
        ) from error
    except ValueError as error:
        raise BadAnswer(str(error)) from error
    if problems := _problems(answer, question):
        raise BadAnswer("; ".join(problems), question.usable_part(answer))
    return answer


def _told(error: ValidationError) -> list[str]:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{'.'.join(str(part)[:30] for part in one['loc'])}: {one['msg'].removeprefix('Value error, ')}"
        for one in errors[:MAX_ERRORS]
    ]
    return told + ["and more"] * (len(errors) > MAX_ERRORS)


def _problems(answer: Any, question: Question[Any]) -> list[str]:
    """What the question's own check finds wrong, if anything."""
    try:
        question.check(answer)
    except MissingField:
        return []
    except ValueError as error:
        return [str(error)]
    return []


class _IncompleteAnswer:
    """The valid fields of an answer that as a whole is none."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        vars(self).update(fields)

    def __getattr__(self, name: str) -> Any:
        raise MissingField(name)


def _valid_fields(found: dict[Any, Any], error: ValidationError, question: Question[Any]) -> _IncompleteAnswer:
    malformed = {one["loc"][0] for one in error.errors(include_url=False, include_input=False) if one["loc"]}
    valid: dict[str, Any] = {}
    for name, field in question.schema.model_fields.items():
        if name in found and name not in malformed:
            form: Any = Annotated[field.annotation, field]
            valid[name] = TypeAdapter(form).validate_python(found[name])
    return _IncompleteAnswer(valid)


def as_meant(value: Any, schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """A value in the form of its schema where its meaning is plain; everything else stays as it is, to be validated.

    Plain are: other case, quotes, spaces and the third person's s in a name that the schema lists; a single item for a
    list; several texts for one; and a count below the least one, which stands for the least. named: the schemas that
    `$ref` names. Texts are cut to what is kept of them.
    """
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, str):
        value = kept_start(value, max(MAX_TEXT, schema.get("maxLength", 0)))
    if "enum" in schema:
        return _name_meant(value, schema["enum"])
    match schema.get("type"), value:
        case "object", dict():
            return _object_meant(value, schema["properties"], named)
        case "array", str() | list() | tuple():
            items = [value] if isinstance(value, str) else value
            schemas = item_schemas(schema, len(items))
            return [as_meant(item, schema, named) for item, schema in zip(items, schemas, strict=True)]
        case "string", [str(), *_] if all(isinstance(text, str) for text in value):
            return as_meant(" ".join(value), schema, named)
        case "integer", int() if not isinstance(value, bool) and 0 <= value < schema.get("minimum", 0):
            return schema["minimum"]
    return value


def _object_meant(value: dict[Any, Any], fields: Mapping[str, Any], named: Mapping[str, Any]) -> dict[Any, Any]:
    meant: dict[Any, Any] = {}
    for said, part in value.items():
        name = _name_meant(said, list(fields))
        if name in value:
            name = said  # a field that is there under its own name is not written over
        meant[name] = as_meant(part, fields[name], named) if name in fields else part
    return meant


def _name_meant(said: Any, names: Sequence[Any]) -> Any:
    """The one name that is meant by what was said, or what was said if none or several may be."""
    if not isinstance(said, str) or said in names or len(said) > MAX_NAME:
        return said
    meant = [name for name in names if isinstance(name, str) and _readings(said) & _readings(name)]
    return meant[0] if len(meant) == 1 else said


def _readings(name: str) -> set[str]:
    """A name without case, quotes and spaces, its first word with and without the ending of the third person."""
    first, _, rest = re.sub(r"[\s_-]+", " ", name.casefold()).strip(" \"'`.").partition(" ")
    return {f"{stem} {rest}" for stem in (first, first.removesuffix("s"), first.removesuffix("es"))}
