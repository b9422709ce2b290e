"""What users add to the package: agents, models and worlds, registered in Python or named `module:name`.

`registry.py` and `models/providers.py` look here beside their own tables and the entry points of other packages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError


@dataclass
class Additions:
    """Everything that was registered in this process, by name."""

    agents: dict[str, Any] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)
    worlds: dict[str, Any] = field(default_factory=dict)
    folders: dict[str, Any] = field(default_factory=dict)
    """Of scenario files, by absolute path; the values say nothing."""

    def take(self, others: Additions) -> None:
        """Adds all of the others', which win."""
        self.agents |= others.agents
        self.models |= others.models
        self.worlds |= others.worlds
        self.folders |= others.folders


ADDED = Additions()


def check_name(name: str) -> None:
    """Raises ConfigError for a name that no flag could hold."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise ConfigError(f"{name!r} is no name: it has letters, digits, _, . and -, and begins with no sign")


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one is nearest to, as a question; empty if none is near."""
    found = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f"did you mean {found[0]}? " if found else ""


def is_place(name: str) -> bool:
    """True for `module:name`, where an object is in a module."""
    module, colon, attribute = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))


def load_place(place: str) -> Any:
    """The object at `module:name`; modules of the working folder are found, too.

    Raises ConfigError, saying why, if there is none.
    """
    module, _, attribute = place.partition(":")
    if find_spec(module.partition(".")[0]) is None:
        sys.path.append(str(Path.cwd()))  # where Python runs a console script, that script's folder stands there
    try:
        found = import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{place} can't be loaded: {error}") from error
    return found


def packed(more: object) -> bytes | None:
    """What was registered and something more, for other processes; None if both are empty.

    Functions and classes of scripts and notebooks are packed whole, those of modules by name. Raises ConfigError for
    what can't be packed, e.g. an open file.
    """
    if not (ADDED.agents or ADDED.models or ADDED.worlds or ADDED.folders or more):
        return None
    import cloudpickle

    try:
        said: bytes = cloudpickle.dumps((ADDED, more))
    except Exception as error:  # whatever objects of users raise
        raise ConfigError(f"what was registered can't be sent to workers; use one worker: {error}") from error
    return said


def unpack(said: bytes) -> Any:
    """Registers here what `packed` has packed; returns the something more."""
    import pickle

    added, more = pickle.loads(said)
    ADDED.take(added)
    return more
