"""Answers any question of any world with a random value that fits the schema of its answer."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Mapping
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of

LONGEST = 3
"""The most items of a list and the most words of a text that are made up."""


def answer(body: Mapping[str, Any]) -> Response:
    """A completion that fits the schema of a request; the same prompt always gets the same one."""
    prompt = prompt_of(body)
    schema = body["response_format"]["json_schema"]["schema"]
    text = json.dumps(made_up(schema, schema.get("$defs", {}), random.Random(prompt)))
    return completion(*[text] * (body.get("n") or 1), prompt=prompt)


def made_up(schema: Mapping[str, Any], named: Mapping[str, Any], stream: random.Random) -> Any:
    """A random value that fits a JSON schema. named: the schemas that `$ref` refers to."""
    if "$ref" in schema:
        return made_up(named[schema["$ref"].rpartition("/")[2]], named, stream)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return stream.choice(schema["enum"])
    if "anyOf" in schema:
        return made_up(stream.choice(schema["anyOf"]), named, stream)
    match schema["type"]:
        case "object":
            return {name: made_up(part, named, stream) for name, part in schema["properties"].items()}
        case "array":
            fewest = schema.get("minItems", 0)
            length = stream.randint(fewest, max(fewest, min(LONGEST, schema.get("maxItems", LONGEST))))
            parts = [*schema.get("prefixItems", ()), *[schema["items"]] * length][:length]
            return [made_up(part, named, stream) for part in parts]
        case "integer" | "number":
            return stream.randint(int(schema.get("minimum", 0)), int(schema.get("maximum", 9)))
        case "boolean":
            return stream.random() < 0.5
        case "null":
            return None
    words = ("".join(stream.choices(string.ascii_lowercase, k=5)) for _ in range(stream.randint(1, LONGEST)))
    return " ".join(words)[: schema.get("maxLength", 100)]
