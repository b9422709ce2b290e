"""Waits during the outage of an endpoint that has worked before."""

from __future__ import annotations

import asyncio
import time

from hm_agent.models.budget import Budget
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two attempts; each pause is twice as long as the one before."""


class Outage(ModelUnavailable):
    """A temporary failure of an endpoint. pause: the seconds that it asks to wait."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class OutageTolerantChat:
    """A chat that repeats a request during an outage, for at most `patience` seconds.

    An outage of an endpoint that has never answered in this run is raised at once: its address is probably wrong.
    """

    def __init__(self, chat: Chat, budget: Budget, patience: float) -> None:
        self._chat, self._budget, self._patience = chat, budget, patience

    async def complete(self, request: Request) -> Reply:
        begun, pause = time.monotonic(), FIRST_PAUSE
        while True:
            try:
                return await self._chat.complete(request)
            except Outage as outage:
                left = begun + self._patience - time.monotonic()
                if left <= 0 or not self._budget.has_answered():
                    raise
                requested = outage.pause
            await asyncio.sleep(min(max(pause, requested), left))
            pause = min(2 * pause, LONGEST_PAUSE)
