"""Renders questions as prompts, by the Jinja2 templates in prompts/, which contain every word that a model reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

from hm_agent.config import data_folder
from hm_agent.questions import Question, shown_fields

_FILTERS: dict[str, Callable[..., Any]] = {}


def register_filter(name: str, function: Callable[..., Any]) -> None:
    """Adds a Jinja2 filter that the templates of a world need."""
    _FILTERS[name] = function
    environment.cache_clear()


def render(question: Question[Any]) -> str:
    """The prompt of a question; its template sees the question's shown fields and nothing else."""
    assert is_dataclass(question), f"{type(question).__name__} has no fields to show"
    return environment().get_template(question.template).render(shown_fields(question))


def render_retry(error: str) -> str:
    """The message that is sent back after a bad answer."""
    return environment().get_template("retry.j2").render(error=error)


def _from_package(name: str) -> str | None:
    """The template `package:path`, for worlds in packages of their own; None for other names."""
    package, colon, path = name.partition(":")
    return files(package).joinpath(path).read_text("utf-8") if colon else None


@cache
def environment() -> Environment:
    """The environment of all templates; a name that is no field of the question is an error."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(data_folder("prompts")), FunctionLoader(_from_package)]),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are not HTML
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(_FILTERS)
    return made
