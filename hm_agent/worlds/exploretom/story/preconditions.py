"""The preconditions of actions: why an action is impossible in the present state of a story, in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Enter,
    Inform,
    Leave,
    ObjectPlace,
    PutInto,
    StoryAction,
    TalkAbout,
    words_of,
)
from hm_agent.worlds.exploretom.story.evidence import Key, Value, claim_key, claim_value, topic_key
from hm_agent.worlds.exploretom.story.story_state import StoryState


def problem_of(state: StoryState, action: StoryAction) -> str | None:
    """Why an action is impossible now; None if it is possible."""
    if not state.is_known(action.person):
        return _nobody(state, action.person)
    found = _CHECKS[type(action)](state, action)
    if not found and (action.peekers or action.distracted):
        found = _asymmetry_problem(state, action)
    return found


def _nobody(state: StoryState, name: str) -> str:
    return f"nobody is called {name}: there are {', '.join(state.people)}"


def _asymmetry_problem(state: StoryState, action: StoryAction) -> str | None:
    for name in (*action.peekers, *action.distracted):
        if not state.is_known(name):
            return _nobody(state, name)
        if name == action.person:
            return f"{name} acts, and can neither peek at that nor be distracted from it"
    for name in action.peekers:
        if state.would_witness(name, action):
            return f"{name} sees it anyway, and can't peek"
    for name in action.distracted:
        if not state.would_witness(name, action):
            return f"{name} would not see it anyway, and can't be distracted from it"
    return None


def _not_in(state: StoryState, person: str, room: str) -> str | None:
    return None if state.rooms.get(person) == room else f"{person} is not in the {room}"


def _in_already(state: StoryState, action: Enter | CarryTo) -> str | None:
    is_there = state.rooms.get(action.person) == action.room
    return f"{action.person} is in the {action.room} already" if is_there else None


def _cant_put(state: StoryState, action: PutInto) -> str | None:
    room, container = action.room, action.container
    if problem := _not_in(state, action.person, room):
        return problem
    location = state.locations.get(action.object)
    if location is not None:
        if location.room != room:
            return f"the {action.object} is in the {location.room}, not in the {room}"
        if location.container == container:
            return f"the {action.object} is in the {container} already"
    elsewhere = state.containers.get(container, room)
    return f"the {container} is in the {elsewhere}, not in the {room}" if elsewhere != room else None


def _cant_handle(state: StoryState, person: str, thing: str) -> str | None:
    room, location = state.rooms.get(person), state.locations.get(thing)
    if not isinstance(room, str):
        return f"{person} is in no room"
    if location is not None and location.room != room:
        return f"the {thing} is in the {location.room}, and {person} in the {room}"
    return None


def _cant_alter(state: StoryState, action: Alter) -> str | None:
    change = action.change
    if (change.object, change.state) in state.changes:
        return f"the {change.object} is {change.state} already"
    return _cant_handle(state, action.person, change.object)


def _cant_tell(state: StoryState, action: Inform | TalkAbout, key: Key, value: Value) -> str | None:
    """Why telling is impossible: there is no other person to listen, or the teller believes that all listeners know."""
    if action.listener is not None:
        return _cant_tell_one(state, action, action.listener, key, value)
    teller, room = action.person, action.room
    if room is None:
        return "nobody listens"
    if problem := _not_in(state, teller, room):
        return problem
    others = [name for name in state.people_in(room) if name != teller]
    if not others:
        return f"nobody but {teller} is in the {room}"
    if all(state.nested_belief(teller, other, key) == value for other in others):
        return f"{teller} believes that everyone in the {room} knows that already"
    return None


def _cant_tell_one(state: StoryState, action: Inform | TalkAbout, listener: str, key: Key, value: Value) -> str | None:
    teller = action.person
    if action.room is not None:
        return "one tells one listener, or everyone in a room, not both"
    if not state.is_known(listener) or listener == teller:
        return f"{teller} can't tell {listener}: one tells another person of the story"
    is_known = state.nested_belief(teller, listener, key) == value
    return f"{teller} believes that {listener} knows that already" if is_known else None


def _cant_inform(state: StoryState, action: Inform) -> str | None:
    key, value, claim = claim_key(action.claim), claim_value(action.claim), action.claim
    if state.belief(action.person, key) != value:
        return f"{action.person} does not believe that {words_of(claim)}"
    if problem := _cant_tell(state, action, key, value):
        return problem
    where = action.room if action.listener is None else state.rooms.get(action.listener)
    if isinstance(claim, ObjectPlace) and claim.container is None and claim.room == where:
        return f"who is in the {where} sees whether the {claim.object} stands there, and is not told"
    return None


_CHECKS: Mapping[type[StoryAction], Callable[[StoryState, Any], str | None]] = {
    Enter: _in_already,
    Leave: lambda state, action: _not_in(state, action.person, action.room),
    PutInto: _cant_put,
    CarryTo: lambda state, action: _in_already(state, action) or _cant_handle(state, action.person, action.object),
    Alter: _cant_alter,
    Inform: _cant_inform,
    TalkAbout: lambda state, action: _cant_tell(state, action, topic_key(action.topic), True),
}
