"""The actions of a story, as ExploreToM has them (section 2.2.1, appendix A.1), and the claims that people tell.

Every action may have `peekers`, who see it in secret, and `distracted` people, who are present and miss it while
everyone else assumes that they saw it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from pydantic import ConfigDict, with_config

People: TypeAlias = tuple[str, ...]
"""Names of people."""
CLOSED = ConfigDict(extra="forbid")
"""Reads an action from JSON strictly: an unknown key is an error."""


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Change:
    """A lasting change of an object, in words for both the story and questions.

    verb, rest: of `Anne {verb} the {object} {rest}.`, e.g. `filled` and `with fresh sunflowers`; the rest may be empty.
    The object then `is {verb} {rest}`. is_visible: True if people who see the object later see the change.
    """

    object: str
    verb: str
    rest: str = ""
    is_visible: bool = True

    @property
    def state(self) -> str:
        """The state after the change, e.g. `filled with fresh sunflowers`."""
        return f"{self.verb} {self.rest}".rstrip()


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ObjectPlace:
    """The claim that an object is in a room. container: None if the object stands in the open."""

    object: str
    room: str
    container: str | None = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ObjectState:
    """The claim that an object has been changed. state: e.g. `filled with fresh sunflowers`."""

    object: str
    state: str


Claim: TypeAlias = ObjectPlace | ObjectState
"""What one person may tell another about the world."""


def words_of(claim: Claim) -> str:
    """A claim in words: `the map is in the cardboard tube in the planning department`."""
    if isinstance(claim, ObjectState):
        return f"the {claim.object} is {claim.state}"
    container = f"in the {claim.container} " if claim.container else ""
    return f"the {claim.object} is {container}in the {claim.room}"


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class _Action:
    """What every action has. kind: its name in JSON. person: who acts."""

    kind: ClassVar[str]
    person: str
    peekers: People = field(default=(), kw_only=True)
    distracted: People = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Enter(_Action):
    """Enters a room, leaving the current one first."""

    kind: ClassVar[str] = "enter"
    room: str


@dataclass(frozen=True, slots=True)
class Leave(_Action):
    """Leaves a room; the person is then in no room."""

    kind: ClassVar[str] = "leave"
    room: str


@dataclass(frozen=True, slots=True)
class PutInto(_Action):
    """Moves an object into a container of the room (the paper's moveObjContainer)."""

    kind: ClassVar[str] = "move_to_container"
    object: str
    container: str
    room: str


@dataclass(frozen=True, slots=True)
class CarryTo(_Action):
    """Takes an object to another room, out of its container if it is in one (moveObjRoom)."""

    kind: ClassVar[str] = "move_to_room"
    object: str
    room: str


@dataclass(frozen=True, slots=True)
class Alter(_Action):
    """Changes an object (updateObjState)."""

    kind: ClassVar[str] = "change"
    change: Change


@dataclass(frozen=True, slots=True)
class Inform(_Action):
    """Tells a claim to one `listener`, wherever both are, or to everyone in a `room`; the other is None (info-*)."""

    kind: ClassVar[str] = "inform"
    claim: Claim
    listener: str | None = None
    room: str | None = None


@dataclass(frozen=True, slots=True)
class TalkAbout(_Action):
    """Talks about a topic; all participants then know about it. listener, room: as in `Inform` (chitChat-*)."""

    kind: ClassVar[str] = "talk_about"
    topic: str
    listener: str | None = None
    room: str | None = None


StoryAction: TypeAlias = Enter | Leave | PutInto | CarryTo | Alter | Inform | TalkAbout
KINDS: Mapping[str, type[StoryAction]] = {
    kind.kind: kind for kind in (Enter, Leave, PutInto, CarryTo, Alter, Inform, TalkAbout)
}
"""The classes of actions by their name in JSON."""


@dataclass(frozen=True, slots=True)
class StoryScript:
    """A story: its actions in order. sees_contents: True if entering a room shows what its containers hold (ToMi)."""

    actions: tuple[StoryAction, ...]
    sees_contents: bool = False

    @property
    def people(self) -> People:
        """All people whom the story mentions, in the order of first mention."""
        return tuple(dict.fromkeys(name for action in self.actions for name in people_of(action)))

    @property
    def rooms(self) -> tuple[str, ...]:
        """All rooms in which something happens, in the order of first mention."""
        return tuple(dict.fromkeys(room for action in self.actions if (room := getattr(action, "room", None))))


def people_of(action: StoryAction) -> People:
    """All people whom an action mentions: the actor, the listener, peekers and distracted people."""
    listener = action.listener if isinstance(action, Inform | TalkAbout) else None
    listeners = (listener,) if listener else ()
    return (action.person, *listeners, *action.peekers, *action.distracted)


def is_asymmetric(action: StoryAction) -> bool:
    """True if someone peeks or is distracted."""
    return bool(action.peekers or action.distracted)
