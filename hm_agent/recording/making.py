"""How a result came to be: when, by which command, by which version of the package and of the user's own code."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from inspect import getsourcefile, unwrap
from pathlib import Path

import hm_agent
from hm_agent.extensions import ADDED, is_place
from hm_agent.models.settings import PLACE
from hm_agent.models.sources import short_hash

_SECRETS = re.compile(r"(?<=://)[^/@\s]*@|(?<=\?)[^\s'\"?]+=[^\s'\"]*")
"""What a command line may hold of keys: names and passwords in URLs, and what follows their question marks."""
ENDED = "ended"
"""The entry of `Result.made` that tells when the episode ended."""
_CHECKOUT = Path(hm_agent.__file__).parents[1]


def making() -> Mapping[str, str]:
    """When and by what an experiment is played.

    date: UTC, in seconds; `ENDED` is added to each result. command: the command line, without passwords and queries of
    URLs. Of a checkout of the package also commit, marked if files were changed, and lock, the hash of the file with
    all libraries' versions.
    """
    command = shlex.join(["hm-agent", *sys.argv[1:]]) if Path(sys.argv[0]).name in _COMMANDS else "python"
    return {
        "date": now("seconds"),
        "command": _SECRETS.sub("", command),
        **_checkout(),
    }


def now(precision: str = "milliseconds") -> str:
    """The time in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec=precision)


_COMMANDS = ("hm-agent", "run_scenario.py", "__main__.py")


@cache
def _checkout() -> Mapping[str, str]:
    if not (_CHECKOUT / ".git").exists():
        return {}
    describe = ["git", "-C", str(_CHECKOUT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        told = subprocess.run(describe, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    lock = _CHECKOUT / "requirements.lock"
    return {"commit": told.stdout.strip()} | ({"lock": _file_hash(lock)} if lock.is_file() else {})


def code_hash(names: Iterable[str]) -> str | None:
    """The hash of the files in which the user's own agents and models of these names are written; None without any."""
    files = sorted({str(file) for name in names if (file := _file_of(name))})
    if not files:
        return None
    return short_hash("".join(_file_hash(Path(file)) for file in files).encode())


def _file_of(name: str) -> Path | None:
    place = name.removeprefix(PLACE)
    if is_place(place):
        spec = find_spec(place.partition(":")[0])
        file = spec.origin if spec else None
    elif (added := ADDED.agents.get(name) or ADDED.models.get(name)) is not None:
        file = _source_file(getattr(added, "build", added))
    else:
        return None
    path = Path(file) if file else None
    return path if path and path.is_file() else None


def _source_file(build: object) -> str | None:
    try:
        return getsourcefile(unwrap(build))  # type: ignore[arg-type] # what else it may be raises TypeError
    except TypeError:
        return None


def _file_hash(path: Path) -> str:
    return short_hash(path.read_bytes())
