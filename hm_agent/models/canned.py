"""A language model without a mind, to try agents with: it fills in the form of each answer at random."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import item_schemas

PLACE = "python:hm_agent.models.canned:build"
"""The name by which it is asked for."""
TEXT = "something"
MOST_ITEMS = 3


class CannedChat(Chat):
    """Answers each request with a value that fits its schema; texts of a form that a pattern tells are `TEXT`."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"canned/{seed}")

    async def complete(self, request: Request) -> Reply:
        text = json.dumps(self._value(request.schema, request.schema.get("$defs", {})))
        prompt = request.messages[-1].content
        return Reply((text,), input_tokens=len(prompt) // 4, output_tokens=len(text) // 4)

    def _value(self, schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
        """A JSON value that fits the schema. named: the schemas to which it may refer."""
        if "$ref" in schema:
            return self._value(named[schema["$ref"].rpartition("/")[2]], named)
        if "anyOf" in schema:
            return self._value(schema["anyOf"][0], named)
        if "enum" in schema or "const" in schema:
            return self._random.choice(schema.get("enum") or [schema["const"]])
        match schema.get("type"):
            case "object":
                return {name: self._value(part, named) for name, part in schema["properties"].items()}
            case "array":
                least = schema.get("minItems", 0)
                most = max(least, min(schema.get("maxItems", MOST_ITEMS), MOST_ITEMS))
                count = self._random.randint(max(least, min(1, most)), most)
                return [self._value(item, named) for item in item_schemas(schema, count)]
            case "integer" | "number" as kind:
                least = schema.get("minimum", 0)
                most = max(least, schema.get("maximum", least + 1))
                return self._random.randint(least, most) if kind == "integer" else self._random.uniform(least, most)
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
        return TEXT[: schema.get("maxLength", len(TEXT))]


def build(seed: int) -> CannedChat:
    return CannedChat(seed)
