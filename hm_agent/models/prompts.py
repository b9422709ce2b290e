"""Renders questions as prompts, with the Jinja2 templates in prompts/, which contain every word that a model reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.util import find_spec
from os import PathLike
from pathlib import Path, PurePosixPath
from types import BuiltinMethodType, MethodType
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hm_agent.config import ConfigError, data_folder
from hm_agent.extensions import ADDED, nearest
from hm_agent.models.sources import note_templates, text_hash
from hm_agent.questions import Question, shown_fields
from hm_agent.storage.compiled_templates import keep_compiled
from hm_agent.storage.files import read_text

_FILTERS: dict[str, Callable[..., Any]] = {}


SUFFIX = ".j2"
"""How the names of templates end."""


PHRASES = ("messages.j2", "characters.j2")
"""The templates of phrases (`phrase`), one or none of each name in a folder: any prompt of the folder may show some."""


_METHODS = frozenset((MethodType, BuiltinMethodType))
_ABSENT = "".format
"""Stands for a missing attribute: a method, so that Jinja looks itself."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, which finds out only once for each class which attributes a template may read."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._safe: dict[type, set[str]] = {}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        safe = self._safe.setdefault(type(obj), set())
        if attr not in safe and super().is_safe_attribute(obj, attr, value):
            safe.add(attr)
        return attr in safe

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Reads what is known to be safe at once, unless it is a method: of these Jinja wraps `str.format`."""
        if attribute in self._safe.get(type(obj), ()):
            value = getattr(obj, attribute, _ABSENT)
            if type(value) not in _METHODS:
                return value
        return super().getattr(obj, attribute)


class _NotingEnvironment(_Sandbox):
    """Notes each template that is rendered, with those that it may show parts of (`sources.noted_sources`)."""

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:  # noqa: A002 - Jinja's
        template = super().get_template(name, parent, globals)
        note_templates(partial(_hashes, self, template))
        return template


def register_filter(name: str, function: Callable[..., Any]) -> None:
    """Registers a Jinja2 filter for the templates of a world."""
    _FILTERS[name] = function
    _forget_templates()


def register_prompts(folder: str | PathLike[str]) -> None:
    """Lets the templates in a folder replace the package's of the same names, in this process and its workers.

    Of several folders, the one that was registered last counts; a folder that is registered again is read again. Raises
    ConfigError if there is no such folder, or if it has a template of a name that the package lacks, or one that can't
    be read.
    """
    path = Path(folder).absolute()
    if not path.is_dir():
        raise ConfigError(f"--prompts_dir={folder}: no such folder")
    known = template_names(data_folder("prompts"))
    for name in template_names(path):
        if name not in known:
            raise ConfigError(f"--prompts_dir={folder}: there is no template {name}: {nearest(name, known)}rename it")
        try:
            environment().parse(read_text(path / name))
        except TemplateSyntaxError as error:
            raise ConfigError(f"{path / name}, line {error.lineno}: {error.message}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path / name} can't be read: {error}") from error
    ADDED.prompts.pop(str(path), None)
    ADDED.prompts[str(path)] = None
    _forget_templates()  # the folder may have been registered before, with other texts


@contextmanager
def prompts_from(folder: Path | None) -> Iterator[None]:
    """Renders prompts from the templates in a folder, if it is there, and all others from the package's own.

    Whoever wrote these templates, they can't do anything but render (Jinja's sandbox).
    """
    before = dict(ADDED.prompts)
    ADDED.prompts.clear()
    if folder and folder.is_dir():
        ADDED.prompts[str(folder.absolute())] = None
    try:
        yield
    finally:
        ADDED.prompts.clear()
        ADDED.prompts.update(before)


def template_names(folder: Path) -> list[str]:
    """The names of the templates in a folder, as `agent/plan.j2`, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob(f"*{SUFFIX}") if path.is_file())


def template_hash(name: str) -> str:
    """The hash of a template's text, as results record it; empty if there is no such template."""
    try:
        return text_hash(template_text(name))
    except TemplateNotFound:
        return ""


