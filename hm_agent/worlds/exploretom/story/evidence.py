"""Stores evidence: what everyone believes about every key, and what each person thinks that each other believes.

For each key the store holds pieces of evidence: a value, the time at which it was seen to be true, and the pairs of
people who hold it. Pair (a, b) stands for what a thinks that b believes, and (a, a) for what a believes. A set of pairs
is an integer with one bit for each, so that an action costs a few operations whatever the number of people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from hm_agent.worlds.exploretom.story.actions import Claim, ObjectPlace


class ObjectLocation(NamedTuple):
    """Where an object is. container: None if the object stands in the open."""

    room: str
    container: str | None = None


class AwayFrom(NamedTuple):
    """An unknown place of a person or thing; only that it is not in this room is known."""

    room: str


@dataclass(frozen=True, slots=True)
class Missing:
    """An unknown place of an object that was expected in this room and not seen there. looked: when."""

    room: str
    looked: int


Value: TypeAlias = str | bool | ObjectLocation | AwayFrom | Missing
Key: TypeAlias = tuple[str, ...]
Evidence: TypeAlias = tuple[Value, int, int]
"""(value, time at which it was seen to be true, set of the pairs of people who hold it)"""


def room_key(name: str) -> Key:
    """The key for the room of a person or container; its value is the room's name or `AwayFrom`."""
    return ("room", name)


def location_key(thing: str) -> Key:
    """The key for where an object is; its value is an `ObjectLocation`, `AwayFrom` or `Missing`."""
    return ("location", thing)


def state_key(thing: str, state: str) -> Key:
    """The key for an object's being in a state; its value is True."""
    return ("state", thing, state)


def topic_key(topic: str) -> Key:
    """The key for knowing about a topic; its value is True."""
    return ("topic", topic)


def claim_key(claim: Claim) -> Key:
    """The key that a claim is about."""
    return location_key(claim.object) if isinstance(claim, ObjectPlace) else state_key(claim.object, claim.state)


def claim_value(claim: Claim) -> Value:
    """The value that a claim gives to its key."""
    return ObjectLocation(claim.room, claim.container) if isinstance(claim, ObjectPlace) else True


@lru_cache(maxsize=1 << 16)
def sighting_pairs(people: int, attending: int, witnesses: int) -> int:
    """The pairs whose beliefs a sighting changes: each attending person with itself and with each witness.

    people: how many there are. attending, witnesses: sets of people, one bit for each.
    """
    pairs = 0
    for person in range(people):
        if attending >> person & 1:
            pairs |= (witnesses | 1 << person) << (person * people)
    return pairs


class EvidenceStore:
    """The evidence of a number of people, by key; people are numbers from 0."""

    __slots__ = ("_held", "people")

    def __init__(self, people: int) -> None:
        self.people = people
        self._held: dict[Key, list[Evidence]] = {}

    def copy(self) -> EvidenceStore:
        made = EvidenceStore(self.people)
        made._held = self._held.copy()  # lists of evidence are never changed, only replaced
        return made

    def keys(self) -> Iterator[Key]:
        """All keys about which anybody believes anything."""
        return iter(self._held)

    def of(self, key: Key) -> Sequence[Evidence]:
        """All evidence for a key; each pair is in at most one piece of it."""
        return self._held.get(key, ())

    def held_by(self, person: int, other: int, key: Key) -> Evidence | None:
        """The evidence for what a person thinks that another believes; None if there is none."""
        pair = 1 << (person * self.people + other)
        for held in self._held.get(key, ()):
            if held[2] & pair:
                return held
        return None

    def values(self, key: Key) -> Sequence[Value | None]:
        """The values that all pairs hold: what person i thinks that person j believes is at i * people + j."""
        found: list[Value | None] = [None] * self.people**2
        for value, _, pairs in self._held.get(key, ()):
            while pairs:
                lowest = pairs & -pairs
                found[lowest.bit_length() - 1] = value
                pairs ^= lowest
        return found

    def hold(self, key: Key, value: Value, since: int, pairs: int) -> None:
        """Sets the value that these pairs hold, and when it was seen, in place of what they held before."""
        if not pairs:
            return
        held = self._held.get(key)
        if held:
            others = ~pairs
            kept = [(old, time, rest) for old, time, its in held if (rest := its & others)]
            kept.append((value, since, pairs))
            self._held[key] = kept
        else:
            self._held[key] = [(value, since, pairs)]

    def hold_room(self, name: str, room: str | AwayFrom, pairs: int) -> None:
        """Like `hold`, for the rooms of people and containers; keeps no times, since nobody tells of these."""
        key = room_key(name)
        held = self._held.get(key)
        if held is None:
            self._held[key] = [(room, 0, pairs)]
            return
        kept: list[Evidence] = []
        for one in held:
            value, _, its = one
            if value == room:
                if its & pairs == pairs:
                    return
                pairs |= its
            elif not its & pairs:
                kept.append(one)
            elif rest := its & ~pairs:
                kept.append((value, 0, rest))
        kept.append((room, 0, pairs))
        self._held[key] = kept

    def replace(self, key: Key, pairs: int, new: Callable[[Value], Value | None]) -> None:
        """Replaces the values of these pairs by `new(value)`, with the same time, except where that is None."""
        for value, since, its in self._held.get(key, ()):
            changed = its & pairs
            if changed and (replaced := new(value)) is not None:
                self.hold(key, replaced, since, changed)
