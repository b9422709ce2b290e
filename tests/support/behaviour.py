"""Compares the results and traces of two run folders, which different versions of the code may have written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from hm_agent.recording import result, trace
from tests.support.commands import TIMING

IGNORED = (*TIMING, "versions")
"""The fields of a result that may differ although the behaviour is the same."""
ADDED = ("right", "relied_on")
"""The keys of a trace's line that older traces lack."""
ADDED_TO_STATE = ("asked_because", "skipped")
"""The keys of a line's state that older traces lack."""
ABSENT = "(absent)"
LONGEST = 120
"""The most characters of a value that a difference shows."""


@dataclass
class FileComparison:
    """How the files of one name compare.

    compared: how many both folders have. differences: by file, the first difference in it.
    """

    compared: int = 0
    differences: dict[str, str] = field(default_factory=dict)

    @property
    def same(self) -> int:
        return self.compared - len(self.differences)


@dataclass(frozen=True)
class RunComparison:
    """How two run folders compare. only_before, only_after: the files that one of the folders lacks."""

    results: FileComparison
    traces: FileComparison
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def compare_runs(before: Path, after: Path) -> RunComparison:
    """Compares all results and traces that two run folders have in common; errors are `OSError`."""
    first, second = _files(before), _files(after)
    compared = {result.FILE: FileComparison(), trace.FILE: FileComparison()}
    for name in sorted(first & second):
        file = compared[Path(name).name]
        file.compared += 1
        difference = DIFFERENCES[Path(name).name](before / name, after / name)
        if difference:
            file.differences[name] = difference
    return RunComparison(
        results=compared[result.FILE],
        traces=compared[trace.FILE],
        only_before=tuple(sorted(first - second)),
        only_after=tuple(sorted(second - first)),
    )


def _files(folder: Path) -> set[str]:
    """The relative paths of the results and traces below a folder."""
    return {str(path.relative_to(folder)) for name in DIFFERENCES for path in folder.rglob(name)}


def result_difference(before: Path, after: Path) -> str | None:
    """The first difference between two results in words; None if there is none. An unreadable file is a difference."""
    first, second = _result(before), _result(after)
    if not (first and second):
        return "no result that this version knows, in one folder or in both"
    if not (first["measure"] and second["measure"]):  # older results lack it
        first, second = ({**fields, "measure": None} for fields in (first, second))
    return first_difference(first, second)


def _result(path: Path) -> Mapping[str, Any]:
    """The fields of a result that depend on behaviour alone; empty if the file is no result."""
    recorded = result.read_result(path)
    fields = asdict(recorded) if recorded else {}
    return {name: value for name, value in fields.items() if name not in IGNORED}


def trace_difference(before: Path, after: Path) -> str | None:
    """The first difference between two traces, with the number of its line, the header apart; None if there is none."""
    for number, (first, second) in enumerate(zip_longest(_comparable_lines(before), _comparable_lines(after)), 1):
        if first != second:
            return f"line {number}: {first_difference(first, second)}"
    return None


def _comparable_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a trace without the keys that older traces lack (`ADDED`, `ADDED_TO_STATE`)."""
    for line in trace.read_trace(path):
        for name in ADDED_TO_STATE:
            line.get("state", {}).pop(name, None)
        yield {name: value for name, value in line.items() if name not in ADDED}


def first_difference(before: Any, after: Any, place: str = "") -> str | None:
    """The place and the values of the first difference between two JSON values; None if there is none."""
    if before == after:
        return None
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        pairs = [(key, before.get(key, ABSENT), after.get(key, ABSENT)) for key in {**before, **after}]
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        both = zip_longest(before, after, fillvalue=ABSENT)
        pairs = [(str(number), first, second) for number, (first, second) in enumerate(both)]
    for key, first, second in pairs:
        if first != second:
            return first_difference(first, second, f"{place}.{key}" if place else key)
    return f"{place or 'all'}: {before!r:.{LONGEST}}, then {after!r:.{LONGEST}}"


DIFFERENCES: Mapping[str, Callable[[Path, Path], str | None]] = {
    result.FILE: result_difference,
    trace.FILE: trace_difference,
}
