"""A chat whose replies come from outside: from a trainer, from a person, or from another program."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hm_agent.models.chat import Chat, Reply, Request

MOST_BARE = 2_000
"""Characters up to which a text is read as an answer without its JSON."""
_CALL = r"[A-Za-z_]\w*+(?:\((?:[^()]++|\([^()]*+\))*+\)|\[[^\[\]]*+\])"
_CALLS = re.compile(rf"\s*{_CALL}(?:\s*[,;\n]\s*{_CALL})*\s*")


class OutsideChat(Chat):
    """The requests of one seat, of which each waits until someone replies to it; simultaneous ones wait in turn.

    on_request: is called whenever a request has begun to wait. request: the one that waits for a reply, None if none.
    """

    def __init__(self, on_request: Callable[[], None] = lambda: None) -> None:
        self.request: Request | None = None
        self._on_request, self._in_turn = on_request, asyncio.Lock()
        self._reply: asyncio.Future[str]

    async def complete(self, request: Request) -> Reply:
        async with self._in_turn:
            self.request, self._reply = request, asyncio.get_running_loop().create_future()
            self._on_request()
            try:
                return Reply((with_json(await self._reply, request.schema),))
            finally:
                self.request = None

    def reply(self, text: str) -> None:
        """Replies to the request that waits, in the thread of its event loop; raises ValueError if none waits."""
        if self.request is None:
            raise ValueError("no question waits for a reply")
        self.request = None
        self._reply.set_result(text)

    def leave(self, reason: Exception) -> None:
        """Raises an error where the reply is waited for, as `reply` replies."""
        if self.request is None:
            raise ValueError("no question waits for a reply")
        self.request = None
        self._reply.set_exception(reason)


def with_json(text: str, schema: Mapping[str, Any]) -> str:
    """Puts the JSON around a text that is nothing but an answer's one field beside the reasoning; any other stays.

    Such a text is one or several calls, e.g. `meet(player_1), say(0)`, or of the names that the schema lists, or free
    text without JSON where the schema asks for free text.
    """
    wanted = [name for name in schema["properties"] if name != "reasoning"]
    value = _read_bare(text, schema["properties"][wanted[0]]) if len(wanted) == 1 and len(text) <= MOST_BARE else None
    return text if value is None else json.dumps({**dict.fromkeys(schema["properties"], ""), wanted[0]: value})


def _read_bare(text: str, field: Mapping[str, Any]) -> str | Sequence[str] | None:
    """The value of a field that a text stands for, None if it stands for none."""
    match field:
        case {"type": "array", "items": {"enum": known}}:
            names = [name.strip() for name in re.split(r"[,;\n]", text)]
            return names if set(names) <= set(known) else None
        case {"type": "array"}:
            return re.findall(_CALL, text) if _CALLS.fullmatch(text) else None
        case {"enum": known}:
            return text.strip() if text.strip() in known else None
        case {"type": "string"}:
            return text.strip() if text.strip() and "{" not in text else None
    return None
