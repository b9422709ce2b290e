"""What users add to the package: agents, models and worlds, registered in Python or named `module:name`.

`catalogue/registry.py` and `models/providers.py` look here beside their own tables and other packages' entry points.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from typing import Any

from hm_agent.config import ConfigError


@dataclass
class Additions:
    """Everything that was registered in this process, by name."""

    agents: dict[str, Any] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)
    worlds: dict[str, Any] = field(default_factory=dict)
    folders: dict[str, Any] = field(default_factory=dict)
    """Folders of scenario files, by absolute path, in the order of their registration; all values are None."""

    prompts: dict[str, Any] = field(default_factory=dict)
    """Folders of prompts' templates, by absolute path, in the order of their registration; all values are None."""

    def take(self, others: Additions) -> None:
        """Adds all of `others`, which replace entries of the same name."""
        for name, added in vars(self).items():
            added |= getattr(others, name)


ADDED = Additions()


def check_name(name: str) -> None:
    """Raises ConfigError for a name that could not be given in a flag."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise ConfigError(
            f"{name!r} is no valid name: use letters, digits, _, . and -, and begin with a letter, a digit or _"
        )


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns `did you mean NAME? ` with the known name most similar to a misspelt one; empty if none is similar."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"did you mean {matches[0]}? " if matches else ""


def option_meant(name: str, known: Iterable[str], parameters: Iterable[str]) -> str:
    """Says what an option that no world has may be, and which options there are.

    known: the worlds' options. parameters: those of the function that was called, which may be misspelt, too.
    """
    options = list(known)
    near = nearest(name, [*options, *parameters]).strip()
    there = f"there are {', '.join(options)}" if options else "" if near else "there are none"
    return f"{near} {there}".strip()


def is_place(name: str) -> bool:
    """True if the name has the form `module:name` of an object in a module."""
    module, colon, attribute = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))


def load_place(place: str) -> Any:
    """Imports the object at `module:name`, also from a module in the working folder.

    Raises ConfigError with the reason if that fails, also for any error in the module itself.
    """
    module, _, attribute = place.partition(":")
    try:
        if find_spec(module.partition(".")[0]) is None:
            sys.path.append(str(Path.cwd()))  # in a console script, sys.path begins with the script's folder
        value = import_module(module)
        for name in attribute.split("."):
            value = getattr(value, name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything, or end as a script does
        is_missing = isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")
        problem = _missing_module(module) if is_missing else import_problem(error)
        raise ConfigError(f"{place} can't be loaded: {problem}") from error
    return value


def _missing_module(module: str) -> str:
    """Says where a module was looked for, and how to have it found."""
    root = module.partition(".")[0]
    if module.endswith(".py"):
        return f"a module is named without .py: {module.removesuffix('.py')}"
    return (
        f"No module named {module!r} in {Path.cwd()}, in PYTHONPATH or among the installed packages: run the command "
        f"in the folder that holds {root}.py or {root}/, or name that folder in PYTHONPATH"
    )


def import_problem(error: BaseException) -> str:
    """Says in words why an import failed, with the file and line of the imported code that raised the error, if any."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error}"  # it names the file and the line
    own = (__file__, import_module.__code__.co_filename)
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename not in own and frame.line]
    return f"{frames[-1].filename}, line {frames[-1].lineno}: {type(error).__name__}: {error}" if frames else str(error)


def check_call(name: str, build: Callable[..., Any], wanted: str) -> None:
    """Raises ConfigError for a function that can't be called with one argument, as far as its signature is known.

    wanted: how it is called, e.g. `build(setup)`.
    """
    try:
        signature(build).bind(None)
    except ValueError:  # some built-in functions don't tell their signature
        return
    except TypeError as error:
        raise ConfigError(f"{name} can't be called as {wanted}: {error}") from error


def packed(more: object) -> bytes | None:
    """Pickles what was registered in this process together with `more`, for other processes; None if both are empty.

    Functions and classes of scripts and notebooks are pickled by value, those of modules by reference. Raises
    ConfigError if something can't be pickled, e.g. an open file.
    """
    if not (any(vars(ADDED).values()) or more):
        return None
    import cloudpickle

    try:
        payload: bytes = cloudpickle.dumps((ADDED, more))
    except Exception as error:  # a user's objects may raise anything
        raise ConfigError(f"what was registered can't be sent to workers; use one worker: {error}") from error
    return payload


def unpack(payload: bytes) -> Any:
    """Registers in this process what `packed` has pickled; returns its `more`."""
    import pickle

    added, more = pickle.loads(payload)
    ADDED.take(added)
    return more
