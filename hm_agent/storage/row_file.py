"""A file of JSON lines that a run appends to, and continues after it was killed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from hm_agent.config import ConfigError
from hm_agent.storage.files import read_regular, write_whole

Row: TypeAlias = dict[str, Any]
"""An object of JSON lines."""


class RowFile:
    """A file of rows, each with a unique text `id`. rows: its rows, by id. keys: further keys that each row must have.

    Raises ConfigError for a line that is no such row; drops an unfinished last line, which a killed process leaves.
    """

    def __init__(self, path: Path, keys: Sequence[str] = ()) -> None:
        self.path, self._keys = path, keys
        self.rows: dict[str, Row] = {row["id"]: row for row in self._read()}

    def _read(self) -> Iterator[Row]:
        if not self.path.exists():
            return
        whole, _, rest = read_regular(self.path).rpartition(b"\n")
        for number, line in enumerate(whole.splitlines() if whole else (), 1):
            yield self._parsed(number, line)
        if rest:
            os.truncate(self.path, len(whole) + bool(whole))

    def _parsed(self, number: int, line: bytes) -> Row:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{self.path}, line {number}: not valid JSON: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise ConfigError(f"{self.path}, line {number}: no object with a text `id`")
        if lacking := [key for key in self._keys if key not in row]:
            raise ConfigError(f"{self.path}, line {number}: the row lacks {', '.join(lacking)}")
        return row

    def add(self, row: Row) -> None:
        """Appends a row and flushes it to the disk. Raises OSError if that fails; the file is then unchanged."""
        line = _line(row)
        size = self.path.stat().st_size if self.path.exists() else 0
        with self.path.open("ab", buffering=0) as file:
            try:
                if file.write(line) < len(line):
                    raise OSError(28, os.strerror(28), str(self.path))
                os.fsync(file.fileno())
            except OSError:
                os.truncate(self.path, size)
                raise
        self.rows[row["id"]] = row

    def sort(self) -> None:
        """Sorts the file by id, so that the same rows always make the same file."""
        write_whole(self.path, b"".join(_line(self.rows[name]) for name in sorted(self.rows)))


def _line(row: Row) -> bytes:
    """Encodes a row as a line of the file; an unpaired surrogate, which UTF-8 can't encode, becomes `?`."""
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def check_identity(path: Path, identity: Mapping[str, object], file: RowFile) -> None:
    """Writes to `path` what the rows of a file have in common; once there are rows, compares it with what is there.

    Raises ConfigError if it differs.
    """
    expected = json.loads(json.dumps(identity))
    if not (path.exists() and file.rows):
        write_whole(path, json.dumps(expected, indent=2) + "\n")
        return
    try:
        recorded = json.loads(read_regular(path))
        names = [name for name in {**recorded, **expected} if recorded.get(name) != expected.get(name)]
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{path}: not the settings of a run: {error}; name another folder with --out") from error
    if names:
        differing = ", ".join(
            f"{name} {_abbreviated(recorded.get(name))}, not {_abbreviated(expected.get(name))}" for name in names[:3]
        )
        raise ConfigError(
            f"--out={path.parent}: {file.path.name} has {differing}; name another folder, or use the same settings"
        )


def _abbreviated(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
