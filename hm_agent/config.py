"""The error for wrong settings, the reading of TOML files, and the folders of data files that ship with the package."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from hm_agent.storage.files import read_text

ContentT = TypeVar("ContentT")


class ConfigError(ValueError):
    """Something in a TOML file or on the command line is wrong; the message says what would be right."""


def data_folder(name: str) -> Path:
    """Returns the folder scenarios/ or prompts/: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    for folder in (package / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigError(f"no folder {name!r} in {package} or {package.parent}: the installation is incomplete")


@cache
def content_hash(path: Path) -> str:
    """A hash of what a file held when this was first called."""
    return f"sha256:{sha256(path.read_bytes()).hexdigest()[:12]}"


def check_folder(flag: str, path: Path) -> None:
    """Raises ConfigError if a flag's path can't be a folder to write to, since it or one above it is no folder."""
    for parent in (path, *path.parents):
        if parent.exists() and not parent.is_dir():
            raise ConfigError(f"--{flag}={path}: {parent} is a file; name a folder")
        if parent.is_symlink() and not parent.exists():
            raise ConfigError(f"--{flag}={path}: {parent} is a link to {parent.readlink()}, which is not there")


def check_run(path: Path) -> None:
    """Raises ConfigError if nothing lies where a run, a card or an archive is said to be."""
    if not path.exists():
        raise ConfigError(f"{path} is not there: name the folder of a run, a card.json or an archive")


def given_path(name: str, given: object, what: str) -> Path:
    """The path that is given in Python as `name`; raises ConfigError for what is none. what: e.g. `a folder`."""
    if not isinstance(given, str | PathLike):
        raise ConfigError(f"{name}={given!r}: must be the path of {what}")
    return Path(given)


def existing_file(flag: str, given: object) -> Path | None:
    """The path that a flag gives, None if it gives none; raises ConfigError if there is no such file."""
    if given is None:
        return None
    path = Path(str(given))
    if not path.is_file():
        raise ConfigError(f"--{flag}={path}: there is no such file")
    return path


def first_problem(error: ValidationError) -> str:
    """Says in one line what is wrong first in data that does not fit a schema, with its key."""
    first = error.errors(include_url=False, include_input=False)[0]
    key = " ".join(".".join(map(str, first["loc"])).split()) or "the file"
    return f"{key}: {first['msg']}"


def read_toml(
    path: Path, adapter: TypeAdapter[ContentT], describe: Callable[[ValidationError], str] = first_problem
) -> ContentT:
    """Reads a TOML file by a schema.

    Raises ConfigError, in one line that names the file, if it can't be read, is no TOML or does not fit the schema.
    describe: says in words what does not fit.
    """
    try:
        return adapter.validate_python(tomllib.loads(read_text(path)))
    except ValidationError as error:
        raise ConfigError(f"{path}: {describe(error)}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # besides TOML's own: no UTF-8, too long a number, nested too deep
        raise ConfigError(f"{path}: not valid TOML: {' '.join(str(error).split())}") from error
