"""Evidence: what everyone believes of everything that can be known, and what each thinks that each other believes.

For each key the store holds evidence: a value, when it was seen to be so, and of which pairs of people. Pair (a, b)
stands for what a thinks that b believes, and (a, a) for what a believes. A set of pairs is an integer with one bit for
each, so that an action costs a few operations whatever the number of people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hm_agent.worlds.exploretom.story.actions import Claim, ObjectPlace


class ObjectLocation(NamedTuple):
    """Where an object is. container: None if it stands in the room openly."""

    room: str
    container: str | None = None


class AwayFrom(NamedTuple):
    """Where someone or something is of which only is known that it left this room."""

    room: str


@dataclass(frozen=True, slots=True)
class Missing:
    """Where an object is that was believed to stand in a room openly and was not seen there. looked: when."""

    room: str
    looked: int


Value: TypeAlias = str | bool | ObjectLocation | AwayFrom | Missing
Key: TypeAlias = tuple[str, ...]
Evidence: TypeAlias = tuple[Value, int, int]
"""(value, when it was seen to be so, the pairs of people that hold it)"""


def room_key(name: str) -> Key:
    """The room of a person or of a container; the value is its name, or `AwayFrom` one."""
    return ("room", name)


def location_key(thing: str) -> Key:
    """Where an object is; the value is an `ObjectLocation`, `AwayFrom` a room, or `Missing`."""
    return ("location", thing)


def state_key(thing: str, state: str) -> Key:
    """Whether an object is so; the value is True."""
    return ("state", thing, state)


def topic_key(topic: str) -> Key:
    """Whether one knows about a topic; the value is True."""
    return ("topic", topic)


def claim_key(claim: Claim) -> Key:
    """What a claim is about."""
    return location_key(claim.object) if isinstance(claim, ObjectPlace) else state_key(claim.object, claim.state)


def claim_value(claim: Claim) -> Value:
    """What a claim says of it."""
    return ObjectLocation(claim.room, claim.container) if isinstance(claim, ObjectPlace) else True


_PAIRS: dict[tuple[int, int, int], int] = {}


def sighting_pairs(people: int, attending: int, witnesses: int) -> int:
    """The pairs that a sighting concerns: of each who attends with itself and with each witness.

    people: their number. attending, witnesses: sets of people, one bit for each.
    """
    key = (people, attending, witnesses)
    found = _PAIRS.get(key)
    if found is None:
        found = 0
        for person in range(people):
            if attending >> person & 1:
                found |= (witnesses | 1 << person) << (person * people)
        if len(_PAIRS) < 1 << 16:
            _PAIRS[key] = found
    return found


class EvidenceStore:
    """The evidence of a number of people, by key; people are numbers from 0."""

    __slots__ = ("_held", "people")

    def __init__(self, people: int) -> None:
        self.people = people
        self._held: dict[Key, list[Evidence]] = {}

    def copy(self) -> EvidenceStore:
        """The same evidence, to be changed apart from this."""
        made = EvidenceStore(self.people)
        made._held = self._held.copy()  # lists of evidence are never changed, only replaced
        return made

    def keys(self) -> Iterator[Key]:
        """Everything of which anybody believes anything."""
        return iter(self._held)

    def of(self, key: Key) -> Sequence[Evidence]:
        """All evidence of one key; no pair is in two."""
        return self._held.get(key, ())

    def held_by(self, person: int, other: int, key: Key) -> Evidence | None:
        """What a person thinks that another believes, and since when; None if nothing."""
        pair = 1 << (person * self.people + other)
        for held in self._held.get(key, ()):
            if held[2] & pair:
                return held
        return None

    def values(self, key: Key) -> Sequence[Value | None]:
        """All pairs' values of a key: what person i thinks that person j believes at i * people + j."""
        found: list[Value | None] = [None] * self.people**2
        for value, _, pairs in self._held.get(key, ()):
            while pairs:
                lowest = pairs & -pairs
                found[lowest.bit_length() - 1] = value
                pairs ^= lowest
        return found

    def hold(self, key: Key, value: Value, since: int, pairs: int) -> None:
        """These pairs hold a value from now on, whatever they held before."""
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
        """The same for where people and containers are, of which nobody tells: when it was seen does not matter."""
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
        """These pairs' values are replaced by what `new` says, which is None where they stay."""
        for value, since, its in self._held.get(key, ()):
            changed = its & pairs
            if changed and (replaced := new(value)) is not None:
                self.hold(key, replaced, since, changed)
