"""The budget and the answer cache of a run, in one process; workers call their methods by message."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.budget import RunBudget
from hm_agent.models.chat import Reply, Request
from hm_agent.questions import ModelUnavailable


@dataclass(frozen=True, slots=True)
class StateRequest:
    """A worker's call of a method of the budget or the cache; the worker waits for the `StateAnswer`."""

    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """The value that the method returned, or the exception that the worker is to raise."""

    value: object


@dataclass
class Holdings:
    """What a lost worker would leave behind: the requests that it has claimed, and its number of calls under way."""

    claims: list[Request] = field(default_factory=list)
    calls: int = 0


class SharedState:
    """Holds the budget and the cache. Only one process opens the cache: SQLite isn't safe on network folders."""

    def __init__(self, budget: RunBudget, cache: Path | None, *, is_offline: bool = False) -> None:
        self.budget = budget
        self.cache = AnswerFile(cache, is_read_only=is_offline) if cache else None

    def execute(self, request: StateRequest, held: Holdings) -> StateAnswer:
        """Calls the requested method for a worker, and updates what the worker holds."""
        try:
            holder = self.budget if request.method in _OF_BUDGET else self._cache
            value = getattr(holder, request.method)(*request.arguments)
        except (ModelUnavailable, OSError) as error:
            return StateAnswer(error)
        match request:
            case StateRequest("find_or_claim", (claimed,)) if value is True:
                held.claims.append(claimed)
            case StateRequest("keep" | "release", (claimed, *_)) if claimed in held.claims:
                held.claims.remove(claimed)
            case StateRequest("take_call") if value:
                held.calls += 1
            case StateRequest("pay" | "drop_call"):
                held.calls -= 1
        return StateAnswer(value)

    def give_back(self, held: Holdings) -> None:
        """Releases the claims of a lost worker and ends its calls."""
        for request in held.claims:
            self._cache.release(request)
        for _ in range(held.calls):
            self.budget.drop_call()

    @property
    def _cache(self) -> AnswerFile:
        assert self.cache is not None, "only runs with --cache send requests to the cache"
        return self.cache

    def hurry(self) -> None:
        """Shortens the wait for other processes that use the cache: the user wants the run to end."""
        if self.cache is not None:
            self.cache.hurry()

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


_OF_BUDGET = ("take_call", "pay", "drop_call", "has_answered")
"""The methods of the budget among those that workers call; the others are the cache's."""


class RemoteState:
    """The worker's proxy of the budget and the cache: each call sends a request and waits for the answer.

    backlog: other messages that came while it waited, in order. on_backlog: called when there are new ones, since they
    no longer show as input of the connection.
    """

    def __init__(self, connection: Connection, on_backlog: Callable[[], object]) -> None:
        self._connection, self._on_backlog = connection, on_backlog
        self.backlog: deque[object] = deque()

    def take_call(self) -> bool:
        return bool(self._request("take_call"))

    def pay(self, cost: float | None) -> None:
        self._request("pay", cost)

    def drop_call(self) -> None:
        self._request("drop_call")

    def has_answered(self) -> bool:
        return bool(self._request("has_answered"))

    def open(self) -> None:
        """Does nothing: the process that keeps the cache opens it."""

    def find(self, request: Request) -> Reply | None:
        return cast("Reply | None", self._request("find", request))

    def find_or_claim(self, request: Request) -> Reply | bool:
        return cast("Reply | bool", self._request("find_or_claim", request))

    def keep(self, request: Request, reply: Reply) -> Reply:
        return cast("Reply", self._request("keep", request, reply))

    def release(self, request: Request) -> None:
        self._request("release", request)

    def _request(self, method: str, *arguments: Any) -> object:
        self._connection.send(StateRequest(method, arguments))
        while not isinstance(answer := self._connection.recv(), StateAnswer):
            self.backlog.append(answer)
            self._on_backlog()
        if isinstance(answer.value, BaseException):
            raise answer.value
        return answer.value
