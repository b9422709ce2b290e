"""What is so in a story, what each person believes, and what each believes that each other believes.

For everything that can be known (a key) the tracker holds evidence: a value, when it was seen to be so, and of which
pairs of people. Pair (a, b) stands for what a thinks that b believes, and (a, a) for what a believes. A set of pairs is
an integer with one bit for each, so that an action costs a few operations whatever the number of people.

A sighting is seen by those who attend: witnesses and peekers without the distracted. Each of them believes it from then
on, and thinks that every witness does. So all take it that the distracted saw it, and nobody that a peeker did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from hm_agent.worlds.exploretom.actions import (
    Alter,
    CarryTo,
    Claim,
    Enter,
    Inform,
    Leave,
    ObjectPlace,
    ObjectState,
    PutInto,
    StoryAction,
    StoryScript,
    TalkAbout,
)


class StoryError(ValueError):
    """An action can't happen, or a story can't be read; one line that says why."""


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


_PAIRS: dict[tuple[int, int, int], int] = {}


def _pairs(number: int, attending: int, witnesses: int) -> int:
    """The pairs that a sighting concerns, of `number` people: of each who attends with itself and with each witness."""
    key = (number, attending, witnesses)
    found = _PAIRS.get(key)
    if found is None:
        found = 0
        for person in range(number):
            if attending >> person & 1:
                found |= (witnesses | 1 << person) << (person * number)
        if len(_PAIRS) < 1 << 16:
            _PAIRS[key] = found
    return found


class BeliefTracker:
    """A story as it stands after some actions.

    people: all who can take part. sees_contents: True if entering a room shows what its containers hold.
    rooms: where people are: a room, or `AwayFrom` the last one. containers: their rooms, as far as they were used.
    locations: of objects. changes: whether each is visible, by object and state. moves: (the number of the action, the
    object, its location before or None), for each action that moved one. time: the number of actions so far.
    """

    __slots__ = (
        "_beliefs",
        "_index",
        "_inside",
        "changes",
        "containers",
        "first_locations",
        "locations",
        "moves",
        "people",
        "rooms",
        "sees_contents",
        "time",
    )

    def __init__(self, people: Iterable[str], *, sees_contents: bool = False) -> None:
        self.people = tuple(people)
        self.sees_contents = sees_contents
        self.time = 0
        self.rooms: dict[str, str | AwayFrom] = {}
        self.containers: dict[str, str] = {}
        self.locations: dict[str, ObjectLocation] = {}
        self.first_locations: dict[str, ObjectLocation] = {}
        self.changes: dict[tuple[str, str], bool] = {}
        self.moves: list[tuple[int, str, ObjectLocation | None]] = []
        self._index = {name: index for index, name in enumerate(self.people)}
        self._inside: dict[str, int] = {}
        self._beliefs: dict[Key, list[Evidence]] = {}

    def copy(self) -> BeliefTracker:
        """The same story, to be continued apart from this one."""
        made = BeliefTracker.__new__(BeliefTracker)
        made.people, made.sees_contents, made.time = self.people, self.sees_contents, self.time
        made.rooms, made.containers = self.rooms.copy(), self.containers.copy()
        made.locations, made.first_locations = self.locations.copy(), self.first_locations.copy()
        made.changes, made.moves = self.changes.copy(), self.moves.copy()
        made._index, made._inside, made._beliefs = self._index, self._inside.copy(), self._beliefs.copy()
        return made

    # What is believed

    def belief(self, person: str, key: Key) -> Value | None:
        """What a person believes; None if nothing."""
        return self.nested_belief(person, person, key)

    def nested_belief(self, person: str, other: str, key: Key) -> Value | None:
        """What a person thinks that another believes; None if nothing. Of oneself: what one believes."""
        evidence = self._evidence(self._index[person], self._index[other], key)
        return evidence[0] if evidence else None

    def beliefs(self, key: Key) -> Sequence[Value | None]:
        """All pairs' values of a key at once: what person i thinks that person j believes at i * people + j."""
        found: list[Value | None] = [None] * len(self.people) ** 2
        for value, _, pairs in self._beliefs.get(key, ()):
            while pairs:
                lowest = pairs & -pairs
                found[lowest.bit_length() - 1] = value
                pairs ^= lowest
        return found

    def known_keys(self) -> Iterator[Key]:
        """Everything of which anybody believes anything."""
        return iter(self._beliefs)

    def people_in(self, room: str) -> Iterator[str]:
        """Who is in a room."""
        inside = self._inside.get(room, 0)
        return (name for index, name in enumerate(self.people) if inside >> index & 1)

    def _evidence(self, person: int, other: int, key: Key) -> Evidence | None:
        pair = 1 << (person * len(self.people) + other)
        return next((held for held in self._beliefs.get(key, ()) if held[2] & pair), None)

    # What happens

    def apply(self, action: StoryAction) -> None:
        """Lets an action happen; raises StoryError, and changes nothing, if it can't."""
        problem = self.problem(action)
        if problem:
            raise StoryError(problem)
        self.perform(action)

    def perform(self, action: StoryAction) -> None:
        """Lets an action happen that is known to be possible."""
        self.time += 1
        _EFFECTS[type(action)](self, action)

    def would_witness(self, name: str, action: StoryAction) -> bool:
        """True if a person would see an action unless distracted, without peeking."""
        return bool(self._witnesses(action) >> self._index[name] & 1)

    def problem(self, action: StoryAction) -> str | None:
        """Why an action can't happen now, in one line; None if it can."""
        unknown = action.person if action.person not in self._index else None
        if unknown:
            return f"nobody is called {unknown}: there are {', '.join(self.people)}"
        found = _CHECKS[type(action)](self, action)
        if not found and (action.peekers or action.distracted):
            found = self._asymmetry_problem(action)
        return found

    def _asymmetry_problem(self, action: StoryAction) -> str | None:
        witnesses = self._witnesses(action)
        for name in (*action.peekers, *action.distracted):
            if name not in self._index:
                return f"nobody is called {name}: there are {', '.join(self.people)}"
            if name == action.person:
                return f"{name} acts, and can neither peek at that nor be distracted from it"
        for name in action.peekers:
            if witnesses >> self._index[name] & 1:
                return f"{name} sees it anyway, and can't peek"
        for name in action.distracted:
            if not witnesses >> self._index[name] & 1:
                return f"{name} would not see it anyway, and can't be distracted from it"
        return None

    def _witnesses(self, action: StoryAction) -> int:
        """Who would see an action if nobody were distracted, as a set of bits."""
        rooms = [self.rooms.get(action.person)]
        if isinstance(action, Inform | TalkAbout) and action.listener:
            return 1 << self._index[action.person] | 1 << self._index[action.listener]
        if isinstance(action, Enter | CarryTo):
            rooms.append(action.room)
        found = 1 << self._index[action.person]
        for room in rooms:
            found |= self._inside.get(room, 0) if isinstance(room, str) else 0
        return found

    def _bits(self, names: Iterable[str]) -> int:
        return sum(1 << self._index[name] for name in names)

    def _sighting(self, action: StoryAction, witnesses: int) -> int:
        """The pairs that an action concerns which these people witness."""
        attending = witnesses
        if action.peekers or action.distracted:
            attending = (witnesses | self._bits(action.peekers)) & ~self._bits(action.distracted)
        return _pairs(len(self.people), attending, witnesses)

    def _hold(self, key: Key, value: Value, since: int, pairs: int) -> None:
        """These pairs hold a value from now on, whatever they held before."""
        held = self._beliefs.get(key)
        if not pairs:
            return
        if held:
            kept = [(old, time, rest) for old, time, its in held if (rest := its & ~pairs)]
            kept.append((value, since, pairs))
            self._beliefs[key] = kept
        else:
            self._beliefs[key] = [(value, since, pairs)]

    def _see_room(self, key: Key, room: str | AwayFrom, pairs: int) -> None:
        """The same for where people and containers are, of which nobody tells: when it was seen does not matter."""
        kept = []
        for held in self._beliefs.get(key, ()):
            value, _, its = held
            if value == room:
                if its & pairs == pairs:
                    return
                pairs |= its
            elif rest := its & ~pairs:
                kept.append((value, 0, rest))
        kept.append((room, 0, pairs))
        self._beliefs[key] = kept

    def _replace(self, key: Key, pairs: int, new: Callable[[Value], Value | None]) -> None:
        """These pairs' values are replaced by what `new` says, which is None where they stay."""
        for value, since, its in self._beliefs.get(key, ()):
            changed = its & pairs
            if changed and (replaced := new(value)) is not None:
                self._hold(key, replaced, since, changed)

    def _step_out(self, action: StoryAction, room: str) -> None:
        """Who acts leaves a room before the eyes of those in it."""
        witnesses, person = self._inside[room], action.person
        self._inside[room] = witnesses & ~(1 << self._index[person])
        gone = self.rooms[person] = AwayFrom(room)
        self._see_room(("room", person), gone, self._sighting(action, witnesses))

    def _step_in(self, action: StoryAction, room: str) -> None:
        """Who acts enters a room before the eyes of those in it."""
        person = action.person
        witnesses = self._inside[room] = self._inside.get(room, 0) | 1 << self._index[person]
        self.rooms[person] = room
        self._see_room(("room", person), room, self._sighting(action, witnesses))

    def _look(self, action: StoryAction, room: str) -> None:
        """When someone enters, all in the room who attend see who and what is there, and what is not.

        What a container holds is not seen, unless the story says so.
        """
        witnesses = self._inside[room]
        attending = witnesses & ~self._bits(action.distracted) if action.distracted else witnesses
        pairs = _pairs(len(self.people), attending, witnesses)
        for name, place in self.rooms.items():
            key = ("room", name)
            if place == room:
                self._see_room(key, room, pairs)
            else:
                for value, _, its in self._beliefs.get(key, ()):
                    if value == room and its & pairs:
                        self._see_room(key, AwayFrom(room), its & pairs)
                        break
        for name, place in self.containers.items():
            if place == room:
                self._see_room(("room", name), room, pairs)
        for name, location in self.locations.items():
            self._look_for(name, location, room, pairs)

    def _look_for(self, thing: str, location: ObjectLocation, room: str, pairs: int) -> None:
        key = ("location", thing)
        if location.room == room and (location.container is None or self.sees_contents):
            self._hold(key, location, self.time, pairs)
            if location.container is None:
                for (changed, state), is_visible in self.changes.items():
                    if is_visible and changed == thing:
                        self._hold(("state", thing, state), True, self.time, pairs)
        elif key in self._beliefs:
            missing = Missing(room, self.time)
            self._replace(key, pairs, lambda value: missing if self._shows(value, room) else None)

    def _shows(self, value: Value, room: str) -> bool:
        """True if whoever believes this expects to see the object on entering the room."""
        if not isinstance(value, ObjectLocation) or value.room != room:
            return False
        return value.container is None or self.sees_contents

    def _move(self, thing: str, location: ObjectLocation) -> None:
        self.moves.append((self.time, thing, self.locations.get(thing)))
        self.locations[thing] = location
        self.first_locations.setdefault(thing, location)

    def _listeners(self, action: Inform | TalkAbout) -> int:
        """Who takes part: the teller and the listener, or all in the room."""
        if action.listener is None:
            return self._inside[self.rooms[action.person]]  # type: ignore[index]
        return self._bits((action.person, action.listener))

    def _accepts(self, held: Evidence, claim: Value, since: int) -> bool:
        """True if someone with this evidence believes a claim that was seen to be so at a time.

        Later evidence wins. Who looked for something in a room does not believe that it stood there before.
        """
        value, time, _ = held
        if since < time:
            return False
        return not (isinstance(value, Missing) and since <= value.looked and self._shows(claim, value.room))


