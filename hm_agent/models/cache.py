"""The answer cache: keeps replies under the whole request, which includes the episode's seed."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import asdict, replace
from functools import lru_cache
from typing import ClassVar, Protocol

from hm_agent.models.chat import Chat, Refused, Reply, Request
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
        """Returns the reply, or else tries to claim the request, i.e. the right to send it.

        Returns True if it is claimed now, until `keep` or `release`; False if another episode, maybe of another run,
        has the claim.
        """
        ...

    def keep(self, request: Request, reply: Reply) -> Reply:
        """Stores the reply unless there is one already, and ends the claim; returns the stored reply."""
        ...

    def release(self, request: Request) -> None:
        """Ends the claim on a request without a reply."""
        ...


class GaveUpWaiting(ModelUnavailable):
    """Another process holds up the cache, and the user wants the run to end."""

    status: ClassVar[str] = "interrupted"


class CachedChat:
    """A chat that sends only requests whose reply the cache lacks; of several episodes with the same, one sends it.

    The cache also keeps refusals of requests, if they last. endpoint: where requests go, None for OpenAI's own endpoint
    and for models that have none. offline: raise ModelUnavailable instead of sending a request.
    """

    def __init__(self, chat: Chat, cache: AnswerCache, *, endpoint: str | None = None, offline: bool = False) -> None:
        self._chat, self._cache, self._endpoint, self._offline = chat, cache, endpoint, offline

    async def complete(self, request: Request) -> Reply:
        request = replace(request, endpoint=self._endpoint) if self._endpoint else request
        reply = self._cached(request) if self._offline else await self._find_or_send(request)
        if reply.refusal is not None:
            raise Refused(reply.refusal, cached=reply.cached)
        return reply

    async def _find_or_send(self, request: Request) -> Reply:
        pause = FIRST_PAUSE
        while (reply := self._cache.find_or_claim(request)) is False:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return reply if isinstance(reply, Reply) else await self._send(request)

    def _cached(self, request: Request) -> Reply:
        """Returns the reply in the cache; raises ModelUnavailable if there is none."""
        if (reply := self._cache.find(request)) is None:
            where = f"from {self._endpoint}" if self._endpoint else "from OpenAI (else name the run's --base_url)"
            raise ModelUnavailable(
                f"the cache has no answer to a {request.name} {where}, and --offline allows no other source"
            )
        return reply

    async def _send(self, request: Request) -> Reply:
        try:
            reply = await self._chat.complete(request)
        except BaseException as error:
            if not isinstance(error, Unanswered) or (isinstance(error, Refused) and not error.lasts):
                self._cache.release(request)
                raise
            reply = Reply((), refusal=str(error))
        return self._cache.keep(request, reply)


@lru_cache(maxsize=64)
def request_text(request: Request) -> str:
    """Returns everything that determines the reply, as JSON; the first sample's number and no endpoint are left out."""
    fields = {**asdict(request), "sampling": request.sampling.recorded()}
    for name in ("sample", "endpoint"):
        if not fields[name]:
            del fields[name]
    return json.dumps(fields, sort_keys=True)


@lru_cache(maxsize=64)
def request_key(request: Request) -> str:
    return hashlib.sha256(request_text(request).encode()).hexdigest()
