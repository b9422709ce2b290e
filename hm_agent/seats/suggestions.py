"""What may be answered to a question, by its schema: names to choose from, and calls as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

MOST = 300
"""The most answers that are listed for one form of a call."""
OPEN = "..."
"""Stands for free text in a call."""
_PART = re.compile(r"\((?!\?)|\)|\||[\^$]|\[(?:\\.|[^\]\\])*\](?:\{\d+,\d+\})?|(?:\\.|[^\\()|\[\]{}$^])+")


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


def _texts(field: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a field allows; none if it is free."""
    if "enum" in field:
        return map(str, field["enum"])
    pattern = field.get("pattern", "")
    return expanded(pattern) if "(" in pattern or r"\[" in pattern else iter(())


def _name(text: str) -> str:
    return re.split(r"[(\[]", text)[0]


def expanded(pattern: str) -> Iterator[str]:
    """The texts that a pattern of plain text, groups, alternatives and classes matches; OPEN for each class."""
    parts = [part[0] for part in _PART.finditer(pattern)]
    return _alternatives(parts)


def _alternatives(parts: list[str]) -> Iterator[str]:
    """Reads alternatives up to the bracket that closes them, or to the end; takes what it reads from `parts`."""
    read: list[list[Sequence[str]]] = [[]]
    while parts and (part := parts.pop(0)) != ")":
        if part == "|":
            read.append([])
        elif part == "(":
            read[-1].append(list(_alternatives(parts)))
        elif part.startswith("["):
            read[-1].append([OPEN] if part.endswith("}") else [""])
        elif part not in ("^", "$"):
            read[-1].append([re.sub(r"\\(.)", r"\1", part)])
    return ("".join(texts) for choices in read for texts in islice(product(*choices), MOST))
