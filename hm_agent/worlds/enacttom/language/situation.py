"""What questions about a household hold: the views so far, the messages in them, and what partners were seen to do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from hm_agent.core import Event
from hm_agent.worlds.enacttom.house.commands import COMMUNICATE, EVERYONE
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    IS_CLOSED,
    IS_HELD_BY,
    IS_INSIDE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    Proposition,
)

WRITES, HANDLES, COMES, LEAVES = "writes", "handles", "comes", "leaves"
DOINGS = (WRITES, HANDLES, COMES, LEAVES)
"""What an agent can notice another one do: it writes to the agent, handles something in its sight, comes into its room
or leaves it."""
NOTHING = "nothing"
"""How an answer says that an act is about nothing in particular."""

_WORD = re.compile(r"[A-Za-z][\w-]*")
_OBJECT = re.compile(r"[A-Za-z][A-Za-z_]*_\d{1,4}")
_LOOKED_AT = (IS_ON_TOP, IS_INSIDE, IS_ON_FLOOR, IS_OPEN, IS_CLOSED)
_SEEN_TOGETHER = (*_LOOKED_AT, IS_HELD_BY)


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message that the agent got or sent. turn: in which it was sent."""

    turn: int
    sender: str
    addressees: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class SharedSight:
    """What the agent saw in a room where others were, who saw it, too. turn: how many were played."""

    turn: int
    room: str
    words: str


@dataclass(frozen=True, slots=True)
class PastMeeting:
    """With whom the agent was in a room earlier. turn: how many were played.

    seen: what all of them saw there and the agent has not seen to be otherwise since, in words.
    """

    turn: int
    room: str
    others: tuple[str, ...]
    seen: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class HouseSituation:
    """What one agent knows at the start of a turn; it equals itself alone.

    views: all that it had, the present one last.
    """

    views: tuple[HouseView, ...]

    def to_json(self) -> str:
        """What traces and replays show: the present view in words."""
        return self.view.news_text

    @property
    def view(self) -> HouseView:
        return self.views[-1]

    @property
    def me(self) -> str:
        return self.view.agent

    @property
    def partners(self) -> tuple[str, ...]:
        return tuple(agent for agent in self.view.briefing.plan.agents if agent != self.me)

    @cached_property
    def log(self) -> tuple[LoggedMessage, ...]:
        """All messages that the agent got before this view, and all that it sent."""
        found: list[LoggedMessage] = []
        for view in self.views:
            found += filter(None, [sent_before(view)])
            if view is not self.view:
                found += [LoggedMessage(one.turn, one.sender, one.addressees, one.text) for one in view.messages]
        return tuple(found)

    @cached_property
    def shared_sights(self) -> tuple[SharedSight, ...]:
        """What the agent saw with others before this view; what they went on seeing is there once."""
        found: list[SharedSight] = []
        shown = ""
        for view in self.views[:-1]:
            words = view.sees_text if company(view) else ""
            if words and words != shown:
                found.append(SharedSight(view.turn, view.room, words))
            shown = words
        return tuple(found)

    @cached_property
    def meetings(self) -> tuple[PastMeeting, ...]:
        """When the agent was with each other one last, and saw each thing with it last, in the order of time.

        What they see together in the present view is left out.
        """
        latest: dict[tuple[str, Proposition | None], HouseView] = {}
        for view in self.views:
            latest = {key: then for key, then in latest.items() if key[1] is None or key[1] in view.remembers}
            facts = (None, *(one for one in view.sees if one.predicate in _SEEN_TOGETHER))
            latest |= {(other, fact): view for other in company(view) for fact in facts}
        seen: dict[tuple[int, str, str], list[str]] = {}
        for (other, fact), view in latest.items():
            if view is not self.view:
                seen.setdefault((view.turn, view.room, other), []).extend([fact.words] if fact else [])
        together: dict[tuple[int, str, tuple[str, ...]], list[str]] = {}
        for (turn, room, other), words in sorted(seen.items()):
            together.setdefault((turn, room, tuple(sorted(words))), []).append(other)
        return tuple(PastMeeting(turn, room, tuple(others), words) for (turn, room, words), others in together.items())

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The names of all objects that the agent has seen or was told of as data, and of what it read of like them."""
        plan = self.view.briefing.plan
        told = (one for fact in self.view.briefing.facts for one in fact.things)
        seen = (one.arguments[0] for one in self.view.remembers)
        read = (word for text in self._texts() for word in _OBJECT.findall(text))
        return tuple(sorted({*told, *seen, *read} - {*plan.agents, *plan.rooms, *plan.furniture}))

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

    def surprises(self, named: Collection[str]) -> list[str]:
        """The things that matter and are otherwise than the agent remembered before its latest action.

        Those matter that a plan names or that the agent has read of. What it sees for the first time is no surprise to
        a plan that names it. named: by the plan that is being carried out.
        """
        before, now = self.views[-2].remembers, self.view.remembers
        own = set(self.view.outcome.command.arguments) if self.view.outcome else set()
        changed = {one.arguments[0] for one in before - now if one.predicate in _LOOKED_AT}
        new = {one.arguments[0] for one in now - before if one.predicate in _LOOKED_AT} - changed - set(named)
        return sorted(((changed | new) - own) & ({*named} | self.read_of))

    def _texts(self) -> Iterator[str]:
        """Everything that the agent has read."""
        yield self.view.briefing.text
        yield from self.view.briefing.secrets
        yield from (one.text for one in self.log)
        yield from (one.text for one in self.view.messages)


def company(view: HouseView) -> tuple[str, ...]:
    """The other agents that are in the agent's room, in order of their names."""
    here = (one.arguments[0] for one in view.sees if one.predicate == AGENT_IN_ROOM)
    return tuple(sorted(other for other in here if other != view.agent))


def sent_before(view: HouseView) -> LoggedMessage | None:
    """The message that the agent sent in the turn before a view; None if it sent none."""
    outcome = view.outcome
    if outcome is None or outcome.command.verb != COMMUNICATE or outcome.kind is not OutcomeKind.DONE:
        return None
    to = view.briefing.targets if EVERYONE in outcome.command.arguments else outcome.command.arguments
    return LoggedMessage(view.turn - 1, view.agent, tuple(to), outcome.command.text)


@dataclass(frozen=True, slots=True)
class PartnerAct:
    """An interaction: an act of a partner that the agent noticed.

    step: the turn of the act. does: one of `DOINGS`. things: what it was about, maybe nothing. text: of a message.
    seen: what the agent then saw of a thing that was handled, in words.
    """

    step: int
    partner: str
    does: str
    things: tuple[str, ...] = ()
    text: str = ""
    seen: str = ""

    @property
    def behaviour(self) -> str:
        """What a prediction has to fit, e.g. `handles bowl_1`."""
        return act_of(self.does, self.things[0] if self.things else NOTHING)

    @property
    def reward(self) -> float:
        """Nothing is paid before the end."""
        return 0.0

    def fits(self, prediction: str) -> bool:
        """True if this is what was predicted: the act, and a thing that it was about, or none if it was about none."""
        does, *rest = prediction.split()
        return does == self.does and (rest[-1] in self.things if rest else not self.things)


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
