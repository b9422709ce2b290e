"""A chat whose replies come from outside: from a trainer, from a person, or from another program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hm_agent.models.chat import Chat, Reply, Request


class OutsideChat(Chat):
    """The requests of one seat, of which each waits until someone replies to it; simultaneous ones wait in turn.

    on_request: is called whenever a request has begun to wait. request: the one that waits for a reply, None if none.
    """

    def __init__(self, on_request: Callable[[], None] = lambda: None) -> None:
        self.request: Request | None = None
        self._on_request, self._in_turn = on_request, asyncio.Lock()
        self._reply: asyncio.Future[str]
        self._left: Exception | None = None

    async def complete(self, request: Request) -> Reply:
        before = self._left
        async with self._in_turn:
            if self._left and self._left is not before:  # while this one waited for its turn
                raise self._left
            self.request, self._reply = request, asyncio.get_running_loop().create_future()
            self._on_request()
            try:
                return Reply((await self._reply,))
            finally:
                self.request = None

    def reply(self, text: str) -> None:
        """Replies to the request that waits, in the thread of its event loop; raises ValueError if none waits."""
        if self.request is None:
            raise ValueError("no question waits for a reply")
        self.request = None
        self._reply.set_result(text)

    def leave(self, reason: Exception) -> None:
        """Raises an error where the reply is waited for, as `reply` replies, and for those that wait in turn."""
        if self.request is None:
            raise ValueError("no question waits for a reply")
        self.request, self._left = None, reason
        self._reply.set_exception(reason)
