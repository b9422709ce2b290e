"""How a result came to be: when, by which command, by which version of the package and of the user's own code."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from inspect import getsourcefile, unwrap
from pathlib import Path

import hm_agent
from hm_agent.extensions import ADDED, is_place
from hm_agent.models.settings import BUILTIN, PLACE
from hm_agent.models.sources import short_hash
from hm_agent.recording.result import ENDPOINT, Result

_SECRETS = re.compile(r"(?<=://)[^/@\s]*@|(?<=\?)[^\s'\"?]+=[^\s'\"]*")
"""What a command line may hold of keys: names and passwords in URLs, and what follows their question marks."""
MOST_NAMED = 4
ENDED = "ended"
"""The entry of `Result.made` that tells when the episode ended."""
PROMPTS_DIR = "prompts_dir"
"""The entry that tells the names of the folders with the user's own templates, without the path."""
_CHECKOUT = Path(hm_agent.__file__).parents[1]


def making() -> Mapping[str, str]:
    """When and by what an experiment is played.

    date: UTC, in seconds; `ENDED` is added to each result. command: the command line, without passwords, queries of
    URLs and values of headers. With templates of the user's own also `PROMPTS_DIR`. Of a checkout of the package also
    commit, marked if files were changed, and lock, the hash of the file with all libraries' versions.
    """
    words = ["hm-agent", *_without_values(sys.argv[1:])]
    command = shlex.join(words) if Path(sys.argv[0]).name in _COMMANDS else "python"
    return {
        "date": now("seconds"),
        "command": _SECRETS.sub("", command),
        **({PROMPTS_DIR: "+".join(Path(folder).name for folder in ADDED.prompts)} if ADDED.prompts else {}),
        **_checkout(),
    }


def now(precision: str = "milliseconds") -> str:
    """The time in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec=precision)


def _without_values(words: Sequence[str]) -> Iterator[str]:
    """A command's words, with the values of `--header`, which may hold keys, replaced by dots."""
    is_value = False
    for word in words:
        flag, equals, _ = word.partition("=")
        is_header = flag.lstrip("-") == "header" and flag.startswith("-")
        yield "..." if is_value else f"{flag}=..." if is_header and equals else word
        is_value = is_header and not equals


_COMMANDS = ("hm-agent", "run_scenario.py", "__main__.py")


@cache
def _checkout() -> Mapping[str, str]:
    if not (_CHECKOUT / ".git").exists():
        return {}
    # Without optional locks, a run that is killed leaves none, and the user's own git commands never wait for it.
    status = ["git", "--no-optional-locks", "-C", str(_CHECKOUT), "status", "--porcelain=2", "--branch", "-uno"]
    try:
        told = subprocess.run(status, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return {}
    commit, is_changed = told[0].removeprefix("# branch.oid "), not told[-1].startswith("# ")
    lock = _CHECKOUT / "requirements.lock"
    locked = {"lock": file_hash(lock)} if lock.is_file() else {}
    return {"commit": f"{commit}-dirty" if is_changed else commit, **locked}


def made_in_words(results: Iterable[Result]) -> str:
    """One sentence on when and by which version results were played, and on what answered where.

    `Played on 2026-11-27 by hm_agent 0.2.0 (commit a9c1d209); gpt-4o at http://host:8000/v1, served as gpt-4o-mini.`
    What older results do not record is left out; of several values of a kind, `MOST_NAMED` are named.
    """
    played = list(results)
    days = sorted({result.made["date"][:10] for result in played if "date" in result.made})
    when = f" on {days[0]}" if len(days) == 1 else f" from {days[0]} to {days[-1]}" if days else ""
    by = _few(" and ", (_package(result) for result in played))
    how = f"Played{when}{f' by {by}' if by else ''}" if when or by else ""
    sentence = _few("; ", [how, *map(_answered_by, played)])
    return f"{sentence}." if sentence else ""


def _package(result: Result) -> str:
    """The package's version and, if it is known, its commit; empty for results without a version."""
    number, (commit, _, changed) = result.versions.get("hm_agent"), result.made.get("commit", "").partition("-")
    source = f" (commit {commit[:8]}{', changed' if changed else ''})" if commit else ""
    return f"hm_agent {number}{source}" if number else ""


def _answered_by(result: Result) -> str:
    """A language model, its endpoint, if one was given, and the names under which it was served, if these differ."""
    if result.model == BUILTIN:
        return ""
    endpoint, served = result.settings.get(ENDPOINT), "+".join(sorted(result.served))
    where = f" at {endpoint}" if endpoint else ""
    return f"{result.model}{where}{f', served as {served}' if served not in ('', result.model) else ''}"


def _few(joint: str, words: Iterable[str]) -> str:
    """Each text once, the first `MOST_NAMED` of them, and how many more there are; joined."""
    distinct = list(filter(None, dict.fromkeys(words)))
    more = [f"{len(distinct) - MOST_NAMED} more"] if len(distinct) > MOST_NAMED else []
    return joint.join([*distinct[:MOST_NAMED], *more])


def code_hash(names: Iterable[str]) -> str | None:
    """The hash of the files in which the user's own agents and models of these names are written; None without any."""
    files = sorted({str(file) for name in names if (file := _file_of(name))})
    if not files:
        return None
    return short_hash("".join(file_hash(Path(file)) for file in files).encode())


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


def file_hash(path: Path) -> str:
    """A hash of what a file holds; kept while it stays the same, since every episode of a large set of stories asks."""
    found = path.stat()
    return _hash_at(path.resolve(), found.st_mtime_ns, found.st_size)


@cache
def _hash_at(path: Path, changed: int, size: int) -> str:
    return short_hash(path.read_bytes())
