"""Runs jobs at the same time in one process, each with one call to a model under way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable


class _Stopped(Exception):
    """Another job has failed, so this one ends before its next call."""


Job = Callable[["JobRunner"], Awaitable[None]]
"""A piece of work, which calls `JobRunner.check` before each call to a model."""


class JobRunner:
    """Runs jobs, at most `size` at a time.

    After the first failure no job begins, and the running ones end before their next call, so that no answer under way
    is lost.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._failure: BaseException | None = None

    def check(self) -> None:
        """Raises an exception that ends the calling job, if another one has failed."""
        if self._failure is not None:
            raise _Stopped

    async def do(self, jobs: Iterable[Job]) -> None:
        """Runs all jobs; raises the first failure once none is running."""
        waiting = deque(jobs)
        await asyncio.gather(*(self._work(waiting) for _ in range(min(self._size, len(waiting)))))
        if self._failure is not None:
            raise self._failure

    async def _work(self, waiting: deque[Job]) -> None:
        while waiting and self._failure is None:
            await self._run(waiting.popleft())

    async def _run(self, job: Job) -> None:
        try:
            await job(self)
        except _Stopped:
            return
        except Exception as failure:  # noqa: BLE001 - raised again when the other jobs have ended
            self._failure = self._failure or failure