def track(script: StoryScript) -> BeliefTracker:
    """The end of a story; raises StoryError, with the number of the action, if one can't happen."""
    tracker = BeliefTracker(script.people, sees_contents=script.sees_contents)
    for number, action in enumerate(script.actions, 1):
        try:
            tracker.apply(action)
        except StoryError as error:
            raise StoryError(f"action {number}: {error}") from error
    return tracker


def claim_key(claim: Claim) -> Key:
    """What a claim is about."""
    if isinstance(claim, ObjectPlace):
        return ("location", claim.object)
    return ("state", claim.object, claim.state)


def claim_value(claim: Claim) -> Value:
    """What a claim says of it."""
    return ObjectLocation(claim.room, claim.container) if isinstance(claim, ObjectPlace) else True


# Preconditions: why an action can't happen, or None


def _cant_enter(tracker: BeliefTracker, action: Enter) -> str | None:
    is_in = tracker.rooms.get(action.person) == action.room
    return f"{action.person} is in the {action.room} already" if is_in else None


def _not_in(tracker: BeliefTracker, person: str, room: str) -> str | None:
    return None if tracker.rooms.get(person) == room else f"{person} is not in the {room}"


def _cant_leave(tracker: BeliefTracker, action: Leave) -> str | None:
    return _not_in(tracker, action.person, action.room)


