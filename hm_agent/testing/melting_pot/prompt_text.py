"""Finding one's way in the text of a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Replies = Mapping[tuple[str, ...], Callable[[str], dict[str, Any]]]
"""How to answer a prompt, by fields that the form of the answer has in it."""
Cell = tuple[int, int]

CELL = r"\((\d+), (\d+)\)"


def cells_in(text: str) -> list[Cell]:
    return [cell_of(x, y) for x, y in re.findall(CELL, text)]


def cell_of(x: str, y: str) -> Cell:
    return int(x), int(y)


def line(title: str, prompt: str) -> str:
    """What a line says after its title; nothing where there is no such line."""
    return search(rf"^{title}: (.+)$", prompt)


def search(pattern: str, text: str) -> str:
    """The first group of the first match; nothing where there is none."""
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def find(pattern: str, text: str) -> str:
    """The first group of the first match, which must be there."""
    if found := search(pattern, text):
        return found
    raise ValueError(f"the prompt doesn't say {pattern!r}")
