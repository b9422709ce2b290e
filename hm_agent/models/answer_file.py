"""The answer cache in an SQLite file, to replay a run without a network; several runs may use it at the same time."""

from __future__ import annotations

import json
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar
from urllib.parse import quote
from uuid import uuid4

from pydantic import TypeAdapter

from hm_agent.config import ConfigError
from hm_agent.models.cache import GaveUpWaiting, request_key, request_text
from hm_agent.models.chat import Reply, Request
from hm_agent.models.silence import SilenceWatch
from hm_agent.storage.files import DiskError

_APPLICATION_ID = 0x484D4147
"""Marks the file as an answer cache, in the field that SQLite's header has for it: `HMAG`."""
_TABLES = (
    """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
""",
    "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, beat REAL NOT NULL) WITHOUT ROWID",
)
_CLAIM = """
INSERT INTO claims (key, owner, beat) VALUES (?, ?, ?) ON CONFLICT (key)
DO UPDATE SET owner = excluded.owner, beat = excluded.beat WHERE claims.beat NOT BETWEEN ? AND ? RETURNING key
"""
_QUIET_SECONDS = 2.0
"""Seconds after which the user is told that the file system does not respond."""
_LOCKED_SECONDS = 1.0
"""Seconds after which the user is told that another process is writing, before it passes for a silent file system."""
_LOCK_TIMEOUT = 60.0
"""Seconds to wait while another process writes, for all queries of that time together."""
_HURRIED_TIMEOUT = 2.0
"""Seconds to wait for other processes, in all, once the user wants the run to end."""
_MOMENT_MILLISECONDS = 20
"""Milliseconds that a query waits for other processes once these seconds are over."""
_BEAT_SECONDS = 1.0
"""Seconds between two renewals of a run's claims."""
_CLAIM_SECONDS = 6.0
"""Seconds without renewal after which any run may take over a claim: its owner has died."""
_REPLY = TypeAdapter(Reply)

T = TypeVar("T")


