"""Lists all actions that people could take in a place, and draws random ones that are possible next in a story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from random import Random
from typing import Any, TypeAlias

from hm_agent.worlds.exploretom.random_stories.action_sets import ActionKind
from hm_agent.worlds.exploretom.random_stories.cast import StoryPlace
from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Change,
    Claim,
    Enter,
    Inform,
    Leave,
    ObjectPlace,
    ObjectState,
    PutInto,
    StoryAction,
    TalkAbout,
)
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation, location_key, state_key
from hm_agent.worlds.exploretom.story.preconditions import problem_of

DRAWS = 400
"""The most actions to draw in search of one that is possible next."""

Candidate: TypeAlias = tuple[ActionKind, int, "str | Change", str, int]
"""(kind, index of the actor, object, room, change or topic, target or "", index of the listener or -1 for everyone)"""


@cache
def candidate_actions(place: StoryPlace, people: int, kinds: tuple[ActionKind, ...]) -> tuple[Candidate, ...]:
    """All actions of these kinds that this many people could ever take in a place."""
    return tuple(
        (kind, person, *parts, listener)
        for kind in kinds
        for person in range(people)
        for listener in (range(people) if kind in (ActionKind.TELL, ActionKind.CHAT) else (-1,))
        if listener != person
        for parts in _parts(place, kind)
    )


def _parts(place: StoryPlace, kind: ActionKind) -> Sequence[tuple[str | Change, str]]:
    match kind:
        case ActionKind.ENTER:
            return [(room, "") for room in place.rooms]
        case ActionKind.LEAVE:
            return [("", "")]
        case ActionKind.MOVE:
            return [(thing.name, container) for thing in place.objects for container in thing.containers]
        case ActionKind.CARRY:
            return [(thing.name, room) for thing in place.objects for room in place.rooms]
        case ActionKind.CHANGE:
            return [(change, "") for thing in place.objects for change in thing.changes]
        case ActionKind.TELL | ActionKind.ANNOUNCE:
            return [(thing.name, "") for thing in place.objects]
        case ActionKind.CHAT | ActionKind.DISCUSS:
            return [(topic, "") for topic in place.topics]


# Equal actions are made again and again, so they are cached.
_new_enter = lru_cache(maxsize=1 << 15)(Enter)
_new_leave = lru_cache(maxsize=1 << 15)(Leave)
_new_put = lru_cache(maxsize=1 << 15)(PutInto)
_new_carry = lru_cache(maxsize=1 << 15)(CarryTo)
_new_talk = lru_cache(maxsize=1 << 15)(TalkAbout)
_new_place = lru_cache(maxsize=1 << 12)(ObjectPlace)


def _action(
    tracker: BeliefTracker, rng: Random, kind: ActionKind, person: str, first: Any, target: str, listener: str | None
) -> StoryAction | None:
    """The action of a candidate in the present state; None if it is obviously impossible.

    first: the object, room, change or topic. listener: None for everyone in the room.
    """
    room = tracker.rooms.get(person)
    if kind is ActionKind.ENTER:
        return _new_enter(person, first) if room != first else None
    if kind is ActionKind.CHAT:
        return _new_talk(person, first, listener)
    if kind is ActionKind.TELL:
        claim = _claim(tracker, person, first, rng)
        return Inform(person, claim, listener) if claim else None
    return _action_in_room(tracker, rng, kind, person, first, target, room) if isinstance(room, str) else None


def _action_in_room(
    tracker: BeliefTracker, rng: Random, kind: ActionKind, person: str, first: Any, target: str, room: str
) -> StoryAction | None:
    """Like `_action`, for the kinds that a person must be in a room for."""
    if kind is ActionKind.LEAVE:
        return _new_leave(person, room)
    if kind is ActionKind.MOVE:
        location = tracker.locations.get(first)
        return _new_put(person, first, target, room) if location is None or location.room == room else None
    if kind is ActionKind.CARRY:
        return _new_carry(person, first, target) if room != target else None
    if kind is ActionKind.CHANGE:
        return Alter(person, first)
    if kind is ActionKind.DISCUSS:
        return _new_talk(person, first, None, room)
    claim = _claim(tracker, person, first, rng)
    return Inform(person, claim, None, room) if claim else None


def _claim(tracker: BeliefTracker, person: str, thing: str, rng: Random) -> Claim | None:
    """A random one of the claims about an object that a person believes; None if there are none."""
    known: list[Claim] = []
    location = tracker.belief(person, location_key(thing))
    if isinstance(location, ObjectLocation):
        known.append(_new_place(thing, location.room, location.container))
    for changed, state in tracker.changes:
        if changed == thing and tracker.belief(person, state_key(thing, state)):
            known.append(ObjectState(thing, state))
    return known[int(rng.random() * len(known))] if known else None


def draw_action(
    tracker: BeliefTracker, rng: Random, people: Sequence[str], candidates: Sequence[Candidate]
) -> tuple[ActionKind, StoryAction] | None:
    """Draws one of the candidates that are possible next, uniformly, with its kind; None if `DRAWS` draws find none."""
    number, random = len(candidates), rng.random
    for _ in range(DRAWS):
        kind, person, first, second, other = candidates[int(random() * number)]
        listener = people[other] if other >= 0 else None
        action = _action(tracker, rng, kind, people[person], first, second, listener)
        if action is not None and problem_of(tracker, action) is None:
            return kind, action
    return None


def with_aside(tracker: BeliefTracker, rng: Random, people: Sequence[str], action: StoryAction) -> StoryAction:
    """Lets a random other person, if there is one, be distracted from an action that it would witness, or else peek."""
    others = [name for name in people if name != action.person]
    if not others:
        return action
    name = others[int(rng.random() * len(others))]
    is_there = tracker.would_witness(name, action)
    return replace(action, distracted=(name,)) if is_there else replace(action, peekers=(name,))
