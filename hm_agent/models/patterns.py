"""Reads regular expressions as they stand in the schemas of answers: plain text, groups, alternatives, and classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

_PATTERN_PART = re.compile(
    r"(?P<anchor>[\^$])|(?P<group>[()|])|(?P<several>\[(?:[^\]\\]|\\.)*\](?:\{\d+,\d+\})?)|(?P<plain>(?:\\[^\w]|[^\\()|\[\]{}$^*+?.])+)"
)
Choices: TypeAlias = "Sequence[Sequence[tuple[str, str] | Choices]]"
"""The alternatives of a pattern or a group: each a sequence of groups, and of parts as (kind, text)."""


def pattern_parts(pattern: str) -> Iterator[tuple[str, str]]:
    """The parts of a regular expression as such expressions stand in schemas, each after its kind.

    These are "anchor", "group" for (, ) and |, "several" for a class of characters with its repetition, and "plain" for
    text, without backslashes. Raises ValueError for an expression with anything else.
    """
    end = 0
    while end < len(pattern):
        part = _PATTERN_PART.match(pattern, end)
        if part is None or part.lastgroup is None:
            raise ValueError(f"no grammar for the pattern {pattern[:80]!r}")
        end = part.end()
        yield part.lastgroup, re.sub(r"\\(.)", r"\1", part[0]) if part.lastgroup == "plain" else part[0]


@lru_cache(100)
def choices_of(pattern: str) -> Choices:
    """The alternatives of a pattern, whose parts are those of `pattern_parts`; raises ValueError where that does."""
    return _read(pattern_parts(pattern))


def _read(parts: Iterator[tuple[str, str]]) -> Choices:
    """The alternatives up to the end of a group, or of the pattern."""
    choices: list[list[tuple[str, str] | Choices]] = [[]]
    for kind, text in parts:
        match kind, text:
            case "group", "(":
                choices[-1].append(_read(parts))
            case "group", "|":
                choices.append([])
            case "group", ")":
                break
            case _:
                choices[-1].append((kind, text))
    return choices
