"""The form of an answer, told to endpoints that can hold a model to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hm_agent.questions import Question


def answer_schema(question: Question[Any]) -> dict[str, Any]:
    """The JSON schema of a valid answer, in the strict subset that OpenAI's structured outputs accept.

    All of an object's properties are required and none may be added, so the question's keys spell out a mapping.
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
    """An object with all its properties named. Raises ValueError for a mapping where there are no keys to name."""
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        if not keys:
            raise ValueError("a mapping in an answer needs the keys of its question, and it has none")
        schema = schema | {"properties": dict.fromkeys(keys, values)}
    properties = schema.get("properties", {})
    return schema | {"properties": properties, "required": list(properties), "additionalProperties": False}
