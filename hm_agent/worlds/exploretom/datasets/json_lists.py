"""Reads the values of a JSON file: lines of objects, a list of them, or an object with such a list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from hm_agent.config import ConfigError

_ASKS = ("question", "input")
"""An object with one of these is a question itself, and its lists are of choices or messages."""
_DECODER = json.JSONDecoder()


def values_in(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Yields (line from 1, value) of every value; raises ConfigError for text that is not JSON."""
    start = start_of_list(text)
    index, separators = start or 0, "" if start is None else ","
    line, counted = 1, 0
    while (index := _after_separators(text, index, separators)) < len(text):
        line, counted = line + text.count("\n", counted, index), index
        if start is not None and text[index] == "]":
            return
        try:
            value, index = _DECODER.raw_decode(text, index)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}: line {getattr(error, 'lineno', line)}: not valid JSON") from error
        yield line, value


def start_of_list(text: str) -> int | None:
    """Where the list of objects begins that is the file, or a value of the object that is the file; None for lines."""
    try:
        value, _ = _DECODER.raw_decode(text, begin := _after_separators(text, 0, ""))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return begin + 1
    for key, rows in value.items() if isinstance(value, dict) and not value.keys() & set(_ASKS) else ():
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            found = re.search(rf'"{re.escape(key)}"\s*:\s*\[', text)
            return found.end() if found else None
    return None


def _after_separators(text: str, index: int, separators: str) -> int:
    """Where the next value begins."""
    while index < len(text) and (text[index].isspace() or text[index] in separators):
        index += 1
    return index
