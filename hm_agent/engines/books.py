"""What all episodes of a run share, kept by one process and entered into by the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from hm_agent.models.budget import Account, BudgetSpent
from hm_agent.models.cache import Record
from hm_agent.models.chat import Reply, Request


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to do in the books: a method of the ledger or of the record, and with what."""

    method: str
    arguments: tuple[Any, ...]


class Books:
    """The ledger and the record of answers. One process alone opens the file: SQLite isn't safe on network folders."""

    def __init__(self, account: Account, cache: Path | None) -> None:
        self._account, self._cache = account, cache

    @cached_property
    def _record(self) -> Record:
        assert self._cache is not None
        return Record(self._cache)

    def make(self, entry: Entry) -> object:
        """What an entry comes to; an exception is for whoever makes it."""
        try:
            return _METHODS[entry.method](self, *entry.arguments)
        except (BudgetSpent, OSError) as error:
            return error

    def release(self, key: str) -> None:
        self._account.release(key)

    def close(self) -> None:
        if "_record" in vars(self):
            self._record.close()


_METHODS: Mapping[str, Callable[..., object]] = {
    "take_call": lambda books: books._account.take_call(),
    "pay": lambda books, cost: books._account.pay(cost),
    "has_answered": lambda books: books._account.has_answered(),
    "claim": lambda books, key: books._account.claim(key),
    "release": lambda books, key: books._account.release(key),
    "find": lambda books, request: books._record.find(request),
    "keep": lambda books, request, reply: books._record.keep(request, reply),
}


class RemoteBooks:
    """Budget and record as a worker has them: it waits for what each entry comes to."""

    def __init__(self, keeper: Connection) -> None:
        self._keeper = keeper

    def take_call(self) -> None:
        self._enter("take_call")

    def pay(self, cost: float | None) -> None:
        self._enter("pay", cost)

    def has_answered(self) -> bool:
        return bool(self._enter("has_answered"))

    def claim(self, key: str) -> bool:
        return bool(self._enter("claim", key))

    def release(self, key: str) -> None:
        self._enter("release", key)

    def find(self, request: Request) -> Reply | None:
        return cast("Reply | None", self._enter("find", request))

    def keep(self, request: Request, reply: Reply) -> None:
        self._enter("keep", request, reply)

    def close(self) -> None:
        """Their keeper closes them."""

    def _enter(self, method: str, *arguments: Any) -> object:
        self._keeper.send(Entry(method, arguments))
        answer = self._keeper.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer
