"""What questions about a household hold: the view, the messages so far, and what partners were seen to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from hm_agent.core import Event
from hm_agent.questions import UNSHOWN
from hm_agent.worlds.enacttom.view_beliefs import Beliefs
from hm_agent.worlds.enacttom.views import HouseView

WRITES, HANDLES, COMES, LEAVES = "writes", "handles", "comes", "leaves"
DOINGS = (WRITES, HANDLES, COMES, LEAVES)
"""What an agent can notice another one do: it writes to the agent, handles something in its sight, comes into its room
or leaves it."""
NOTHING = "nothing"
"""How an answer says that an act is about nothing in particular."""

_WORD = re.compile(r"[A-Za-z][\w-]*")
_OBJECT = re.compile(r"[A-Za-z][A-Za-z_]*_\d{1,4}")


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message that the agent got or sent. turn: in which it was sent."""

    turn: int
    sender: str
    addressees: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class HouseSituation:
    """What one agent knows at the start of a turn.

    log: all messages that it got before this view, and all that it sent. beliefs: what follows from all views, and from
    sentences of the fixed form in all messages; no prompt shows it.
    """

    view: HouseView
    log: tuple[LoggedMessage, ...]
    beliefs: Beliefs = field(metadata=UNSHOWN)

    @property
    def me(self) -> str:
        return self.view.agent

    @property
    def partners(self) -> tuple[str, ...]:
        return tuple(agent for agent in self.view.briefing.plan.agents if agent != self.me)

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The names of all objects that the agent has seen or that it was told of as data, and those that look it."""
        plan = self.view.briefing.plan
        others = {*plan.agents, *plan.rooms, *plan.furniture}
        told = (one for fact in self.beliefs.facts for one in fact.things)
        seen = (one.arguments[0] for one in (*self.view.remembers, *self.beliefs.so))
        read = (word for text in self._texts() for word in _OBJECT.findall(text))
        return tuple(sorted({*told, *seen, *read} - others))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What an act can be about: all furniture, and all objects that the agent knows of."""
        return (*self.view.briefing.plan.furniture, *self.objects)

    @cached_property
    def read_of(self) -> frozenset[str]:
        """The things that a text names which the agent has read."""
        return frozenset(thing for text in self._texts() for thing in self.mentioned(text))

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The things that a text names, in its order."""
        return tuple(dict.fromkeys(word for word in _WORD.findall(text) if word in self.things))

    def _texts(self) -> Iterator[str]:
        """Everything that the agent has read."""
        yield self.view.briefing.text
        yield from self.view.briefing.secrets
        yield from (one.text for one in self.log)
        yield from (one.text for one in self.view.messages)


@dataclass(frozen=True, slots=True)
class PartnerAct:
    """An interaction: an act of a partner that the agent noticed.

    step: the turn of the act. does: one of `DOINGS`. things: what it was about, maybe nothing. text: of a message.
    """

    step: int
    partner: str
    does: str
    things: tuple[str, ...] = ()
    text: str = ""

    @property
    def behaviour(self) -> str:
        """What a prediction has to fit, e.g. `handles bowl_1`."""
        return act_of(self.does, self.things[0] if self.things else NOTHING)

    @property
    def reward(self) -> float:
        """Nothing is paid before the end."""
        return 0.0

    def fits(self, prediction: str) -> bool:
        """True if this is what was predicted; what named no thing fits whatever the act was about."""
        does, *rest = prediction.split()
        return does == self.does and (not rest or rest[-1] in self.things)


def act_of(does: str, about: str) -> str:
    """An act in words, e.g. `writes about cabinet_5`. about: a thing, or `nothing`."""
    if about == NOTHING:
        return does
    return f"{does} about {about}" if does == WRITES else f"{does} {about}"


@dataclass(frozen=True, slots=True)
class PartnerActed(Event):
    """A partner was noticed to do something."""

    act: PartnerAct

    def describe(self) -> str:
        about = f" ({', '.join(self.act.things)})" if self.act.things else ""
        return f"{self.act.partner} {self.act.does}{about}"


@dataclass(frozen=True, slots=True)
class OwnActionFailed(Event):
    """The agent's latest action had no effect."""

    command: str
    why: str

    def describe(self) -> str:
        return f"{self.command} failed: {self.why.rstrip('.')}"