def _cant_put(tracker: BeliefTracker, action: PutInto) -> str | None:
    room, container = action.room, action.container
    if tracker.rooms.get(action.person) != room:
        return f"{action.person} is not in the {room}"
    location = tracker.locations.get(action.object)
    if location is not None:
        if location.room != room:
            return f"the {action.object} is in the {location.room}, not in the {room}"
        if location.container == container:
            return f"the {action.object} is in the {container} already"
    elsewhere = tracker.containers.get(container, room)
    return f"the {container} is in the {elsewhere}, not in the {room}" if elsewhere != room else None


def _cant_handle(tracker: BeliefTracker, person: str, thing: str) -> str | None:
    room, location = tracker.rooms.get(person), tracker.locations.get(thing)
    if not isinstance(room, str):
        return f"{person} is in no room"
    if location is not None and location.room != room:
        return f"the {thing} is in the {location.room}, and {person} in the {room}"
    return None


def _cant_carry(tracker: BeliefTracker, action: CarryTo) -> str | None:
    if tracker.rooms.get(action.person) == action.room:
        return f"{action.person} is in the {action.room} already"
    return _cant_handle(tracker, action.person, action.object)


def _cant_alter(tracker: BeliefTracker, action: Alter) -> str | None:
    change = action.change
    if (change.object, change.state) in tracker.changes:
        return f"the {change.object} is {change.state} already"
    return _cant_handle(tracker, action.person, change.object)


