"""What may be answered to a question, by its schema: names to choose from, and calls as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from hm_agent.models.patterns import Choices, choices_of

MOST = 300
"""The most answers that are listed for one form of a call."""
OPEN = "..."
"""Stands for free text in a call."""


def suggestions(schema: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """What may be answered, by the name of the call; a name that stands for itself has an entry of its own.

    schema: of an answer (`answer_schema`). Empty if it is free, or has several fields beside the reasoning.
    """
    wanted = [part for name, part in schema["properties"].items() if name != "reasoning"]
    if len(wanted) != 1:
        return {}
    field = wanted[0].get("items", wanted[0])
    found = list(_texts(field))
    return {name: [text for text in found if _name(text) == name] for name in dict.fromkeys(map(_name, found))}


def wants_several(schema: Mapping[str, Any]) -> bool:
    """Whether an answer has to have several of what is suggested, e.g. one for each of several questions."""
    return any(part.get("minItems", 1) > 1 for part in schema["properties"].values())


def _texts(field: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a field allows; none if it is free."""
    if "enum" in field:
        return map(str, field["enum"])
    pattern = field.get("pattern", "")
    return expanded(pattern) if "(" in pattern or r"\[" in pattern else iter(())


def _name(text: str) -> str:
    return re.split(r"[(\[]", text)[0]


def expanded(pattern: str) -> Iterator[str]:
    """The texts that a pattern matches, with OPEN for each class that is repeated; none if it can't be read."""
    try:
        return _alternatives(choices_of(pattern))
    except ValueError:
        return iter(())


def _alternatives(choices: Choices) -> Iterator[str]:
    for choice in choices:
        yield from map("".join, islice(product(*(list(_part(part)) for part in choice)), MOST))


def _part(part: tuple[str, str] | Choices) -> Iterator[str]:
    match part:
        case "plain", str(text):
            return iter([text])
        case "several", str(text):
            return iter([OPEN] if text.endswith("}") else [""])
        case "anchor", _:
            return iter([""])
    return _alternatives(part)
