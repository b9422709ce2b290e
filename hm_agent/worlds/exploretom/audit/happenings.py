"""Turns what happens in a story of ToMi's form into ExploreToM's actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hm_agent.worlds.exploretom.audit.tomi_language import Being, Entering, Event, Leaving, Moving, Nothing
from hm_agent.worlds.exploretom.datasets.belief_trace import value_words
from hm_agent.worlds.exploretom.story.actions import CarryTo, Enter, Leave, PutInto, StoryAction, people_of
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation

TELLER = "(the story)"
"""The actor that stands for the story itself: it puts things where sentences say that they are."""
ELSEWHERE = "(elsewhere)"
"""The room from which TELLER brings things that stand in the open."""


def _walkers(event: Entering | Leaving | Enter | Leave | CarryTo) -> Sequence[str]:
    """The people who enter or leave."""
    return event.people if isinstance(event, Entering | Leaving) else (event.person,)


def people_in(event: Event) -> Sequence[str]:
    """The people whom an event mentions."""
    match event:
        case Entering() | Leaving():
            return event.people
        case Moving():
            return (event.person,)
        case Being() | Nothing():
            return ()
        case _:
            return people_of(event)


def rooms_of(events: Sequence[Event]) -> tuple[str, ...]:
    """Everything that someone enters or leaves, or that an action calls a room."""
    named = (getattr(event, "room", None) for event in events)
    return tuple(dict.fromkeys(room for room in named if room))


def containers_of(actions: Sequence[StoryAction]) -> Iterator[str]:
    """The containers into which actions move objects."""
    yield from (action.container for action in actions if isinstance(action, PutInto))


def container_rooms_of(events: Sequence[Event], rooms: Sequence[str]) -> dict[str, str]:
    """Maps containers to their rooms: as a sentence says, or else where someone uses the container.

    A container of which neither is told is assumed to be where all people are when it is mentioned, if that is one
    room.
    """
    stated = {event.thing: event.place for event in events if isinstance(event, Being) and event.place in rooms}
    used: dict[str, str] = {}
    guessed: dict[str, str] = {}
    where: dict[str, str] = {}
    holds: dict[str, str] = {}
    for event in events:
        match event:
            case Entering() | Enter() | CarryTo():
                where |= dict.fromkeys(_walkers(event), event.room)
            case Leaving() | Leave():
                for name in _walkers(event):
                    where.pop(name, None)
            case Moving() if event.person in where:
                used.setdefault(event.container, where[event.person])
                if event.object in holds:
                    used.setdefault(holds[event.object], where[event.person])
                holds[event.object] = event.container
            case Being() if event.place not in rooms:
                holds[event.thing] = event.place
                if len(set(where.values())) == 1:
                    guessed.setdefault(event.place, next(iter(where.values())))
            case _:
                pass
    return {**guessed, **used, **stated}


def act_out(
    tracker: BeliefTracker, event: Event, rooms: Sequence[str], container_rooms: dict[str, str]
) -> Sequence[StoryAction]:
    """Applies an event to the tracker and returns its actions; raises StoryError if it is impossible."""
    actions = list(_actions(tracker, event, rooms, container_rooms))
    for action in actions:
        apply(tracker, action)
    return actions


def apply(tracker: BeliefTracker, action: StoryAction) -> None:
    """Applies an action; an object that TELLER brings into a room counts as being there from the beginning."""
    is_placed = isinstance(action, CarryTo) and action.person == TELLER and action.object not in tracker.locations
    tracker.apply(action)
    if is_placed and isinstance(action, CarryTo):
        tracker.first_locations[action.object] = tracker.locations[action.object]


def _actions(
    tracker: BeliefTracker, event: Event, rooms: Sequence[str], container_rooms: dict[str, str]
) -> Iterator[StoryAction]:
    match event:
        case Entering():
            yield from (Enter(name, event.room) for name in event.people)
        case Leaving():
            yield from (Leave(name, event.room) for name in event.people)
        case Moving():
            room = tracker.rooms.get(event.person)
            if not isinstance(room, str):
                raise StoryError(f"{event.person} is in no room")
            if event.container in rooms:
                yield CarryTo(event.person, event.object, event.container)
            elif container_rooms.get(event.container, room) != room:
                raise StoryError(
                    f"the {event.container} is in the {container_rooms[event.container]}, not in the {room}"
                )
            else:
                yield PutInto(event.person, event.object, event.container, room)
        case Being():
            yield from _placing(tracker, event, rooms, container_rooms)
        case Nothing():
            return
        case _:
            yield event


def _placing(
    tracker: BeliefTracker, event: Being, rooms: Sequence[str], container_rooms: dict[str, str]
) -> Iterator[StoryAction]:
    """TELLER's actions that make a sentence about a place true; none if it already is, or is about a container."""
    is_open = event.place in rooms
    if is_open and event.thing in tracker.containers:
        return
    if not is_open and event.place not in container_rooms:
        raise StoryError(f"no sentence tells which room the {event.place} is in")
    room = event.place if is_open else container_rooms[event.place]
    there, now = ObjectLocation(room, None if is_open else event.place), tracker.locations.get(event.thing)
    if now == there:
        return
    if now is not None:
        raise StoryError(f"the {event.thing} is {value_words(now)} already")
    if is_open:
        yield Enter(TELLER, ELSEWHERE)
        yield CarryTo(TELLER, event.thing, room)
    else:
        yield Enter(TELLER, room)
        yield PutInto(TELLER, event.thing, event.place, room)
    yield Leave(TELLER, room)
