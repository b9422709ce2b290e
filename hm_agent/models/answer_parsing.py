"""Finds the answer to a question in a model's text, which is parsed as data and validated, never evaluated."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from hm_agent.bounds import MAX_TEXT, kept_start
from hm_agent.models.bare_answers import bare_answer
from hm_agent.models.prompts import phrase
from hm_agent.models.thinking import end_of_thinking, unclosed_thinking
from hm_agent.questions import AnswerT, MissingField, Question, answer_schema, item_schemas

_problem = partial(phrase, "unreadable.j2")

MAX_CHARACTERS = 200_000
"""Characters of a text that are read, from its end."""
MAX_LITERAL = 10_000
"""The most characters to hand to Python's parser: it is slow with malformed text, and no answer is longer."""
MAX_CANDIDATES = 200
"""How many opening braces are tried, from the end of the text: with many nested braces, parsing could take for ever."""
MAX_ERRORS = 10
"""How many errors in an answer's form one message reports."""
MAX_PROBLEM = 900
"""Characters of the message to the model about a bad answer."""
MAX_NAME = 60
"""Characters up to which a text is compared with the names that it may stand for."""
MAX_DEPTH = 30
"""The deepest nesting of objects and lists that is accepted: no answer needs more, and parsers recurse."""

_STRING = r'"(?:[^"\\]++|\\.)*+"?|' + r"'(?:[^'\\]++|\\.)*+'?"
_COMMENT = r"(?:#|//)[^\n]*+"
# Strings and comments match first, so that no bracket or name inside them counts.
_BRACKET = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]()]", re.DOTALL)
_JSON_TOKEN = re.compile(rf"{_STRING}|{_COMMENT}|\b(?:true|false|null)\b", re.DOTALL)
_OBJECT_START = re.compile(r"""\{(?=\s*["'])""")
_NESTING = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
_JSON = json.JSONDecoder(strict=False)
_PYTHON_NAMES = {"true": "True", "false": "False", "null": "None"}


class BadAnswer(ValueError):
    """A text contains no valid answer; the message is sent back to the model.

    part: the part of the answer that is valid by itself (`Question.usable_part`), None if there is none.
    """

    def __init__(self, problem: str, part: BaseModel | None = None) -> None:
        self.part = part
        unbroken = re.sub(r"(\S{40})\S{20,}", r"\1...", problem)
        super().__init__(unbroken if len(unbroken) <= MAX_PROBLEM else f"{unbroken[: MAX_PROBLEM - 3]}...")


class UnfinishedThinking(BadAnswer):
    """A text ends in the model's thinking, so that whatever stands there is no answer yet."""


def read_answer(text: str, question: Question[AnswerT], schema: Mapping[str, Any] | None = None) -> AnswerT:
    """Returns the last valid answer in a text, whatever surrounds it. schema: `answer_schema(question)`, if known.

    A candidate is a JSON object or a Python dict literal that has at least one of the answer's keys and ends outside
    the model's thinking (`thinking`). If a text has none, but is a JSON string, the text within is read; and if it is
    nothing but calls or choices (`bare_answers`), these are. Raises BadAnswer with the problem of the last object.
    """
    text, schema = text[-MAX_CHARACTERS:], schema or answer_schema(question)
    try:
        return _last_answer(text, question, schema)
    except BadAnswer:
        said = text[end_of_thinking(text) :]
        if (bare := bare_answer(said, schema)) is not None:
            return _validate(bare, question, schema)
        if (within := _text_in_string(said)) is None:
            raise
    return _last_answer(within, question, schema)


