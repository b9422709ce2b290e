"""Values that fit the JSON schema of an answer, what every such schema has to bound, and what holds of all answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.grammar import grammar_of
from hm_agent.questions import Question, answer_schema, item_schemas

BOUNDS = {
    "string": ("enum", "pattern", "maxLength"),
    "integer": ("maximum",),
    "array": ("maxItems",),
    "object": ("required",),
    "boolean": ("type",),
}
"""The keywords of which a schema of each type has one."""

Schema = Mapping[str, Any]


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """The JSON values that fit a schema."""
    return _values(schema, schema.get("$defs", {}))


def nodes(schema: Schema, named: Schema | None = None) -> Iterator[Schema]:
    """A schema and all within it. named: the definitions to which it refers, its own unless given."""
    named = schema.get("$defs", {}) if named is None else named
    schema = _resolved(schema, named)
    yield schema
    items = (*schema.get("prefixItems", ()), *filter(None, [schema.get("items")]))
    for part in (*schema.get("properties", {}).values(), *items):
        yield from nodes(part, named)


def open_parts(schema: Schema) -> list[Schema]:
    """What in a schema is not bounded."""
    return [node for node in nodes(schema) if not set(BOUNDS[node["type"]]) & node.keys()]


def check_schema(question: Question[Any]) -> None:
    """Nothing in the schema is open, and a grammar can be made of it."""
    schema = answer_schema(question)
    assert open_parts(schema) == []
    assert grammar_of(schema, 200).startswith("root ::= ")


def is_refused(question: Question[Any], answer: Any) -> bool:
    """Whether an answer of the right form can't be used all the same."""
    try:
        question.check(answer)
    except ValueError:
        return True
    return False


def check_fitting(answer: Any, question: Question[Any], beyond_a_schema: Sequence[str]) -> None:
    """An answer that fits the schema is valid, or refused for one of the reasons that no schema can say."""
    try:
        read_answer(json.dumps(answer), question)
    except BadAnswer as bad:
        if not any(reason in str(bad) for reason in beyond_a_schema):
            raise


def check_reasoners(question: Question[Any], answers: ReasonerTable) -> None:
    """The reasoner's answer fits the schema, passes the check, and is read as it was given."""
    answer = answers[type(question)](question)
    assert read_answer(answer.model_dump_json(), question) == answer


def _resolved(schema: Schema, named: Schema) -> Schema:
    """A schema, or the one to which it refers."""
    found: Schema = named[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


@cache
def _matching(pattern: str) -> st.SearchStrategy[str]:
    """Kept, since Hypothesis forgets new ones once it has made many, and would take seconds to make one anew a draw."""
    return st.from_regex(pattern.removesuffix("$") + r"\Z", alphabet=st.characters(codec="utf-8"))


def _values(schema: Schema, named: Schema) -> st.SearchStrategy[Any]:
    schema = _resolved(schema, named)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({name: _values(part, named) for name, part in schema["properties"].items()})
        case "array":
            counts = st.integers(schema.get("minItems", 0), schema["maxItems"])
            return counts.flatmap(
                lambda count: st.tuples(*(_values(one, named) for one in item_schemas(schema, count)))
            )
        case "string" if "pattern" in schema:
            return _matching(schema["pattern"])
        case "string":
            return st.text(max_size=schema["maxLength"])
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
    assert schema["type"] == "boolean"
    return st.booleans()
