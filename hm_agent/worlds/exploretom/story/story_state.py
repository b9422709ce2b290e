"""The state of a story after some actions: the world, everyone's beliefs, and who would witness an action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from hm_agent.worlds.exploretom.story.actions import CarryTo, Enter, Inform, StoryAction, TalkAbout
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    EvidenceStore,
    Key,
    ObjectLocation,
    Value,
    sighting_pairs,
)


class StoryState:
    """The world and everyone's beliefs. A set of people is an integer with one bit for each, in the order of `people`.

    people: all who can take part. sees_contents: True if entering a room shows what its containers hold.
    follows_beliefs: False to track the world alone, which suffices to decide whether people can walk and handle things.
    rooms: each person's room, or `AwayFrom` the last one. inside: the set of people in each room. containers: the room
    of each container that has been used. locations, first_locations: where each object is, and where it was first.
    changes: whether each change is visible, by object and state. moves: (the number of the action, the object, its
    location before or None), for each action that moved an object. time: the number of actions so far.
    """

    __slots__ = (
        "_index",
        "changes",
        "containers",
        "evidence",
        "first_locations",
        "follows_beliefs",
        "inside",
        "locations",
        "moves",
        "people",
        "rooms",
        "sees_contents",
        "time",
    )

    def __init__(self, people: Iterable[str], *, sees_contents: bool = False, follows_beliefs: bool = True) -> None:
        self.people = tuple(people)
        self.sees_contents, self.follows_beliefs = sees_contents, follows_beliefs
        self.time = 0
        self.rooms: dict[str, str | AwayFrom] = {}
        self.inside: dict[str, int] = {}
        self.containers: dict[str, str] = {}
        self.locations: dict[str, ObjectLocation] = {}
        self.first_locations: dict[str, ObjectLocation] = {}
        self.changes: dict[tuple[str, str], bool] = {}
        self.moves: list[tuple[int, str, ObjectLocation | None]] = []
        self.evidence = EvidenceStore(len(self.people))
        self._index = {name: index for index, name in enumerate(self.people)}

    def copy(self) -> Self:
        made = type(self).__new__(type(self))
        made.people, made.sees_contents, made.time = self.people, self.sees_contents, self.time
        made.follows_beliefs = self.follows_beliefs
        made.rooms, made.inside, made.containers = self.rooms.copy(), self.inside.copy(), self.containers.copy()
        made.locations, made.first_locations = self.locations.copy(), self.first_locations.copy()
        made.changes, made.moves = self.changes.copy(), self.moves.copy()
        made.evidence, made._index = self.evidence.copy(), self._index
        return made

    # What is believed

    def belief(self, person: str, key: Key) -> Value | None:
        """What a person believes; None if nothing."""
        return self.nested_belief(person, person, key)

    def nested_belief(self, person: str, other: str, key: Key) -> Value | None:
        """What a person thinks that another believes; for the same person twice, what it believes. None if nothing."""
        evidence = self.evidence.held_by(self._index[person], self._index[other], key)
        return evidence[0] if evidence else None

    def beliefs(self, key: Key) -> Sequence[Value | None]:
        """The values that all pairs hold: what person i thinks that person j believes is at i * people + j."""
        return self.evidence.values(key)

    def known_keys(self) -> Iterator[Key]:
        """All keys about which anybody believes anything."""
        return self.evidence.keys()

    # Who sees what

    def people_in(self, room: str) -> Iterator[str]:
        inside = self.inside.get(room, 0)
        return (name for index, name in enumerate(self.people) if inside >> index & 1)

    def index_of(self, name: str) -> int:
        return self._index[name]

    def is_known(self, name: str) -> bool:
        return name in self._index

    def bits(self, names: Iterable[str]) -> int:
        """The set of the people with these names."""
        return sum(1 << self._index[name] for name in names)

    def witnesses(self, action: StoryAction) -> int:
        """The set of people who would see an action if nobody peeked or was distracted."""
        rooms = [self.rooms.get(action.person)]
        if isinstance(action, Inform | TalkAbout) and action.listener:
            return self.bits((action.person, action.listener))
        if isinstance(action, Enter | CarryTo):
            rooms.append(action.room)
        found = 1 << self._index[action.person]
        for room in rooms:
            found |= self.inside.get(room, 0) if isinstance(room, str) else 0
        return found

    def would_witness(self, name: str, action: StoryAction) -> bool:
        """True if a person would see an action unless distracted, without peeking."""
        return bool(self.witnesses(action) >> self._index[name] & 1)

    def sighting(self, action: StoryAction, witnesses: int) -> int:
        """The pairs whose beliefs change when these people witness an action, given who peeks and who is distracted."""
        attending = witnesses
        if action.peekers or action.distracted:
            attending = (witnesses | self.bits(action.peekers)) & ~self.bits(action.distracted)
        return sighting_pairs(len(self.people), attending, witnesses)
