"""The answer cache: replies by the whole request, the episode's seed included."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import asdict
from functools import lru_cache
from typing import Protocol

from hm_agent.models.budget import Budget
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable

POLL_INTERVAL = 0.05
"""Seconds between two looks for the reply to a request that another episode is sending."""


class AnswerCache(Protocol):
    """Keeps replies beyond the run; another process may hold the file."""

    def open(self) -> None:
        """Opens the cache if it is not open yet; raises ConfigError if that fails."""
        ...

    def find(self, request: Request) -> Reply | None: ...

    def keep(self, request: Request, reply: Reply) -> None: ...


class CachedChat:
    """A chat that is only asked what the cache lacks; of several episodes with the same request, one sends it.

    offline: raises ModelUnavailable for a request that the cache lacks.
    """

    def __init__(self, chat: Chat, cache: AnswerCache, budget: Budget, *, offline: bool = False) -> None:
        self._chat, self._cache, self._budget, self._offline = chat, cache, budget, offline

    async def complete(self, request: Request) -> Reply:
        while (known := self._cache.find(request)) is None:
            if self._offline:
                raise ModelUnavailable(
                    f"the cache has no answer to a {request.name}, and --offline allows no other source"
                )
            if self._budget.claim(key := request_key(request)):
                return await self._send(request, key)
            await asyncio.sleep(POLL_INTERVAL)
        return known

    async def _send(self, request: Request, key: str) -> Reply:
        try:
            # Another episode may have kept its reply between the look-up and the claim.
            if (known := self._cache.find(request)) is not None:
                return known
            reply = await self._chat.complete(request)
            self._cache.keep(request, reply)
            return reply
        finally:
            self._budget.release(key)


@lru_cache(maxsize=64)
def request_text(request: Request) -> str:
    return json.dumps(asdict(request), sort_keys=True)


@lru_cache(maxsize=64)
def request_key(request: Request) -> str:
    return hashlib.sha256(request_text(request).encode()).hexdigest()
