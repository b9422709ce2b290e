"""The budget and the answer cache of a run, kept by one process; workers call their methods by message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.budget import BudgetSpent, RunBudget
from hm_agent.models.chat import Reply, Request


@dataclass(frozen=True, slots=True)
class StateRequest:
    """A worker's call of one method of the budget or the cache."""

    method: str
    arguments: tuple[Any, ...]


class SharedState:
    """The budget and the cache themselves. Only one process opens the file: SQLite isn't safe on network folders."""

    def __init__(self, budget: RunBudget, cache: Path | None) -> None:
        self.budget = budget
        self._cache = AnswerFile(cache) if cache else None

    @property
    def cache(self) -> AnswerFile:
        assert self._cache is not None, "only runs with --cache send requests to the cache"
        return self._cache

    def execute(self, request: StateRequest) -> object:
        """Calls the requested method. An exception that the worker has to raise is returned, not raised."""
        try:
            return _METHODS[request.method](self, *request.arguments)
        except (BudgetSpent, OSError) as error:
            return error

    def close(self) -> None:
        if self._cache is not None:
            self._cache.close()


_METHODS: Mapping[str, Callable[..., object]] = {
    "take_call": lambda state: state.budget.take_call(),
    "pay": lambda state, cost: state.budget.pay(cost),
    "has_answered": lambda state: state.budget.has_answered(),
    "claim": lambda state, key: state.budget.claim(key),
    "release": lambda state, key: state.budget.release(key),
    "find": lambda state, request: state.cache.find(request),
    "keep": lambda state, request, reply: state.cache.keep(request, reply),
}


class RemoteState:
    """The budget and the cache as a worker sees them: each call sends a request and waits for the result."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take_call(self) -> None:
        self._request("take_call")

    def pay(self, cost: float | None) -> None:
        self._request("pay", cost)

    def has_answered(self) -> bool:
        return bool(self._request("has_answered"))

    def claim(self, key: str) -> bool:
        return bool(self._request("claim", key))

    def release(self, key: str) -> None:
        self._request("release", key)

    def open(self) -> None:
        """Does nothing: the process that keeps the cache opens it."""

    def find(self, request: Request) -> Reply | None:
        return cast("Reply | None", self._request("find", request))

    def keep(self, request: Request, reply: Reply) -> None:
        self._request("keep", request, reply)

    def _request(self, method: str, *arguments: Any) -> object:
        self._connection.send(StateRequest(method, arguments))
        answer = self._connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer
