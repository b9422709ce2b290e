"""Turns what happens in a story of ToMi's form into ExploreToM's actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.exploretom.audit.tomi_language import (
    Being,
    Claiming,
    Entering,
    Event,
    Leaving,
    Moving,
    Nothing,
    Standing,
)
from hm_agent.worlds.exploretom.datasets.belief_trace import value_words
from hm_agent.worlds.exploretom.story.actions import CarryTo, Enter, Leave, PutInto, StoryAction, people_of
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation

TELLER = "(the story)"
"""The actor that stands for the story itself: it puts things where sentences say that they are."""
ELSEWHERE = "(elsewhere)"
"""The room from which TELLER brings things that stand in the open."""
HAND = "(hand)"
"""The container that an object passes through that someone moves to where it is."""
_OF_ROOM = " of the "
"""Stands between a container and its room where containers in two rooms have the same name."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the rooms and containers of a story are.

    rooms: everything that someone enters or leaves, or that an action calls a room. stated: the room of each container
    of which a sentence says it. placings: the room of each `Being` in a container, by the event's number from 0; None
    if it is not told. containers_too: the rooms whose name a container has, too.
    """

    rooms: tuple[str, ...]
    stated: Mapping[str, str]
    placings: Mapping[int, str | None]
    containers_too: frozenset[str]


def people_in(event: Event) -> Sequence[str]:
    match event:
        case Entering() | Leaving() | Standing():
            return event.people
        case Moving():
            return (event.person,)
        case Claiming():
            return (event.person, event.listener) if event.listener else (event.person,)
        case Being() | Nothing():
            return ()
        case _:
            return people_of(event)


def names_by_part(event: Event) -> Iterator[tuple[str, str]]:
    """Yields (part in the story, name) of all that an event mentions. The part is `person`, `thing` or `place`."""
    yield from (("person", name) for name in people_in(event))
    for part, fields in (("thing", ("object", "thing")), ("place", ("room", "container", "place"))):
        yield from ((part, name) for field in fields if isinstance(name := getattr(event, field, None), str))


def containers_of(actions: Sequence[StoryAction]) -> Iterator[str]:
    """The containers into which actions move objects."""
    yield from (action.container for action in actions if isinstance(action, PutInto))


def plain_container(name: str) -> str:
    """The name of a container in the story's words."""
    return name.partition(_OF_ROOM)[0]


def surroundings_of(events: Sequence[Event]) -> Surroundings:
    """Where rooms and containers are, as sentences say or as follows from who uses them."""
    named = (getattr(event, "room", None) for event in events)
    rooms = tuple(dict.fromkeys(room for room in named if room))
    stated = {event.thing: event.place for event in events if isinstance(event, Being) and event.place in rooms}
    both = frozenset(rooms).intersection(stated)
    moved = {event.object for event in events if isinstance(event, Moving)}
    holders = {event.container for event in events if isinstance(event, Moving)}
    holders |= {event.place for event in events if isinstance(event, Being) and event.thing in moved}
    walks = list(_whereabouts(events))
    placings: dict[int, str | None] = {}
    room_of = dict(stated)
    for number, event in enumerate(events):
        if not isinstance(event, Being):
            continue
        if event.place not in rooms or (event.place in both and event.thing not in holders):
            room = stated.get(event.place) or _room_of_placing(events, walks, number, event) or room_of.get(event.place)
            placings[number] = room
            room_of |= {event.place: room} if room else {}
    return Surroundings(rooms, stated, placings, both)


def _whereabouts(events: Sequence[Event]) -> Iterator[Mapping[str, str]]:
    """Yields the room of each person after each event."""
    where: dict[str, str] = {}
    for event in events:
        match event:
            case Entering() | Standing():
                where = where | dict.fromkeys(event.people, event.room)
            case Leaving():
                where = {name: room for name, room in where.items() if name not in event.people}
            case Leave():
                where = {name: room for name, room in where.items() if name != event.person}
            case Enter() | CarryTo():
                where = where | {event.person: event.room}
            case _:
                pass
        yield where


