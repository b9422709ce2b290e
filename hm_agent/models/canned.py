"""A language model without a mind, to try agents with: it fills in the form of each answer at random."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from string import ascii_letters, ascii_lowercase, digits
from typing import Any

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.models.patterns import Choices, choices_of
from hm_agent.questions import item_schemas

PLACE = "python:hm_agent.models.canned:build"
"""The name by which it is asked for."""
MOST = 3
"""The most items of a list and the most words of a text."""
LONGEST = 20
"""The most characters of a class that a pattern allows in any number."""


class CannedChat(Chat):
    """Answers each request with a random value that fits its schema."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"canned/{seed}")

    async def complete(self, request: Request) -> Reply:
        text = json.dumps(fitting(request.schema, self._random))
        prompt = request.messages[-1].content
        return Reply((text,), input_tokens=len(prompt) // 4, output_tokens=len(text) // 4)


def fitting(schema: Mapping[str, Any], stream: Random) -> Any:
    """A random value that fits a JSON schema, except for texts with a pattern that `grammar_of` can't translate."""
    return _value(schema, schema.get("$defs", {}), stream)


def _value(schema: Mapping[str, Any], named: Mapping[str, Any], stream: Random) -> Any:
    """named: the schemas to which `$ref` refers."""
    if "$ref" in schema:
        return _value(named[schema["$ref"].rpartition("/")[2]], named, stream)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return stream.choice(schema["enum"])
    if "anyOf" in schema:
        return _value(stream.choice(schema["anyOf"]), named, stream)
    match schema.get("type"):
        case "object":
            return {name: _value(part, named, stream) for name, part in schema["properties"].items()}
        case "array":
            least = schema.get("minItems", 0)
            count = stream.randint(least, max(least, min(MOST, schema.get("maxItems", MOST))))
            return [_value(item, named, stream) for item in item_schemas(schema, count)]
        case "integer" | "number" as kind:
            least = schema.get("minimum", 0)
            most = max(least, schema.get("maximum", 9))
            return stream.randint(int(least), int(most)) if kind == "integer" else stream.uniform(least, most)
        case "boolean":
            return stream.random() < 0.5
        case "null":
            return None
    return _text(schema, stream)


def _text(schema: Mapping[str, Any], stream: Random) -> str:
    if "pattern" in schema:
        with suppress(ValueError):
            return _matching(choices_of(schema["pattern"]), stream)
    words = ("".join(stream.choices(ascii_lowercase, k=5)) for _ in range(stream.randint(1, MOST)))
    return " ".join(words)[: schema.get("maxLength", 100)]


def _matching(choices: Choices, stream: Random) -> str:
    """A random text that one of the alternatives matches."""
    return "".join(_part(part, stream) for part in stream.choice(choices))


def _part(part: tuple[str, str] | Choices, stream: Random) -> str:
    match part:
        case "plain", str(text):
            return text
        case "several", str(text):
            characters, _, times = text.partition("{")
            allowed = [each for each in ascii_letters + digits + " " if re.match(characters, each)]
            least, most = map(int, times.rstrip("}").split(",")) if times else (1, 1)
            return "".join(stream.choices(allowed, k=stream.randint(least, max(least, min(most, LONGEST)))))
        case "anchor", _:
            return ""
    return _matching(part, stream)


def build(seed: int) -> CannedChat:
    return CannedChat(seed)
