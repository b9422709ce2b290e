"""Renders questions as prompts, with the Jinja2 templates in prompts/, which contain every word that a model reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

from hm_agent.config import data_folder
from hm_agent.questions import Question, shown_fields

_FILTERS: dict[str, Callable[..., Any]] = {}


def register_filter(name: str, function: Callable[..., Any]) -> None:
    """Registers a Jinja2 filter for the templates of a world."""
    _FILTERS[name] = function
    environment.cache_clear()
    _kept_phrase.cache_clear()


def render(question: Question[Any]) -> str:
    """Renders the prompt of a question; its template sees the question's shown fields and nothing else."""
    assert is_dataclass(question), f"{type(question).__name__} has no fields to show"
    return environment().get_template(question.template).render(shown_fields(question))


def render_retry(error: str) -> str:
    """Renders the message that is sent back after a bad answer."""
    return environment().get_template("retry.j2").render(error=error)


def phrase(template: str, macro: str, **details: object) -> str:
    """Renders one macro of a template, e.g. a reason or a refusal that a model is told, in one line.

    What is rendered from texts and whole numbers is kept, since some reasons are asked for in every step.
    """
    if all(isinstance(detail, str | int | None) for detail in details.values()):
        return _kept_phrase(template, macro, **details)
    return _phrase(template, macro, **details)


def _phrase(template: str, macro: str, **details: object) -> str:
    said: str = getattr(environment().get_template(template).module, macro)(**details)
    return said.strip()


_kept_phrase = lru_cache(4096, typed=True)(_phrase)  # typed, since True and 1 are told apart in words


def _from_package(name: str) -> str | None:
    """Reads the template `package:path` of a world in another package; None for other names."""
    package, colon, path = name.partition(":")
    return files(package).joinpath(path).read_text("utf-8") if colon else None


@cache
def environment() -> Environment:
    """Returns the environment of all templates; in them, a name that is no field of the question is an error."""
    templates = Environment(
        loader=ChoiceLoader([FileSystemLoader(data_folder("prompts")), FunctionLoader(_from_package)]),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are not HTML
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(_FILTERS)
    return templates
