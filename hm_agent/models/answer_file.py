"""The answer cache as an SQLite file, to replay a run without a network."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter

from hm_agent.config import ConfigError
from hm_agent.models.cache import request_key, request_text
from hm_agent.models.chat import Reply, Request

_APPLICATION_ID = 0x484D4147
"""Marks a file as ours in the header that SQLite reserves for this: `HMAG`."""
_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""
_LOCK_TIMEOUT = 30.0
"""Seconds to wait while another process writes."""
_REPLY = TypeAdapter(Reply)


class AnswerFile:
    """An answer cache in a file, opened at the first use. Raises OSError if a query fails once the file is open."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self) -> None:
        """Opens the file, and creates it if it is missing.

        Raises ConfigError if that fails, or if the file is something else.
        """
        _ = self._connection

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT, isolation_level=None)
            try:
                _prepare(connection)
            except sqlite3.Error:
                connection.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"--cache={self._path}: {error}; name a file of earlier runs, or a new one") from error
        return connection

    def find(self, request: Request) -> Reply | None:
        rows = self._execute("SELECT reply FROM answers WHERE key = ?", request_key(request))
        try:
            # Not by Pydantic's own JSON parser, which refuses unpaired surrogates.
            return replace(_REPLY.validate_python(json.loads(rows[0][0])), cached=True) if rows else None
        except (ValueError, RecursionError):
            return None  # written by another version of this package: to be asked again

    def keep(self, request: Request, reply: Reply) -> None:
        # The first readable reply stays: another process may have kept one since this request was sent.
        if self.find(request) is None:
            row = request_key(request), request_text(request), json.dumps(asdict(reply))
            self._execute("INSERT OR REPLACE INTO answers (key, request, reply) VALUES (?, ?, ?)", *row)

    def _execute(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error

    def close(self) -> None:
        if "_connection" in vars(self):
            self._connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    """Marks a new file as ours and creates its table; raises sqlite3.DatabaseError for another program's file."""
    # Tables are counted before the mark is read: a process that creates the file right now marks it before it adds
    # tables.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and owner != _APPLICATION_ID:
        raise sqlite3.DatabaseError("this is another program's database")
    with suppress(sqlite3.OperationalError):  # another process sets it right now, and SQLite does not wait for that
        connection.execute("PRAGMA journal_mode = WAL")
    # Each answer outlives the process, but the last ones might not outlive a loss of power. Being sure of that, too,
    # takes 2 to 6 ms an answer, in which all other calls of this process wait.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(_TABLE)
