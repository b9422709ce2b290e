"""A slow reference implementation of beliefs of any order, directly by their definition.

Each person keeps a list of its perceptions and of the witnesses of each. What A believes follows from all of A's
perceptions. What A thinks that B believes follows, by the same rules, from those of A's perceptions that B witnessed;
what A thinks that B thinks that C believes, from those of them that C witnessed, too; and so on. Peekers are no
witnesses, distracted people are: others think that these saw what they missed. Beliefs about beliefs are derived, not
stored, so no update can be forgotten. Actions are expected to be possible; nothing checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Enter,
    Inform,
    Leave,
    PutInto,
    StoryAction,
    StoryScript,
    TalkAbout,
)
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    Key,
    Missing,
    ObjectLocation,
    Value,
    claim_key,
    claim_value,
    location_key,
    room_key,
    state_key,
    topic_key,
)


@dataclass(frozen=True)
class Sight:
    """A fact that was seen: at this time the key had this value."""

    time: int
    key: Key
    value: Value


@dataclass(frozen=True)
class Look:
    """All facts that someone who looks around in a room sees."""

    time: int
    room: str
    seen: Mapping[Key, Value]


@dataclass(frozen=True)
class Telling:
    """A fact that was told. since: the time of the sighting that it goes back to, the teller's own or another's."""

    time: int
    teller: str
    key: Key
    value: Value
    since: int


Perception: TypeAlias = Sight | Look | Telling
Held: TypeAlias = dict[Key, tuple[Value, int]]
"""Beliefs: (value, time at which it was seen to be true) by key."""


class DefinedBeliefs:
    """The world at the end of a story, and each person's perceptions with their witnesses.

    people: further people whose beliefs may be asked for, beside those whom the story mentions.
    """

    def __init__(self, script: StoryScript, people: Sequence[str] = ()) -> None:
        self.people = tuple(dict.fromkeys((*script.people, *people)))
        self.sees_contents, self.time = script.sees_contents, 0
        self.rooms: dict[str, str] = {}
        self.containers: dict[str, str] = {}
        self.locations: dict[str, ObjectLocation] = {}
        self.changes: dict[tuple[str, str], bool] = {}
        self._perceived: dict[str, list[tuple[Perception, frozenset[str]]]] = {name: [] for name in self.people}
        for action in script.actions:
            self._apply(action)

    def chained_belief(self, people: Sequence[str], key: Key) -> Value | None:
        """What the first person thinks that the second thinks ... that the last believes; None if nothing."""
        held = self._held(people).get(key)
        return held[0] if held else None

    def all_beliefs(self, people: Sequence[str]) -> Mapping[Key, Value]:
        """All that the first person thinks that the second thinks ... that the last believes, by key."""
        return {key: value for key, (value, _) in self._held(people).items()}

    def _held(self, people: Sequence[str]) -> Held:
        """The beliefs of `all_beliefs`, with the time at which each was seen to be true."""
        chain = [name for name, _ in groupby(people)]  # what A thinks that A itself believes is what A believes
        held: Held = {}
        for perception, witnesses in self._perceived[chain[0]]:
            if witnesses.issuperset(chain[1:]):
                self._update(held, perception, believer=chain[-1], is_imagined=len(chain) > 1)
        return held

    # What follows from perceptions

    def _update(self, held: Held, perception: Perception, believer: str, *, is_imagined: bool) -> None:
        """Updates a believer's beliefs by a perception.

        is_imagined: True if these are what another person thinks that the believer believes.
        """
        if isinstance(perception, Sight):
            held[perception.key] = (perception.value, perception.time)
        elif isinstance(perception, Look):
            self._look_about(held, perception)
        elif perception.teller == believer:
            if is_imagined:  # the teller itself learns nothing by telling
                held[perception.key] = (perception.value, perception.since)
        elif perception.key not in held or self._convinces(*held[perception.key], perception):
            held[perception.key] = (perception.value, perception.since)

    def _look_about(self, held: Held, look: Look) -> None:
        for key, (value, since) in list(held.items()):
            if key in look.seen:
                continue
            if key[0] == "room" and key[1] in self.people and value == look.room:
                held[key] = (AwayFrom(look.room), since)
            if key[0] == "location" and self._is_visible_in(look.room, value):
                held[key] = (Missing(look.room, look.time), since)
        for key, value in look.seen.items():
            held[key] = (value, look.time)

    def _convinces(self, value: Value, since: int, told: Telling) -> bool:
        """True if a claim replaces a belief that goes back to time `since`."""
        if told.since < since:
            return False
        was_looked_for = isinstance(value, Missing) and self._is_visible_in(value.room, told.value)
        return not (was_looked_for and isinstance(value, Missing) and told.since <= value.looked)

    def _is_visible_in(self, room: str, value: Value) -> bool:
        """True if an object at this location is seen by looking around in the room."""
        if not isinstance(value, ObjectLocation) or value.room != room:
            return False
        return self.sees_contents or value.container is None

    # What is perceived

    def _inside(self, room: str) -> set[str]:
        return {name for name, place in self.rooms.items() if place == room}

    def _show(
        self, action: StoryAction, witnesses: Iterable[str], perception: Perception, *, peek: bool = True
    ) -> None:
        """Adds a perception for all who attend: witnesses, and peekers if `peek`, without distracted people."""
        present = frozenset(witnesses)
        attending = (present | set(action.peekers if peek else ())) - set(action.distracted)
        for name in attending:
            self._perceived[name].append((perception, present))

    def _apply(self, action: StoryAction) -> None:
        self.time += 1
        match action:
            case Enter():
                self._step_out(action)
                self._step_in(action, action.room)
                self._look(action, action.room)
            case Leave():
                self._step_out(action)
            case PutInto():
                self._put(action)
            case CarryTo():
                self._carry(action)
            case Alter():
                self._alter(action)
            case Inform():
                self._inform(action)
            case TalkAbout():
                topic = Sight(self.time, topic_key(action.topic), True)
                self._show(action, self._participants(action), topic)

    def _step_out(self, action: StoryAction) -> None:
        room = self.rooms.get(action.person)
        if room:
            witnesses = self._inside(room)
            del self.rooms[action.person]
            self._show(action, witnesses, Sight(self.time, room_key(action.person), AwayFrom(room)))

    def _step_in(self, action: StoryAction, room: str) -> None:
        self.rooms[action.person] = room
        self._show(action, self._inside(room), Sight(self.time, room_key(action.person), room))

    def _look(self, action: StoryAction, room: str) -> None:
        seen: dict[Key, Value] = {room_key(name): room for name in self._inside(room)}
        seen |= {room_key(name): room for name, place in self.containers.items() if place == room}
        for thing, location in self.locations.items():
            if self._is_visible_in(room, location):
                seen[location_key(thing)] = location
            if location == ObjectLocation(room):
                seen |= {
                    state_key(thing, state): True
                    for (changed, state), is_visible in self.changes.items()
                    if changed == thing and is_visible
                }
        self._show(action, self._inside(room), Look(self.time, room, seen), peek=False)

    def _put(self, action: PutInto) -> None:
        self.locations[action.object] = ObjectLocation(action.room, action.container)
        self.containers[action.container] = action.room
        witnesses = self._inside(action.room)
        self._show(action, witnesses, Sight(self.time, location_key(action.object), self.locations[action.object]))
        self._show(action, witnesses, Sight(self.time, room_key(action.container), action.room))

    def _carry(self, action: CarryTo) -> None:
        room = self.rooms[action.person]
        gone = Sight(self.time, location_key(action.object), AwayFrom(room))
        self._show(action, self._inside(room), gone)
        self._step_out(action)
        self._step_in(action, action.room)
        self.locations[action.object] = ObjectLocation(action.room)
        there = Sight(self.time, location_key(action.object), self.locations[action.object])
        self._show(action, self._inside(action.room), there)
        self._look(action, action.room)

    def _alter(self, action: Alter) -> None:
        room, change = self.rooms[action.person], action.change
        self.locations.setdefault(change.object, ObjectLocation(room))
        self.changes[change.object, change.state] = change.is_visible
        witnesses = self._inside(room)
        self._show(action, witnesses, Sight(self.time, state_key(change.object, change.state), True))
        self._show(action, witnesses, Sight(self.time, location_key(change.object), self.locations[change.object]))

    def _participants(self, action: Inform | TalkAbout) -> set[str]:
        if action.listener:
            return {action.person, action.listener}
        return self._inside(self.rooms[action.person])

    def _inform(self, action: Inform) -> None:
        key = claim_key(action.claim)
        _, since = self._held((action.person,))[key]
        telling = Telling(self.time, action.person, key, claim_value(action.claim), since)
        self._show(action, self._participants(action), telling)
