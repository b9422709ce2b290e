"""The answer cache: replies by the whole request, the episode's seed included."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import asdict
from functools import lru_cache
from typing import Protocol

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.questions import ModelUnavailable, Unanswered

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two looks for the reply to a request that another episode is sending; each pause is twice as long as
the one before."""


class AnswerCache(Protocol):
    """Keeps replies beyond the run; other runs may use the same cache at the same time."""

    def open(self) -> None:
        """Opens the cache if it is not open yet; raises ConfigError if that fails."""
        ...

    def find(self, request: Request) -> Reply | None: ...

    def find_or_claim(self, request: Request) -> Reply | bool:
        """Finds the reply, or else takes the right to send the request.

        True: it was taken, and ends with `keep` or `release`. False: another episode, maybe of another run, has it.
        """
        ...

    def keep(self, request: Request, reply: Reply) -> Reply:
        """Keeps the first reply to a request, and returns the one that is kept."""
        ...

    def release(self, request: Request) -> None:
        """Gives the right to send the request back."""
        ...


class CachedChat:
    """A chat that is only asked what the cache lacks; of several episodes with the same request, one sends it.

    A refusal of a request is kept, too. offline: raises ModelUnavailable for a request that the cache lacks.
    """

    def __init__(self, chat: Chat, cache: AnswerCache, *, offline: bool = False) -> None:
        self._chat, self._cache, self._offline = chat, cache, offline

    async def complete(self, request: Request) -> Reply:
        reply = self._known(request) if self._offline else await self._found_or_sent(request)
        if reply.refusal is not None:
            raise Unanswered(reply.refusal)
        return reply

    async def _found_or_sent(self, request: Request) -> Reply:
        pause = FIRST_PAUSE
        while (found := self._cache.find_or_claim(request)) is False:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return found if isinstance(found, Reply) else await self._send(request)

    def _known(self, request: Request) -> Reply:
        if (known := self._cache.find(request)) is None:
            raise ModelUnavailable(f"the cache has no answer to a {request.name}, and --offline allows no other source")
        return known

    async def _send(self, request: Request) -> Reply:
        try:
            reply = await self._chat.complete(request)
        except Unanswered as refused:
            reply = Reply((), refusal=str(refused))
        except BaseException:
            self._cache.release(request)
            raise
        return self._cache.keep(request, reply)


@lru_cache(maxsize=64)
def request_text(request: Request) -> str:
    """All that determines the reply, as JSON. The first sample is told by the absence of its number."""
    said = asdict(request)
    if not request.sample:
        del said["sample"]
    return json.dumps(said, sort_keys=True)


@lru_cache(maxsize=64)
def request_key(request: Request) -> str:
    return hashlib.sha256(request_text(request).encode()).hexdigest()
