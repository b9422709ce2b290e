"""Reads coordinates and titled lines out of a prompt's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Replies = Mapping[tuple[str, ...], Callable[[str], dict[str, Any]]]
"""From the field names of an answer form to the function that answers a prompt with that form."""
Cell = tuple[int, int]

CELL = r"\((\d+), (\d+)\)"


def cells_in(text: str) -> list[Cell]:
    return [cell_of(x, y) for x, y in re.findall(CELL, text)]


def cell_of(x: str, y: str) -> Cell:
    return int(x), int(y)


def line(title: str, prompt: str) -> str:
    """The text after `title: ` on the line that begins so; empty if there is no such line."""
    return search(rf"^{title}: (.+)$", prompt)


def search(pattern: str, text: str) -> str:
    """The first group of the first match; empty if nothing matches."""
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else ""


def find(pattern: str, text: str) -> str:
    """The first group of the first match; raises ValueError if nothing matches."""
    if group := search(pattern, text):
        return group
    raise ValueError(f"nothing in the prompt matches {pattern!r}")
