"""Waiting for an endpoint that has worked and is out of order for a while."""

from __future__ import annotations

import asyncio
import time

from hm_agent.models.budget import Budget
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""In seconds, between two attempts: each twice as long as the one before."""


class Outage(ModelUnavailable):
    """An endpoint can't be asked just now, for a reason that may pass."""


class PatientChat:
    """A chat that sits out outages, for so many seconds each.

    An endpoint that has not answered anybody yet is given up at once: its address is more likely to be wrong.
    """

    def __init__(self, chat: Chat, ledger: Budget, patience: float) -> None:
        self._chat, self._ledger, self._patience = chat, ledger, patience

    async def complete(self, request: Request) -> Reply:
        begun, pause = time.monotonic(), FIRST_PAUSE
        while True:
            try:
                return await self._chat.complete(request)
            except Outage:
                left = begun + self._patience - time.monotonic()
                if left <= 0 or not self._ledger.has_answered():
                    raise
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)
