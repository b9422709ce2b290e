"""The error for wrong settings, and the folders of data files that ship with the package."""

from __future__ import annotations

from pathlib import Path


class ConfigError(ValueError):
    """Something in a TOML file or on the command line is wrong; the message says what would be right."""


def data_folder(name: str) -> Path:
    """Returns the folder scenarios/ or prompts/: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    for folder in (package / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigError(f"no folder {name!r} in {package} or {package.parent}: the installation is incomplete")
