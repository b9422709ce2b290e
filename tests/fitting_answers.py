"""Values that fit the JSON schema of an answer, and what every such schema has to bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from hm_agent.questions import item_schemas

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


def _resolved(schema: Schema, named: Schema) -> Schema:
    """A schema, or the one to which it refers."""
    found: Schema = named[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


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
            return st.from_regex(schema["pattern"].removesuffix("$") + r"\Z", alphabet=st.characters(codec="utf-8"))
        case "string":
            return st.text(max_size=schema["maxLength"])
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
    assert schema["type"] == "boolean"
    return st.booleans()
