"""Limits how many requests to an endpoint are under way at once; learns the limit from its refusals."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

POLL_INTERVAL = 0.1
"""Seconds between two checks whether a request may be sent."""


class RequestPace:
    """Limits simultaneous requests by additive increase and multiplicative decrease, as TCP does (RFC 5681).

    There is no limit until the first refusal for too many requests. Each refusal halves the limit and holds back all
    requests for a while; each full round of successes raises the limit by one.
    """

    def __init__(self) -> None:
        self._limit = math.inf
        self._under_way = 0
        self._resume_at = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits until one more request may be sent, and counts it as under way within the context."""
        while self._under_way >= self._limit or time.monotonic() < self._resume_at:
            left = self._resume_at - time.monotonic()
            await asyncio.sleep(left if 0 < left < POLL_INTERVAL else POLL_INTERVAL)
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    def slow_down(self, pause: float) -> None:
        """After a refusal, sends nothing for `pause` seconds and allows half as many requests under way, at least one.

        A refusal within a pause only prolongs it.
        """
        now = time.monotonic()
        if now >= self._resume_at:
            self._limit = max(1.0, min(self._limit, self._under_way) / 2)
        self._resume_at = max(self._resume_at, now + pause)

    def speed_up(self) -> None:
        """After an answer, raises the limit of requests under way by its reciprocal: by 1 in about `limit` answers."""
        self._limit += 1 / self._limit
