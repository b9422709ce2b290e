"""The error for wrong settings, the reading of TOML files, and the folders of data files that ship with the package."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

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


def read_toml(path: Path, adapter: TypeAdapter[ContentT], *, tags: int = 0) -> ContentT:
    """Reads a TOML file by a schema.

    Raises ConfigError, in one line, for a file that can't be read or is no TOML, and for a key that is missing, unknown
    or of the wrong type, naming file and key. tags: how many discriminated unions enclose the keys, whose tags pydantic
    puts before them.
    """
    try:
        return adapter.validate_python(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = " ".join(".".join(map(str, first["loc"][tags:])).split()) or "the file"
        raise ConfigError(f"{path}: {key}: {first['msg']}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # besides TOML's own: no UTF-8, too long a number, nested too deep
        raise ConfigError(f"{path}: not valid TOML: {' '.join(str(error).split())}") from error