def _cant_tell(tracker: BeliefTracker, action: Inform | TalkAbout, key: Key, value: Value) -> str | None:
    """Why there is nobody to tell: the listener is the teller, nobody listens, or all are believed to know."""
    teller, listener = action.person, action.listener
    if listener is not None:
        if action.room is not None:
            return "one tells one listener, or everyone in a room, not both"
        if listener not in tracker.people or listener == teller:
            return f"{teller} can't tell {listener}: one tells another person of the story"
        is_known = tracker.nested_belief(teller, listener, key) == value
        return f"{teller} believes that {listener} knows that already" if is_known else None
    if action.room is None or tracker.rooms.get(teller) != action.room:
        return f"{teller} is not in the {action.room}" if action.room else "nobody listens"
    others = [name for name in tracker.people_in(action.room) if name != teller]
    if not others:
        return f"nobody but {teller} is in the {action.room}"
    if all(tracker.nested_belief(teller, other, key) == value for other in others):
        return f"{teller} believes that everyone in the {action.room} knows that already"
    return None


def _cant_inform(tracker: BeliefTracker, action: Inform) -> str | None:
    key, value, claim = claim_key(action.claim), claim_value(action.claim), action.claim
    if tracker.belief(action.person, key) != value:
        return f"{action.person} does not believe that {words_of(claim)}"
    if problem := _cant_tell(tracker, action, key, value):
        return problem
    where = action.room if action.listener is None else tracker.rooms.get(action.listener)
    if isinstance(claim, ObjectPlace) and claim.container is None and claim.room == where:
        return f"who is in the {where} sees whether the {claim.object} stands there, and is not told"
    return None


