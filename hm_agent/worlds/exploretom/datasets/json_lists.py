"""Reads the values of a JSON file: lines of objects, a list of them, or an object with such lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError

_ASKS = ("question", "input")
"""An object with one of these is a question itself, and its lists are of choices or messages."""
_DECODER = json.JSONDecoder()


def values_in(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Yields (line from 1, value) of every value; raises ConfigError for text that is not JSON."""
    starts = starts_of_lists(text)
    yield from values_of_lists(path, text, starts) if starts else _values_from(path, text, 0, "")


def values_of_lists(path: Path, text: str, starts: Iterable[int]) -> Iterator[tuple[int, object]]:
    """Yields the same of the lists that begin at `starts_of_lists`."""
    for start in starts:
        yield from _values_from(path, text, start, ",")


def _values_from(path: Path, text: str, index: int, separators: str) -> Iterator[tuple[int, object]]:
    """The values from an index on, to the end of the text or of a list, which has separators."""
    line, counted = 1, 0
    while (index := _after(separators, text, index)) < len(text):
        line, counted = line + text.count("\n", counted, index), index
        if separators and text[index] == "]":
            return
        try:
            value, index = _DECODER.raw_decode(text, index)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: line {getattr(error, 'lineno', line)}: not valid JSON") from error
        yield line, value


def starts_of_lists(text: str) -> list[int]:
    """Where the list of objects begins that is the file, or those that the object has that is the file; else empty.

    Of an object's lists, e.g. `train` and `test`, those whose first object is a question count, if there are any.
    """
    try:
        value, _ = _DECODER.raw_decode(text, begin := _after("", text, 0))
    except (ValueError, RecursionError):
        return []
    if isinstance(value, list):
        return [begin + 1]
    if not isinstance(value, dict) or value.keys() & set(_ASKS):
        return []
    lists = [(start + 1, rows) for start, rows in _members(text, begin + 1) if _has_only_objects(rows)]
    asking = [start for start, rows in lists if rows[0].keys() & set(_ASKS)]
    return asking or [start for start, _ in lists]


def _members(text: str, index: int) -> Iterator[tuple[int, Any]]:
    """Yields (where it begins, value) of all members of an object; index: the first one's key's."""
    while text[index := _after(",", text, index)] != "}":
        _, index = _DECODER.raw_decode(text, index)
        start = _after(":", text, index)
        value, index = _DECODER.raw_decode(text, start)
        yield start, value


def _has_only_objects(rows: object) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, dict) for row in rows)


def _after(separators: str, text: str, index: int) -> int:
    """Where what comes after space and separators begins."""
    while index < len(text) and (text[index].isspace() or text[index] in separators):
        index += 1
    return index
