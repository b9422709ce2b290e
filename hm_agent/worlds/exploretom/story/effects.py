"""The effects of actions on the world and on beliefs.

A sighting is seen by those who attend: witnesses and peekers, without distracted people. Each of them believes it from
then on, and thinks that every witness does. So everybody thinks that distracted people saw it, and nobody thinks so of
a peeker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Enter,
    Inform,
    Leave,
    PutInto,
    StoryAction,
    TalkAbout,
)
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    Evidence,
    Key,
    Missing,
    ObjectLocation,
    Value,
    claim_key,
    location_key,
    room_key,
    sighting_pairs,
    state_key,
    topic_key,
)
from hm_agent.worlds.exploretom.story.story_state import StoryState


def perform(state: StoryState, action: StoryAction) -> None:
    """Applies an action that is known to be possible."""
    state.time += 1
    _EFFECTS[type(action)](state, action)


def _enter(state: StoryState, action: Enter) -> None:
    room = state.rooms.get(action.person)
    if isinstance(room, str):
        _step_out(state, action, room)
    _step_in(state, action, action.room)
    _look(state, action, action.room)


def _put(state: StoryState, action: PutInto) -> None:
    room, container = action.room, action.container
    _move(state, action.object, location := ObjectLocation(room, container))
    state.containers[container] = room
    if state.follows_beliefs:
        pairs = state.sighting(action, state.inside[room])
        state.evidence.hold(location_key(action.object), location, state.time, pairs)
        state.evidence.hold_room(container, room, pairs)


def _carry(state: StoryState, action: CarryTo) -> None:
    room, key = state.rooms[action.person], location_key(action.object)
    assert isinstance(room, str)
    if action.object not in state.locations:
        _move(state, action.object, ObjectLocation(room))
    _see(state, action, room, key, AwayFrom(room))
    _step_out(state, action, room)
    _step_in(state, action, action.room)
    _move(state, action.object, there := ObjectLocation(action.room))
    _see(state, action, action.room, key, there)
    _look(state, action, action.room)


def _alter(state: StoryState, action: Alter) -> None:
    room, change = state.rooms[action.person], action.change
    assert isinstance(room, str)
    if change.object not in state.locations:
        _move(state, change.object, ObjectLocation(room))
    state.changes[change.object, change.state] = change.is_visible
    _see(state, action, room, state_key(change.object, change.state), True)
    _see(state, action, room, location_key(change.object), state.locations[change.object])


def _inform(state: StoryState, action: Inform) -> None:
    key, number, teller = claim_key(action.claim), len(state.people), state.index_of(action.person)
    evidence = state.evidence.held_by(teller, teller, key)
    assert evidence is not None
    value, since, _ = evidence
    pairs = state.sighting(action, _listeners(state, action))
    of_teller = sum(1 << (person * number + teller) for person in range(number) if person != teller)
    state.evidence.hold(key, value, since, pairs & of_teller)  # listeners learn what the teller believes
    open_to_it = pairs & ~of_teller
    for held in state.evidence.of(key):
        if not _accepts(state, held, value, since):
            open_to_it &= ~held[2]
    state.evidence.hold(key, value, since, open_to_it)


def _talk(state: StoryState, action: TalkAbout) -> None:
    pairs = state.sighting(action, _listeners(state, action))
    state.evidence.hold(topic_key(action.topic), True, state.time, pairs)


_EFFECTS: Mapping[type[StoryAction], Callable[[StoryState, Any], None]] = {
    Enter: _enter,
    Leave: lambda state, action: _step_out(state, action, action.room),
    PutInto: _put,
    CarryTo: _carry,
    Alter: _alter,
    Inform: _inform,
    TalkAbout: _talk,
}


def _see(state: StoryState, action: StoryAction, room: str, key: Key, value: Value) -> None:
    """Lets the people in a room witness that a key has a value."""
    if state.follows_beliefs:
        state.evidence.hold(key, value, state.time, state.sighting(action, state.inside[room]))


def _step_out(state: StoryState, action: StoryAction, room: str) -> None:
    """Takes the actor out of a room; the people in it are witnesses."""
    witnesses, person = state.inside[room], action.person
    state.inside[room] = witnesses & ~(1 << state.index_of(person))
    gone = state.rooms[person] = AwayFrom(room)
    if state.follows_beliefs:
        state.evidence.hold_room(person, gone, state.sighting(action, witnesses))


def _step_in(state: StoryState, action: StoryAction, room: str) -> None:
    """Puts the actor into a room; the people in it are witnesses."""
    person = action.person
    witnesses = state.inside[room] = state.inside.get(room, 0) | 1 << state.index_of(person)
    state.rooms[person] = room
    if state.follows_beliefs:
        state.evidence.hold_room(person, room, state.sighting(action, witnesses))


def _look(state: StoryState, action: StoryAction, room: str) -> None:
    """Lets all in a room who attend see who and what is there, and what is missing, after someone has entered.

    What containers hold is seen only if `state.sees_contents`.
    """
    if not state.follows_beliefs:
        return
    witnesses = state.inside[room]
    attending = witnesses & ~state.bits(action.distracted) if action.distracted else witnesses
    pairs = sighting_pairs(len(state.people), attending, witnesses)
    hold_room = state.evidence.hold_room
    for name, place in state.rooms.items():
        if place == room:
            hold_room(name, room, pairs)
        else:
            _miss_person(state, name, room, pairs)
    for name, place in state.containers.items():
        if place == room:
            hold_room(name, room, pairs)
    for name, location in state.locations.items():
        _look_for(state, name, location, room, pairs)


def _miss_person(state: StoryState, name: str, room: str, pairs: int) -> None:
    """Corrects the belief that a person is in a room, for the pairs that see the room without that person."""
    for value, _, its in state.evidence.of(room_key(name)):
        if value == room and its & pairs:
            state.evidence.hold_room(name, AwayFrom(room), its & pairs)
            return


def _look_for(state: StoryState, thing: str, location: ObjectLocation, room: str, pairs: int) -> None:
    key = location_key(thing)
    if location.room == room and (location.container is None or state.sees_contents):
        state.evidence.hold(key, location, state.time, pairs)
        if location.container is None:
            for (changed, change), is_visible in state.changes.items():
                if is_visible and changed == thing:
                    state.evidence.hold(state_key(thing, change), True, state.time, pairs)
    else:
        missing = Missing(room, state.time)
        state.evidence.replace(key, pairs, lambda value: missing if _shows(state, value, room) else None)


def _shows(state: StoryState, value: Value, room: str) -> bool:
    """True if a person who believes this expects to see the object on entering the room."""
    if not isinstance(value, ObjectLocation) or value.room != room:
        return False
    return value.container is None or state.sees_contents


def _move(state: StoryState, thing: str, location: ObjectLocation) -> None:
    state.moves.append((state.time, thing, state.locations.get(thing)))
    state.locations[thing] = location
    state.first_locations.setdefault(thing, location)


def _listeners(state: StoryState, action: Inform | TalkAbout) -> int:
    """The participants: the teller and the listener, or all in the room."""
    if action.listener is None:
        assert action.room is not None
        return state.inside[action.room]
    return state.bits((action.person, action.listener))


def _accepts(state: StoryState, held: Evidence, claim: Value, since: int) -> bool:
    """True if a person with this evidence believes a claim that goes back to a sighting at time `since`.

    Later evidence wins. A person who looked for an object in a room does not believe that it stood there before.
    """
    value, time, _ = held
    if since < time:
        return False
    return not (isinstance(value, Missing) and since <= value.looked and _shows(state, claim, value.room))
