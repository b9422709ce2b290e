"""Lists all actions that people could take in a place, and draws random ones that are possible next in a story."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

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


# These functions make the action of a candidate in the present state; None if it is obviously impossible. Equal actions
# are made again and again, so they are cached.

_new_enter = lru_cache(maxsize=1 << 15)(Enter)
_new_leave = lru_cache(maxsize=1 << 15)(Leave)
_new_put = lru_cache(maxsize=1 << 15)(PutInto)
_new_carry = lru_cache(maxsize=1 << 15)(CarryTo)
_new_talk = lru_cache(maxsize=1 << 15)(TalkAbout)
_new_place = lru_cache(maxsize=1 << 12)(ObjectPlace)


def _enter(tracker: BeliefTracker, _: Random, person: str, room: str, *_rest: object) -> StoryAction | None:
    return _new_enter(person, room) if tracker.rooms.get(person) != room else None


def _leave(tracker: BeliefTracker, _: Random, person: str, *_rest: object) -> StoryAction | None:
    room = tracker.rooms.get(person)
    return _new_leave(person, room) if isinstance(room, str) else None


def _put(
    tracker: BeliefTracker, _: Random, person: str, thing: str, container: str, *_rest: object
) -> StoryAction | None:
    room = tracker.rooms.get(person)
    if not isinstance(room, str):
        return None
    location = tracker.locations.get(thing)
    return _new_put(person, thing, container, room) if location is None or location.room == room else None


def _carry(tracker: BeliefTracker, _: Random, person: str, thing: str, to: str, *_rest: object) -> StoryAction | None:
    room = tracker.rooms.get(person)
    return _new_carry(person, thing, to) if isinstance(room, str) and room != to else None


def _alter(tracker: BeliefTracker, _: Random, person: str, change: Change, *_rest: object) -> StoryAction | None:
    return Alter(person, change) if isinstance(tracker.rooms.get(person), str) else None


def _tell(
    tracker: BeliefTracker, rng: Random, person: str, thing: str, _: str, listener: str | None
) -> StoryAction | None:
    claim = _claim(tracker, person, thing, rng)
    return Inform(person, claim, listener) if claim else None


def _announce(tracker: BeliefTracker, rng: Random, person: str, thing: str, *_rest: object) -> StoryAction | None:
    room = tracker.rooms.get(person)
    claim = _claim(tracker, person, thing, rng) if isinstance(room, str) else None
    return Inform(person, claim, None, room) if claim and isinstance(room, str) else None


def _chat(_: BeliefTracker, _rng: Random, person: str, topic: str, _second: str, listener: str) -> StoryAction | None:
    return _new_talk(person, topic, listener)


def _discuss(tracker: BeliefTracker, _: Random, person: str, topic: str, *_rest: object) -> StoryAction | None:
    room = tracker.rooms.get(person)
    return _new_talk(person, topic, None, room) if isinstance(room, str) else None


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


_MAKERS: Mapping[ActionKind, Callable[..., StoryAction | None]] = {
    ActionKind.ENTER: _enter,
    ActionKind.LEAVE: _leave,
    ActionKind.MOVE: _put,
    ActionKind.CARRY: _carry,
    ActionKind.CHANGE: _alter,
    ActionKind.TELL: _tell,
    ActionKind.ANNOUNCE: _announce,
    ActionKind.CHAT: _chat,
    ActionKind.DISCUSS: _discuss,
}


def draw_action(
    tracker: BeliefTracker, rng: Random, people: Sequence[str], candidates: Sequence[Candidate]
) -> tuple[ActionKind, StoryAction] | None:
    """Draws one of the candidates that are possible next, uniformly, with its kind; None if `DRAWS` draws find none."""
    number, random = len(candidates), rng.random
    for _ in range(DRAWS):
        kind, person, first, second, other = candidates[int(random() * number)]
        listener = people[other] if other >= 0 else None
        action = _MAKERS[kind](tracker, rng, people[person], first, second, listener)
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
