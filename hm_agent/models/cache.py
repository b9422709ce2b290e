"""A record of every answer under the whole request and the episode's seed: SQLite, to replay without a network."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from hm_agent.config import ConfigError
from hm_agent.models.budget import Budget
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable

_APPLICATION = 0x484D4147
"""What SQLite keeps in the head of a file to tell whose it is: `HMAG`."""
_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""
_PATIENCE = 30.0
"""For how many seconds another process's writing is waited for."""
_READER = TypeAdapter(Reply)
_PAUSE = 0.05
"""In seconds, between two looks at whether somebody else's question is answered."""


class Answers(Protocol):
    """What was answered before, wherever that is kept."""

    def find(self, request: Request) -> Reply | None: ...

    def keep(self, request: Request, reply: Reply) -> None: ...

    def close(self) -> None: ...


class Record:
    """The file. Raises ConfigError where it can't be opened or is something else, OSError where it fails later."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"--cache={path}: {error}; name a file of earlier runs, or a new one") from error
        try:
            self._claim()
        except sqlite3.Error as error:
            self._file.close()
            raise ConfigError(f"--cache={path}: {error}; name a file of earlier runs, or a new one") from error

    def _claim(self) -> None:
        # In this order: another process that makes the file right now signs it before it has tables.
        (tables,) = self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (owner,) = self._file.execute("PRAGMA application_id").fetchone()
        if tables and owner != _APPLICATION:
            raise sqlite3.DatabaseError("this is another program's database")
        with suppress(sqlite3.OperationalError):  # another process is at it; SQLite does not wait for this one
            self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._file.execute(_TABLE)

    def find(self, request: Request) -> Reply | None:
        rows = self._execute("SELECT reply FROM answers WHERE key = ?", _key(request))
        try:
            # Pydantic's own parser refuses halves of surrogate pairs.
            return replace(_READER.validate_python(json.loads(rows[0][0])), cached=True) if rows else None
        except (ValueError, RecursionError):
            return None  # written by another version: to be asked again

    def keep(self, request: Request, reply: Reply) -> None:
        """The first reply that can be read stays: another process may have been quicker."""
        if self.find(request) is None:
            row = _key(request), _text(request), json.dumps(asdict(reply))
            self._execute("INSERT OR REPLACE INTO answers (key, request, reply) VALUES (?, ?, ?)", *row)

    def _execute(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        try:
            return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}") from error

    def close(self) -> None:
        self._file.close()


class CachedChat:
    """A chat that is asked only what the record does not know, and by one asker at a time.

    offline: a question that is not known ends the episode instead.
    """

    def __init__(self, chat: Chat, record: Answers, ledger: Budget, *, offline: bool = False) -> None:
        self._chat, self._record, self._ledger, self._offline = chat, record, ledger, offline

    async def complete(self, request: Request) -> Reply:
        while (known := self._record.find(request)) is None:
            if self._offline:
                raise ModelUnavailable(
                    f"the cache has no answer to a {request.name}, and --offline allows no other source"
                )
            if self._ledger.claim(key := _key(request)):
                return await self._asked(request, key)
            await asyncio.sleep(_PAUSE)
        return known

    async def _asked(self, request: Request, key: str) -> Reply:
        try:
            # Whoever asked before may have been done between the look-up and the claim.
            if (known := self._record.find(request)) is not None:
                return known
            reply = await self._chat.complete(request)
            self._record.keep(request, reply)
            return reply
        finally:
            self._ledger.release(key)


def _text(request: Request) -> str:
    return json.dumps(asdict(request), sort_keys=True)


def _key(request: Request) -> str:
    return hashlib.sha256(_text(request).encode()).hexdigest()