def _to_stderr(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


class AnswerFile:
    """An answer cache in a file, opened at the first use. Raises DiskError if a query fails once the file is open.

    The file also holds claims on requests, which are renewed as long as this process lives, so that of several runs
    only one sends a request. tell: receives a line for the user when this process has to wait for the file.

    After `hurry`, a query that other processes hold up raises GaveUpWaiting. is_read_only: a file that is
    there is left as it is, so that it may lie where nothing can be written.
    """

    def __init__(self, path: Path, tell: Callable[[str], None] = _to_stderr, *, is_read_only: bool = False) -> None:
        self._path, self._tell, self._is_read_only = path, tell, is_read_only
        self._owner = uuid4().hex
        self._claimed: set[str] = set()
        self._renewal: Thread | None = None
        self._is_closing = Event()
        self._hurry_deadline = float("inf")
        self._waits_since: float | None = None
        """When a query first found another process writing; None again once this one has written."""
        self._silence = SilenceWatch(
            _QUIET_SECONDS, lambda: tell(f"--cache={path}: its disk or network does not answer")
        )

    def open(self) -> None:
        """Opens the file, and creates it if it is missing.

        Raises ConfigError if that fails, or if the file is something else.
        """
        _ = self._connection

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        with self._silence.call():
            return self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and not stat.S_ISREG(self._path.stat().st_mode):
                raise OSError("it is no file")
            if self._is_read_only and self._path.exists():
                return _open_to_read(self._path)
            connection = self._connect()
            try:
                self._retry_while_locked(connection, lambda: _prepare(connection))
            except sqlite3.Error:
                connection.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"--cache={self._path}: {self._problem(error)}") from error
        return connection

    def _problem(self, error: Exception) -> str:
        """Why the file can't be opened, in words, and what would be right."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            return f"{error}; name a file of earlier runs, or a new one"
        reading = ", or only read this one, with --offline" if self._path.exists() else ""
        return f"it can't be written, or no file beside it in {self._path.parent}; name one where that can be{reading}"

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_LOCKED_SECONDS, isolation_level=None, check_same_thread=False)

    def hurry(self) -> None:
        """Limits all further waiting for other processes to `_HURRIED_TIMEOUT`: the user wants the run to end."""
        self._hurry_deadline = min(self._hurry_deadline, time.monotonic() + _HURRIED_TIMEOUT)

    def _retry_while_locked(self, connection: sqlite3.Connection, query: Callable[[], T]) -> T:
        """Repeats a query while another process writes, and tells the user so once.

        Raises sqlite3.Error; after `hurry`, GaveUpWaiting once the time to wait is over.
        """
        while True:
            try:
                with self._silence.call():
                    return query()
            except UnicodeDecodeError as error:  # Python can't decode SQLite's message about a damaged file
                raise sqlite3.DatabaseError("it is damaged") from error
            except sqlite3.OperationalError as error:
                now = time.monotonic()
                code = getattr(error, "sqlite_errorcode", 0)  # errors of Python itself, e.g. in decoding, have none
                if code & 0xFF != sqlite3.SQLITE_BUSY or now > (self._waits_since or now) + _LOCK_TIMEOUT:
                    raise
                if now > self._hurry_deadline:
                    connection.execute(f"PRAGMA busy_timeout = {_MOMENT_MILLISECONDS}")
                    raise GaveUpWaiting(f"{self._path}: {error}") from error
            if self._waits_since is None:
                self._tell(f"--cache={self._path}: waiting while another process writes to it")
                self._waits_since = now

    def find(self, request: Request) -> Reply | None:
        rows = self._execute("SELECT reply FROM answers WHERE key = ?", request_key(request))
        try:
            # Not by Pydantic's own JSON parser, which refuses unpaired surrogates.
            return replace(_REPLY.validate_python(json.loads(rows[0][0])), cached=True) if rows else None
        except (ValueError, RecursionError):
            return None  # written by another version of this package: the request is sent again

    def find_or_claim(self, request: Request) -> Reply | bool:
        if (known := self.find(request)) is not None:
            return known
        key, now = request_key(request), time.time()
        # A beat in the future dates from before the clock was set back.
        fresh = now - _CLAIM_SECONDS, now + _CLAIM_SECONDS
        if not self._execute(_CLAIM, key, self._owner, now, *fresh):
            return False
        self._claimed.add(key)
        self._start_renewal()
        # Another process may have kept its reply between the look-up and the claim.
        if (known := self.find(request)) is not None:
            self.release(request)
            return known
        return True

    def keep(self, request: Request, reply: Reply) -> Reply:
        stored = self.find(request)
        if stored is None:
            row = request_key(request), request_text(request), json.dumps(asdict(reply))
            self._execute("INSERT OR REPLACE INTO answers (key, request, reply) VALUES (?, ?, ?)", *row)
        self.release(request)
        # The new reply was paid for, whichever is stored.
        return reply if stored is None else replace(stored, cached=reply.cached)

    def release(self, request: Request) -> None:
        key = request_key(request)
        if key in self._claimed:
            self._claimed.discard(key)
            with suppress(GaveUpWaiting):  # the claim expires without it
                self._execute("DELETE FROM claims WHERE key = ? AND owner = ?", key, self._owner)

    def _execute(self, statement: str, *values: str | float) -> list[tuple[str, ...]]:
        connection = self._connection
        try:
            rows = self._retry_while_locked(connection, lambda: connection.execute(statement, values).fetchall())
        except sqlite3.Error as error:
            raise DiskError(f"{self._path}: {error}") from error
        if not statement.startswith("SELECT"):
            self._waits_since = None
        return rows

    def _start_renewal(self) -> None:
        if self._renewal is None:
            self._renewal = Thread(target=self._renew_claims, name="claims", daemon=True)
            self._renewal.start()

    def _renew_claims(self) -> None:
        """Renews this process's claims in a thread of its own until the file is closed, however busy the process is."""
        connection = self._connect()
        while not self._is_closing.wait(_BEAT_SECONDS):
            if self._claimed:
                with suppress(sqlite3.Error):  # the next beat is soon enough
                    connection.execute("UPDATE claims SET beat = ? WHERE owner = ?", (time.time(), self._owner))
        connection.close()

    def close(self) -> None:
        """Releases all claims and closes the file."""
        self._is_closing.set()
        self.hurry()
        if self._renewal is not None:
            self._renewal.join()
        if "_connection" in vars(self):
            if self._claimed:
                with suppress(OSError, GaveUpWaiting):  # claims expire without it
                    self._execute("DELETE FROM claims WHERE owner = ?", self._owner)
            self._connection.close()
        self._silence.close()


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Opens a file that nobody writes through this connection; raises sqlite3.DatabaseError for a foreign file."""
    try:
        return _open_as(path, "mode=ro")
    except sqlite3.OperationalError:  # where nothing can be written, SQLite wants to be told that nobody does
        return _open_as(path, "mode=ro&immutable=1")


def _open_as(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, check_same_thread=False)
    try:
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        if owner != _APPLICATION_ID:
            raise sqlite3.DatabaseError("this is no file of answers")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Marks a new file as an answer cache, and creates its tables; raises sqlite3.DatabaseError for a foreign file."""
    # Tables are counted before the mark is read: a process that creates the file right now marks it before it adds
    # tables.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and owner != _APPLICATION_ID:
        raise sqlite3.DatabaseError("this is another program's database")
    with suppress(sqlite3.OperationalError):  # another process is setting it, and SQLite does not wait for that
        connection.execute("PRAGMA journal_mode = WAL")
    # Commits survive a killed process; waiting for the disk each time would only matter in a power cut.
    connection.execute("PRAGMA synchronous = NORMAL")
    if owner != _APPLICATION_ID:
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    for table in _TABLES:
        connection.execute(table)