@cache
def _hashes(templates: Environment, template: Template) -> Mapping[str, str]:
    """The hashes of a template, of those that it imports by name, and of `PHRASES` in their folders and above these.

    Imports are read once and phrases are kept, so what is rendered anew differs from episode to episode.
    """
    hashes, due, known = dict[str, str](), [str(template.name)], set(template_names(data_folder("prompts")))
    while due:
        name = due.pop()
        text = _text(templates, name)
        hashes[name] = text_hash(text)
        shown = {f"{folder}/{phrases}" for folder in PurePosixPath(name).parents for phrases in PHRASES} & known
        due += [found for found in (*_imported(templates, text), *sorted(shown)) if found not in hashes]
    return hashes


@cache
def _imported(templates: Environment, text: str) -> Sequence[str]:
    """The names that a template's text imports; kept, since many templates import the same few, and parsing is slow."""
    return [name for name in find_referenced_templates(templates.parse(text)) if name]


def template_text(name: str) -> str:
    """The text of a template, as questions are rendered from it."""
    return _text(environment(), name)


def _text(templates: Environment, name: str) -> str:
    assert templates.loader is not None
    return templates.loader.get_source(templates, name)[0]


def render(question: Question[Any]) -> str:
    """Renders the prompt of a question; its template sees the question's shown fields and nothing else."""
    assert is_dataclass(question), f"{type(question).__name__} has no fields to show"
    return environment().get_template(question.template).render(shown_fields(question))


def render_own(template: str, values: Mapping[str, object]) -> str:
    """Renders a user's template `module:file`; in it, a name that is not among the values is an error."""
    return environment().get_template(template).render(values)


def render_retry(error: str) -> str:
    """Renders the message that is sent back after a bad answer."""
    return environment().get_template("retry.j2").render(error=error)


def phrase(template: str, macro: str, **details: object) -> str:
    """Renders one macro of a template, e.g. a reason or a refusal that a model is told, in one line.

    What is rendered from texts and whole numbers is kept, since some reasons are asked for in every step.
    """
    folders = tuple(ADDED.prompts)
    if all(isinstance(detail, str | int | None) for detail in details.values()):
        return _kept_phrase(folders, template, macro, **details)
    return _phrase(folders, template, macro, **details)


def _phrase(folders: tuple[str, ...], template: str, macro: str, **details: object) -> str:
    said: str = getattr(_environment(folders, notes=False).get_template(template).module, macro)(**details)
    return said.strip()


_kept_phrase = lru_cache(4096, typed=True)(_phrase)  # typed, since True and 1 are told apart in words


def _forget_templates() -> None:
    _environment.cache_clear()
    _kept_phrase.cache_clear()


def _from_package(name: str) -> str | None:
    """Reads the template `module:path` in the folder of a package or of a single module; None if there is none."""
    module, colon, path = name.partition(":")
    if not colon:
        return None
    spec = find_spec(module)
    is_file = spec is not None and spec.submodule_search_locations is None and spec.origin is not None
    # importlib.resources finds the files beside a module that is no package only from Python 3.12 on.
    found = Path(str(spec.origin)).with_name(path) if spec and is_file else files(module).joinpath(path)
    return found.read_text("utf-8-sig") if found.is_file() else None


def environment() -> Environment:
    """Returns the environment of all templates; in them, a name that is no field of the question is an error."""
    return _environment(tuple(ADDED.prompts))


@cache
def _environment(folders: tuple[str, ...], *, notes: bool = True) -> Environment:
    """folders: those whose templates come before the package's, the last one first. notes: False to note none."""
    own_first = FileSystemLoader([*reversed(folders), data_folder("prompts")], "utf-8-sig")
    kind = _NotingEnvironment if notes else _Sandbox
    templates = kind(
        loader=ChoiceLoader([own_first, FunctionLoader(_from_package)]),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # else each rendering looks whether its files have changed
    )
    templates.filters.update(_FILTERS)
    keep_compiled(templates)
    return templates