def _room_of_placing(
    events: Sequence[Event], walks: Sequence[Mapping[str, str]], number: int, event: Being
) -> str | None:
    """The room of the container in which a sentence says that an object is, of which no sentence says it.

    It is where someone next moves the object; else where everyone is; else where people have just entered; else where
    someone uses the container; None if none of these is told.
    """
    moves = [(later, move) for later, move in enumerate(events) if isinstance(move, Moving)]
    next_moved = (walks[at].get(move.person) for at, move in moves if at > number and move.object == event.thing)
    if room := next(next_moved, None):
        return room
    if len(inside := set(walks[number].values())) == 1:
        return inside.pop()
    for before in reversed(events[:number]):
        if isinstance(before, Entering | Enter):
            return before.room
        if not isinstance(before, Nothing):
            break
    used = (walks[at].get(move.person) for at, move in moves if move.container == event.place)
    return next((room for room in used if room), None)


def act_out(tracker: BeliefTracker, number: int, event: Event, around: Surroundings) -> Sequence[StoryAction]:
    """Applies an event to the tracker and returns its actions; raises StoryError if it is impossible."""
    done = []
    for action in _actions(tracker, number, event, around):
        apply(tracker, action)
        done.append(action)
    return done


def apply(tracker: BeliefTracker, action: StoryAction) -> None:
    """Applies an action; an object that TELLER brings into a room counts as being there from the beginning."""
    is_placed = isinstance(action, CarryTo) and action.person == TELLER and action.object not in tracker.locations
    tracker.apply(action)
    if is_placed and isinstance(action, CarryTo):
        tracker.first_locations[action.object] = tracker.locations[action.object]


def _actions(tracker: BeliefTracker, number: int, event: Event, around: Surroundings) -> Iterator[StoryAction]:
    match event:
        case Entering():
            yield from (Enter(name, event.room) for name in event.people)
        case Leaving():
            yield from (Leave(name, event.room) for name in event.people)
        case Standing():
            yield from _standing(tracker, event)
        case Moving():
            yield from _moving(tracker, event, around)
        case Being():
            yield from _placing(tracker, event, around, number)
        case Nothing() if event.about in tracker.locations or event.about in tracker.containers:
            raise StoryError(f"it may say where the {event.about} is")
        case Nothing() | Claiming():
            return
        case _:
            yield event


def _standing(tracker: BeliefTracker, event: Standing) -> Iterator[StoryAction]:
    """The entering of the people who are in no room yet."""
    for name in event.people:
        room = tracker.rooms.get(name)
        if isinstance(room, str) and room != event.room:
            raise StoryError(f"{name} is in the {room} already")
        if room != event.room:
            yield Enter(name, event.room)


def _moving(tracker: BeliefTracker, event: Moving, around: Surroundings) -> Iterator[StoryAction]:
    room = tracker.rooms.get(event.person)
    if not isinstance(room, str):
        raise StoryError(f"{event.person} is in no room")
    if event.container in around.rooms and event.container not in around.containers_too:
        yield CarryTo(event.person, event.object, event.container)
        return
    container = _container_in(tracker, event.container, room, around)
    if tracker.locations.get(event.object) == ObjectLocation(room, container):
        yield PutInto(event.person, event.object, f"{HAND}{_OF_ROOM}{room}", room)
    yield PutInto(event.person, event.object, container, room)


def _container_in(tracker: BeliefTracker, name: str, room: str, around: Surroundings) -> str:
    """The tracker's name of a container in a room; raises StoryError if a sentence says that it is in another."""
    if (stated := around.stated.get(name, room)) != room:
        raise StoryError(f"the {name} is in the {stated}, not in the {room}")
    is_unique = name not in around.containers_too and tracker.containers.get(name, room) == room
    return name if is_unique else f"{name}{_OF_ROOM}{room}"


def _placing(tracker: BeliefTracker, event: Being, around: Surroundings, number: int) -> Iterator[StoryAction]:
    """TELLER's actions that make a sentence about a place true; none if it already is, or is about a container."""
    if (is_open := number not in around.placings) and event.thing in tracker.containers:
        return
    room = event.place if is_open else around.placings[number]
    if room is None:
        raise StoryError(f"no sentence tells which room the {event.place} is in")
    container = None if is_open else _container_in(tracker, event.place, room, around)
    there, now = ObjectLocation(room, container), tracker.locations.get(event.thing)
    if now == there:
        return
    if now is not None:
        raise StoryError(f"the {event.thing} is {value_words(now)} already")
    if container is None:
        yield Enter(TELLER, ELSEWHERE)
        yield CarryTo(TELLER, event.thing, room)
    else:
        yield Enter(TELLER, room)
        yield PutInto(TELLER, event.thing, container, room)
    yield Leave(TELLER, room)
