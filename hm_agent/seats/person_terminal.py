"""The terminal in which a person answers what a language model would be asked."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.process.shell import printable
from hm_agent.seats.person import SEATS, PersonLeft, consent, with_json
from hm_agent.seats.suggestions import suggestions

EXAMPLES = 3
"""How many forms of a call the terminal lists."""


class TerminalChat(Chat):
    """Prints questions and reads an answer in one line; asks for consent before the first. Simultaneous ones wait."""

    def __init__(self) -> None:
        self._in_turn, self._agreed = asyncio.Lock(), False
        self._shown: tuple[str, str] | None = None
        self._left: PersonLeft | None = None

    async def complete(self, request: Request) -> Reply:
        before = self._left
        async with self._in_turn:
            if self._left and self._left is not before:  # while this question waited for its turn
                raise self._left
            try:
                return Reply((with_json(await self._ask(request), request.schema),))
            except PersonLeft as left:
                self._left = left
                raise

    async def _ask(self, request: Request) -> str:
        if not self._agreed:
            print(consent(), flush=True)
            self._agreed = (await _read_line("Type yes to begin: ")).lower() in ("y", "yes")
        if not self._agreed:
            raise PersonLeft("there was no consent, so nobody was asked")
        print(f"\n{printable(self._words(request))}\n\n{_offer(request.schema)}", flush=True)
        while not (text := await _read_line("> ")):
            pass
        return text

    def _words(self, request: Request) -> str:
        """What is asked; of a question that was shown last, only what is wrong with the answer."""
        seat, question, problem = SEATS.get(request.seed, ""), request.messages[0].content, request.messages[-1].content
        shown, self._shown = self._shown, (seat, question)
        parts = [seat, problem] if shown == self._shown else [seat, *dict.fromkeys((question, problem))]
        return "\n\n".join(filter(None, parts))


@cache
def terminal_chat() -> TerminalChat:
    """The chat with the one person at this machine, who plays all episodes of this process."""
    return TerminalChat()


def _offer(schema: Mapping[str, Any]) -> str:
    """What may be typed, in a line."""
    offered = [text for texts in suggestions(schema).values() for text in texts[:EXAMPLES]]
    short = f"Instead of JSON, type for example: {'  '.join(offered)}" if offered else "Type the answer as JSON."
    return f"{short} (several: with commas; to stop: Ctrl-D)"


async def _read_line(prompt: str) -> str:
    """A line from the terminal, without the blanks around it. Raises PersonLeft at its end.

    Only what the terminal has is read, so that Ctrl-C is not held up by a thread that waits for a line.
    """
    print(prompt, end="", flush=True)
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    descriptor = sys.stdin.fileno()
    loop.add_reader(descriptor, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(descriptor)
    line = os.read(descriptor, 2**16)
    if not line:
        raise PersonLeft("the person has left the terminal")
    return line.decode("utf-8", "replace").strip()
