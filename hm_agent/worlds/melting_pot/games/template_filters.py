"""Jinja2 filters that the templates of Melting Pot's questions use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from hm_agent.worlds.melting_pot.grid import Cell, distance


@pass_environment
def nearest(environment: Environment, items: Iterable[Any], start: Cell, attribute: str | int) -> list[Any]:
    """The items by their distance from a start, then by cell. attribute: of an item's cell, as in Jinja2's `sort`."""
    cell_of = make_attrgetter(environment, attribute)
    return sorted(items, key=lambda item: (distance(start, cell_of(item)), cell_of(item)))