def _last_answer(text: str, question: Question[AnswerT], schema: Mapping[str, Any]) -> AnswerT:
    fields = question.schema.model_fields.keys()
    problem: BadAnswer | None = None
    answer, end, thought = None, 0, end_of_thinking(text)
    if (begun := unclosed_thinking(text)) is not None:
        text, problem = text[:begun], UnfinishedThinking(_problem("unfinished_thinking"))
    # Sets and templates in prose hardly ever have a quote right after the opening brace.
    starts = [match.start() for match in _OBJECT_START.finditer(text)][-MAX_CANDIDATES:]
    for start in starts:
        if start < end:
            continue  # inside an object that was parsed already
        try:
            candidate, end = _parse_object(text, start)
            if end > thought and fields & candidate.keys():
                answer = _validate(candidate, question, schema)
        except BadAnswer as error:
            problem = error
    if answer is None:
        raise problem or BadAnswer(_problem("no_answer", keys=", ".join(map(json.dumps, fields))))
    return answer


def _text_in_string(text: str) -> str | None:
    """The text in one JSON string, fenced or bare; None if it is none."""
    bare = re.sub(r"^```\w*|```$", "", text.strip()).strip()
    if not (bare.startswith('"') and bare.endswith('"')):
        return None
    try:
        within = _JSON.decode(bare)
    except ValueError:
        return None
    return within if isinstance(within, str) else None


def _parse_object(text: str, start: int) -> tuple[dict[Any, Any], int]:
    """Parses the object that begins at an index; returns it with the index after its end. Raises BadAnswer."""
    end = _find_end(text, start)
    try:
        return _JSON.decode(text[start:end]), end
    except ValueError as error:
        literal = _parse_literal(text[start:end]) if end - start <= MAX_LITERAL else None
        if isinstance(literal, dict):
            return literal, end
        raise BadAnswer(_problem("not_json", problem=_problem_of_json(error))) from error


def _problem_of_json(error: ValueError) -> str:
    """What Python's JSON parser finds wrong, with up to 20 characters on each side of the place."""
    if not isinstance(error, json.JSONDecodeError):
        return _problem("number_too_long")  # the parser's only other error
    return _problem("misplaced", problem=error.msg, near=repr(error.doc[max(error.pos - 20, 0) : error.pos + 20]))


def _find_end(text: str, start: int) -> int:
    """Returns the index after the bracket that closes the one at `start`; raises BadAnswer if there is none."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += _NESTING.get(bracket[0], 0)
        if depth == 0:
            return bracket.end()
        if depth > MAX_DEPTH:
            raise BadAnswer(_problem("nested_too_deep", most=MAX_DEPTH))
    raise BadAnswer(_problem("never_closed"))


def _parse_literal(text: str) -> object:
    """Parses a Python literal, None if the text is none; accepts JSON's names, comments, and line breaks in strings.

    A set becomes a list.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes such as "\d", which stay as they are
        try:
            return ast.literal_eval(_SetsToLists().visit(ast.parse(_JSON_TOKEN.sub(_python_token, text), mode="eval")))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None


class _SetsToLists(ast.NodeTransformer):
    """Turns sets into lists, in the order written: a set's order differs between processes."""

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return self.generic_visit(ast.List(node.elts, ast.Load()))


def _python_token(match: re.Match[str]) -> str:
    """Replaces a token: JSON's name by Python's, a comment by nothing, line breaks in a string by escapes."""
    if match[0].startswith(("#", "//")):
        return ""
    return _PYTHON_NAMES.get(match[0]) or match[0].replace("\n", "\\n")


def _validate(candidate: dict[Any, Any], question: Question[AnswerT], schema: Mapping[str, Any]) -> AnswerT:
    """Validates an object as an answer; raises BadAnswer with everything that is wrong with it."""
    candidate = coerce_to_schema(candidate, schema, schema.get("$defs", {}))
    try:
        answer = cast("AnswerT", question.schema.model_validate(candidate))
        answer.model_dump_json()  # fails for unpaired surrogates, which could be neither sent nor recorded
    except ValidationError as error:
        raise BadAnswer(
            "; ".join([*_form_errors(error), *_errors_of_check(_valid_fields(candidate, error, question), question)])
        ) from error
    except ValueError as error:
        raise BadAnswer(str(error)) from error
    if problems := _errors_of_check(answer, question):
        raise BadAnswer("; ".join(problems), question.usable_part(answer))
    return answer


