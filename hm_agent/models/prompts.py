"""Turns questions into prompts: Jinja2 templates in prompts/, where every word a model reads is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_environment
from jinja2.filters import make_attrgetter

from hm_agent.config import data_folder
from hm_agent.questions import Question, shown_fields
from hm_agent.worlds.melting_pot.grid import Cell, distance


def render(question: Question[Any]) -> str:
    """The question as its template puts it; a template sees the question's fields and nothing else."""
    assert is_dataclass(question), f"{type(question).__name__} has no fields to show"
    return environment().get_template(question.template).render(shown_fields(question))


def render_retry(error: str) -> str:
    """What is said to a bad answer."""
    return environment().get_template("retry.j2").render(error=error)


@cache
def environment() -> Environment:
    """The one environment of all templates: a name that no field explains is an error."""
    made = Environment(
        loader=FileSystemLoader(data_folder("prompts")),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are no HTML
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["nearest"] = nearest
    return made


@pass_environment
def nearest(environment: Environment, items: Iterable[Any], start: Cell, attribute: str | int) -> list[Any]:
    """Items by the distance of their cells from a start. attribute: where an item has its cell, as in Jinja2's sort."""
    cell_of = make_attrgetter(environment, attribute)
    return sorted(items, key=lambda item: (distance(start, cell_of(item)), cell_of(item)))