def _cant_talk(tracker: BeliefTracker, action: TalkAbout) -> str | None:
    return _cant_tell(tracker, action, ("topic", action.topic), True)


def words_of(claim: Claim) -> str:
    """A claim in words: `the map is in the cardboard tube in the planning department`."""
    if isinstance(claim, ObjectState):
        return f"the {claim.object} is {claim.state}"
    container = f"in the {claim.container} " if claim.container else ""
    return f"the {claim.object} is {container}in the {claim.room}"


# Effects


def _enter(tracker: BeliefTracker, action: Enter) -> None:
    room = tracker.rooms.get(action.person)
    if isinstance(room, str):
        tracker._step_out(action, room)
    tracker._step_in(action, action.room)
    tracker._look(action, action.room)


def _leave(tracker: BeliefTracker, action: Leave) -> None:
    tracker._step_out(action, action.room)


def _put(tracker: BeliefTracker, action: PutInto) -> None:
    room, container = action.room, action.container
    pairs = tracker._sighting(action, tracker._inside[room])
    tracker._move(action.object, location := ObjectLocation(room, container))
    tracker.containers[container] = room
    tracker._hold(("location", action.object), location, tracker.time, pairs)
    tracker._see_room(("room", container), room, pairs)


def _carry(tracker: BeliefTracker, action: CarryTo) -> None:
    room, key = tracker.rooms[action.person], ("location", action.object)
    assert isinstance(room, str)
    if action.object not in tracker.locations:
        tracker._move(action.object, ObjectLocation(room))
    pairs = tracker._sighting(action, tracker._inside[room])
    tracker._hold(key, AwayFrom(room), tracker.time, pairs)
    tracker._step_out(action, room)
    tracker._step_in(action, action.room)
    tracker._move(action.object, there := ObjectLocation(action.room))
    tracker._hold(key, there, tracker.time, tracker._sighting(action, tracker._inside[action.room]))
    tracker._look(action, action.room)


def _alter(tracker: BeliefTracker, action: Alter) -> None:
    room, change = tracker.rooms[action.person], action.change
    assert isinstance(room, str)
    if change.object not in tracker.locations:
        tracker._move(change.object, ObjectLocation(room))
    tracker.changes[change.object, change.state] = change.is_visible
    pairs = tracker._sighting(action, tracker._inside[room])
    tracker._hold(("state", change.object, change.state), True, tracker.time, pairs)
    tracker._hold(("location", change.object), tracker.locations[change.object], tracker.time, pairs)


def _inform(tracker: BeliefTracker, action: Inform) -> None:
    key, number = claim_key(action.claim), len(tracker.people)
    teller = tracker._index[action.person]
    evidence = tracker._evidence(teller, teller, key)
    assert evidence is not None
    value, since, _ = evidence
    pairs = tracker._sighting(action, tracker._listeners(action))
    of_teller = sum(1 << (person * number + teller) for person in range(number) if person != teller)
    tracker._hold(key, value, since, pairs & of_teller)  # what the teller says is what it believes
    open_to_it = pairs & ~of_teller
    for held in tracker._beliefs[key]:
        if not tracker._accepts(held, value, since):
            open_to_it &= ~held[2]
    tracker._hold(key, value, since, open_to_it)


def _talk(tracker: BeliefTracker, action: TalkAbout) -> None:
    pairs = tracker._sighting(action, tracker._listeners(action))
    tracker._hold(("topic", action.topic), True, tracker.time, pairs)


_CHECKS: Mapping[type[StoryAction], Callable[[BeliefTracker, Any], str | None]] = {
    Enter: _cant_enter,
    Leave: _cant_leave,
    PutInto: _cant_put,
    CarryTo: _cant_carry,
    Alter: _cant_alter,
    Inform: _cant_inform,
    TalkAbout: _cant_talk,
}
_EFFECTS: Mapping[type[StoryAction], Callable[[BeliefTracker, Any], None]] = {
    Enter: _enter,
    Leave: _leave,
    PutInto: _put,
    CarryTo: _carry,
    Alter: _alter,
    Inform: _inform,
    TalkAbout: _talk,
}