def _form_errors(error: ValidationError) -> list[str]:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    messages = [
        f"{'.'.join(str(part)[:30] for part in details['loc'])}: {details['msg'].removeprefix('Value error, ')}"
        for details in errors[:MAX_ERRORS]
    ]
    return messages + [_problem("and_more")] * (len(errors) > MAX_ERRORS)


def _errors_of_check(answer: Any, question: Question[Any]) -> list[str]:
    """Returns what the question's own check finds wrong, if anything."""
    try:
        question.check(answer)
    except MissingField:
        return []
    except ValueError as error:
        return [str(error)]
    return []


class _IncompleteAnswer:
    """The valid fields of a malformed answer; any other field raises MissingField."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        vars(self).update(fields)

    def __getattr__(self, name: str) -> Any:
        raise MissingField(name)


def _valid_fields(candidate: dict[Any, Any], error: ValidationError, question: Question[Any]) -> _IncompleteAnswer:
    malformed = {part["loc"][0] for part in error.errors(include_url=False, include_input=False) if part["loc"]}
    valid: dict[str, Any] = {}
    for name, field in question.schema.model_fields.items():
        if name in candidate and name not in malformed:
            form: Any = Annotated[field.annotation, field]
            valid[name] = TypeAdapter(form).validate_python(candidate[name])
    return _IncompleteAnswer(valid)


def coerce_to_schema(value: Any, schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """Corrects a value to the form of its schema where its meaning is clear; leaves anything else for validation.

    It corrects case, quotes, spaces and the third person's s in names that the schema lists; a single text in the place
    of a list; several texts in the place of one; and a count below the minimum, which becomes the minimum. Longer texts
    are cut (`MAX_TEXT`). named: the schemas that `$ref` refers to.
    """
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, str):
        value = kept_start(value, max(MAX_TEXT, schema.get("maxLength", 0)))
    if "enum" in schema:
        return _resolve_name(value, schema["enum"])
    match schema.get("type"), value:
        case "object", dict():
            return _coerce_object(value, schema["properties"], named)
        case "array", str() | list() | tuple():
            items = [value] if isinstance(value, str) else value
            schemas = item_schemas(schema, len(items))
            return [coerce_to_schema(item, schema, named) for item, schema in zip(items, schemas, strict=True)]
        case "string", [str(), *_] if all(isinstance(text, str) for text in value):
            return coerce_to_schema(" ".join(value), schema, named)
        case "integer", int() if not isinstance(value, bool) and 0 <= value < schema.get("minimum", 0):
            return schema["minimum"]
    return value


def _coerce_object(value: dict[Any, Any], fields: Mapping[str, Any], named: Mapping[str, Any]) -> dict[Any, Any]:
    corrected: dict[Any, Any] = {}
    for key, part in value.items():
        name = _resolve_name(key, list(fields))
        if name in value:
            name = key  # a field that has its exact name, too, is not overwritten
        corrected[name] = coerce_to_schema(part, fields[name], named) if name in fields else part
    return corrected


def _resolve_name(text: Any, names: Sequence[Any]) -> Any:
    """Returns the one listed name that a text stands for, or the text itself if none or several match."""
    if not isinstance(text, str) or text in names or len(text) > MAX_NAME:
        return text
    matches = [name for name in names if isinstance(name, str) and _name_variants(text) & _name_variants(name)]
    return matches[0] if len(matches) == 1 else text


def _name_variants(name: str) -> set[str]:
    """Returns a name in lower case without quotes, its first word also without the third person's ending."""
    first, _, rest = re.sub(r"[\s_-]+", " ", name.casefold()).strip(" \"'`.").partition(" ")
    return {f"{stem} {rest}" for stem in (first, first.removesuffix("s"), first.removesuffix("es"))}
