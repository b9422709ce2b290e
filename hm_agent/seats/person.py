"""The agent that is a person, and what is shared by the terminal and the page, where the person answers."""

from __future__ import annotations

import json
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
from hm_agent.models.settings import PERSON
from hm_agent.questions import ModelUnavailable, Usage
from hm_agent.recording.result import INTERRUPTED

if TYPE_CHECKING:
    from hm_agent.catalogue.suite import Pixels

SEEN: dict[int, Pixels] = {}
"""The latest picture of its world that each seat has seen, by the seat's seed; in worlds that have pictures."""
SEATS: dict[int, str] = {}
"""What a person is told of which seat is asked, by the seat's seed; in worlds with several seats."""


class PersonLeft(ModelUnavailable):
    """The person has stopped, which ends the run as Ctrl-C does."""

    status = INTERRUPTED


@cache
def consent() -> str:
    """What a person is told before the first question."""
    return (Path(__file__).parent / "templates" / "consent.txt").read_text("utf-8")


def with_json(text: str, schema: Mapping[str, Any]) -> str:
    """Puts the JSON around a free text where the question asks for nothing else; any other text stays."""
    field = only_field(schema)
    form = schema["properties"][field] if field else {}
    is_free = form.get("type") == "string" and "enum" not in form
    if field and is_free and text.strip() and "{" not in text and len(text) <= MOST_BARE:
        return json.dumps(with_field(schema, field, text.strip()))
    return text


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
