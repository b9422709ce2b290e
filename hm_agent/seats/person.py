"""A person in a seat: asked, in the terminal or on a local page, what a language model would be asked there."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.casting import build_agent, can_play
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Viewer
from hm_agent.core import Agent, Decision, Observation
from hm_agent.models.bare_answers import MOST_BARE, only_field, with_field
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.models.settings import PERSON
from hm_agent.process.shell import printable
from hm_agent.questions import ModelUnavailable, Usage
from hm_agent.recording.result import INTERRUPTED
from hm_agent.seats.suggestions import suggestions

if TYPE_CHECKING:
    from hm_agent.catalogue.suite import Pixels

SEEN: dict[int, Pixels] = {}
"""The latest picture of its world that each seat has seen, by the seat's seed; in worlds that have pictures."""
SEATS: dict[int, str] = {}
"""What a person is told of which seat is asked, by the seat's seed; in worlds with several seats."""
EXAMPLES = 3
"""How many forms of a call the terminal lists."""


class PersonLeft(ModelUnavailable):
    """The person has stopped, which ends the run as Ctrl-C does."""

    status = INTERRUPTED


@cache
def consent() -> str:
    """What a person is told before the first question."""
    return (Path(__file__).parent / "templates" / "consent.txt").read_text("utf-8")


@cache
def person_chat(*, on_page: bool) -> Chat:
    """The chat with the one person at this machine, who plays all episodes of this process."""
    if not on_page:
        return TerminalChat()
    from hm_agent.seats.person_page import open_page

    return open_page().chat


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


def with_json(text: str, schema: Mapping[str, Any]) -> str:
    """Puts the JSON around a free text where the question asks for nothing else; any other text stays."""
    field = only_field(schema)
    form = schema["properties"][field] if field else {}
    is_free = form.get("type") == "string" and "enum" not in form
    if field and is_free and text.strip() and "{" not in text and len(text) <= MOST_BARE:
        return json.dumps(with_field(schema, field, text.strip()))
    return text


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


class _SeeingAgent:
    """Plays as another agent does, and keeps what its seat sees as a picture."""

    def __init__(self, agent: Agent[Any, Any], viewer: Viewer, seed: int) -> None:
        self._agent, self._viewer, self._seed = agent, viewer, seed
        self.metrics = agent.metrics

    async def act(self, observation: Observation[Any]) -> Decision[Any]:
        if (picture := self._viewer.seen(observation.view)) is not None:
            SEEN[self._seed] = picture
        return await self._agent.act(observation)

    @property
    def usage(self) -> Usage:
        return self._agent.usage


def _plain_agent(scenario: ScenarioInfo) -> str:
    return suites()[scenario.world].plain_agent


def _build(setup: AgentSetup) -> Agent[Any, Any]:
    """The plain agent, whose model is the person."""
    agent = build_agent(_plain_agent(setup.scenario), setup)
    if len(setup.world.seats) > 1:
        SEATS[setup.seed] = f"You are asked for {setup.seat}."
    viewer = suites()[setup.scenario.world].viewer(setup.scenario)
    return _SeeingAgent(agent, viewer, setup.seed) if viewer else agent


AGENT = OwnAgent(
    "a person, who is asked what a model of the plain agent would be asked; with --page in a browser",
    _build,
    plays=lambda scenario: can_play(_plain_agent(scenario), scenario),
    only_model=PERSON,
    asked_by=PERSON,
    uses=(),
)
