"""Random stories under conditions: what a story must have (section 2.2.3, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.action_sets import IMPORTANT, PHYSICAL, WALKS, ActionKind, ActionSet
from hm_agent.worlds.exploretom.actions import (
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
    StoryScript,
    TalkAbout,
    is_asymmetric,
    people_of,
)
from hm_agent.worlds.exploretom.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.cast import CastLists, StoryCast, StoryPlace
from hm_agent.worlds.exploretom.effects import perform
from hm_agent.worlds.exploretom.evidence import ObjectLocation
from hm_agent.worlds.exploretom.preconditions import problem_of
from hm_agent.worlds.exploretom.story_questions import AnsweredStory

MAX_ACTIONS = 15
"""Of a story, in the paper."""
TRIES = 2_000
"""How many random stories are begun, at most, to find one that meets the conditions."""
DRAWS = 400
"""How many actions are drawn, at most, to find one that can happen next."""
ASIDE_SHARE = 0.3
"""How often someone peeks or is distracted, of the actions of an asymmetric story where that can be."""


@dataclass(frozen=True, slots=True)
class StoryConditions:
    """What a story must have.

    people: so many can take part. important: so many of its actions are important ones. rooms: it may use so many.
    max_actions: its longest. must_have: at least one action is of these kinds; any, if empty. is_asymmetric: at least
    one action has a peeker or someone distracted. needs_everyone: all people take part. needs_rooms: all rooms are
    used. false_beliefs: so many of its first-order questions, at least, have an answer that is not so. sees_contents:
    entering a room shows what its containers hold.
    """

    people: int
    important: int
    rooms: int = 1
    max_actions: int = MAX_ACTIONS
    must_have: tuple[ActionKind, ...] = ()
    is_asymmetric: bool = False
    sees_contents: bool = False
    needs_everyone: bool = True
    needs_rooms: bool = False
    false_beliefs: int = 0

    def __post_init__(self) -> None:
        if not (self.people >= 1 and self.important >= 0 and self.rooms >= 1 and self.max_actions >= 1):
            raise ConfigError("a story has at least one person, one room and one action")


@dataclass(frozen=True, slots=True)
class DrawnStory:
    """A random story with what is known at its end. tries: how many were begun to find it."""

    script: StoryScript
    tracker: BeliefTracker
    tries: int


Candidate: TypeAlias = tuple[ActionKind, int, "str | Change", str, int]
"""(kind, the number of who acts, of what, where or of what, the number of the listener or -1 for everyone there)"""


@cache
def _candidates(place: StoryPlace, people: int, kinds: tuple[ActionKind, ...]) -> tuple[Candidate, ...]:
    """Every action that so many people could ever take in a place."""
    return tuple(
        (kind, person, *parts, listener)
        for kind in kinds
        for person in range(people)
        for listener in (range(people) if kind in (ActionKind.TELL, ActionKind.CHAT) else (-1,))
        if listener != person
        for parts in _parts(place, kind)
    )


@cache
def _plain(kinds: tuple[ActionKind, ...]) -> tuple[ActionKind, ...]:
    """Those that are not important."""
    return tuple(kind for kind in kinds if kind not in IMPORTANT)


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


@dataclass(slots=True)
class StoryDraft:
    """A story while it is drawn, and what it still lacks.

    state: follows beliefs only where what can happen next depends on them. important: how many of its actions are
    important. lacks_kind: it has none of the kinds that it must have.
    lacks_aside: nobody peeks or is distracted, and someone must. absent: who must still take part. unused: the rooms
    that must still be used.
    """

    state: BeliefTracker
    actions: list[StoryAction]
    important: int
    lacks_kind: bool
    lacks_aside: bool
    absent: set[str]
    unused: set[str | None]

    def copy(self) -> StoryDraft:
        """The same story, to be continued apart from this one."""
        return StoryDraft(
            self.state.copy(),
            self.actions.copy(),
            self.important,
            self.lacks_kind,
            self.lacks_aside,
            self.absent.copy(),
            self.unused.copy(),
        )


class StorySampler:
    """Draws stories of a cast, action by action; each that can happen next is as likely as any other.

    kinds: of the actions. conditions: important actions beyond their number are never drawn.
    """

    def __init__(self, cast: StoryCast, kinds: tuple[ActionKind, ...], conditions: StoryConditions) -> None:
        self._people, self._place, self._conditions = cast.people, cast.place, conditions
        self._all = _candidates(cast.place, len(cast.people), kinds)
        plain = _plain(kinds)
        self._plain = _candidates(cast.place, len(cast.people), plain)
        # Once all important actions have happened, whoever still lacks these won't get them.
        self._must_be_important = IMPORTANT.issuperset(conditions.must_have)
        self._only_walks = frozenset(WALKS).issuperset(plain)
        self._needs_beliefs = bool(conditions.false_beliefs) or not PHYSICAL.issuperset(kinds)

    def draw(self, rng: Random) -> DrawnStory | None:
        """The first story that meets the conditions; None if none of `TRIES` does."""
        for tries in range(1, TRIES + 1):
            if draft := self.try_once(rng):
                return DrawnStory(self.script(draft), self.tracked(draft), tries)
        return None

    def draw_draft(self, rng: Random) -> StoryDraft | None:
        """The same as a draft."""
        return next(filter(None, (self.try_once(rng) for _ in range(TRIES))), None)

    def try_once(self, rng: Random) -> StoryDraft | None:
        """A random story that ends as soon as it meets the conditions; None if it never does."""
        draft = self.begin()
        return draft if self.complete(draft, rng) else None

    def begin(self) -> StoryDraft:
        """A story without actions."""
        conditions = self._conditions
        return StoryDraft(
            BeliefTracker(self._people, sees_contents=conditions.sees_contents, follows_beliefs=self._needs_beliefs),
            [],
            0,
            bool(conditions.must_have),
            conditions.is_asymmetric,
            set(self._people if conditions.needs_everyone else ()),
            set(self._place.rooms if conditions.needs_rooms else ()),
        )

    def script(self, draft: StoryDraft) -> StoryScript:
        """The story as far as it is drawn."""
        return StoryScript(tuple(draft.actions), self._conditions.sees_contents)

    def tracked(self, draft: StoryDraft) -> BeliefTracker:
        """Everyone's beliefs at the end of the story as far as it is drawn."""
        if draft.state.follows_beliefs:
            return draft.state
        tracker = BeliefTracker(self._people, sees_contents=self._conditions.sees_contents)
        for action in draft.actions:
            perform(tracker, action)
        return tracker

    def is_full(self, draft: StoryDraft) -> bool:
        """True if the story is as long as it may be."""
        return len(draft.actions) >= self._conditions.max_actions

    def complete(self, draft: StoryDraft, rng: Random) -> bool:
        """Adds one action or more until the conditions are met; False if they never are."""
        while not self.is_full(draft):
            if not self.add(draft, rng):
                return False
            if self.is_met(draft):
                return True
        return False

    def add(self, draft: StoryDraft, rng: Random) -> bool:
        """Adds an action, and at times someone who peeks or is distracted; False if hardly any can happen."""
        conditions, state = self._conditions, draft.state
        drawn = self._draw_next(state, rng, self._all if draft.important < conditions.important else self._plain)
        if drawn is None:
            return False
        kind, action = drawn
        if conditions.is_asymmetric and kind not in WALKS and rng.random() < ASIDE_SHARE:
            action = self._with_aside(state, action, rng)
            draft.lacks_aside = draft.lacks_aside and not is_asymmetric(action)
        perform(state, action)
        draft.actions.append(action)
        if draft.absent:
            draft.absent.difference_update(people_of(action))
        if draft.unused:
            draft.unused.discard(getattr(action, "room", None))
        draft.important += kind in IMPORTANT
        draft.lacks_kind = draft.lacks_kind and kind not in conditions.must_have
        return True

    def is_met(self, draft: StoryDraft) -> bool:
        """True if the story meets the conditions as it is."""
        conditions = self._conditions
        if draft.important != conditions.important or draft.lacks_kind or draft.lacks_aside:
            return False
        if draft.absent or draft.unused:
            return False
        return not conditions.false_beliefs or self._false_beliefs(draft) >= conditions.false_beliefs

    def can_complete(self, draft: StoryDraft, rng: Random) -> bool:
        """The same as `complete`, but ends as soon as it can tell that the conditions won't be met."""
        while self.can_be_met(draft) and self.add(draft, rng):
            if self.is_met(draft):
                return True
        return False

    def can_be_met(self, draft: StoryDraft) -> bool:
        """False if it is plain that the conditions can't be met any more; True says little."""
        conditions = self._conditions
        left = conditions.max_actions - len(draft.actions)
        missing = conditions.important - draft.important
        if left <= 0 or missing > left:
            return False
        return missing > 0 or not (
            (draft.lacks_kind and self._must_be_important) or (draft.lacks_aside and self._only_walks)
        )

    def _false_beliefs(self, draft: StoryDraft) -> int:
        questions = AnsweredStory(self.script(draft), draft.state).questions((1,))
        return sum(question.is_false_belief for question in questions)

    def _draw_next(
        self, tracker: BeliefTracker, rng: Random, candidates: Sequence[Candidate]
    ) -> tuple[ActionKind, StoryAction] | None:
        """One of the actions that can happen next, all as likely; None if hardly any can."""
        number, random, people = len(candidates), rng.random, self._people
        for _ in range(DRAWS):
            kind, person, first, second, other = candidates[int(random() * number)]
            listener = people[other] if other >= 0 else None
            action = _MAKERS[kind](tracker, rng, people[person], first, second, listener)
            if action is not None and problem_of(tracker, action) is None:
                return kind, action
        return None

    def _with_aside(self, tracker: BeliefTracker, action: StoryAction, rng: Random) -> StoryAction:
        """The action with one person who peeks at it or is distracted from it, if there is another person."""
        others = [name for name in self._people if name != action.person]
        if not others:
            return action
        name = others[int(rng.random() * len(others))]
        is_there = tracker.would_witness(name, action)
        return replace(action, distracted=(name,)) if is_there else replace(action, peekers=(name,))


# What a candidate is in a situation; None if it plainly can't happen then. Actions are made more often than there are
# different ones.

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
    """Something that a person believes about an object, of all that it could tell; None if nothing."""
    known: list[Claim] = []
    location = tracker.belief(person, ("location", thing))
    if isinstance(location, ObjectLocation):
        known.append(_new_place(thing, location.room, location.container))
    for changed, state in tracker.changes:
        if changed == thing and tracker.belief(person, ("state", thing, state)):
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


def draw_story(rng: Random, lists: CastLists, kinds: tuple[ActionKind, ...], conditions: StoryConditions) -> DrawnStory:
    """A random story with a cast drawn for it; raises ConfigError if the conditions can hardly be met."""
    cast = lists.draw(rng, conditions.people, conditions.rooms)
    found = StorySampler(cast, kinds, conditions).draw(rng)
    if found is None:
        raise ConfigError(f"none of {TRIES} random stories has {conditions}: ask for less, or for longer stories")
    return found


def conditions_of(rng: Random, action_set: ActionSet, *, sees_contents: bool = False) -> StoryConditions:
    """One of the paper's settings (section 3): 2 to 4 people, 2 to 4 important actions, 1 or 2 rooms."""
    needs_two = ActionKind.CARRY in action_set.must_have
    return StoryConditions(
        people=rng.randint(2, 4),
        important=rng.randint(2, 4),
        rooms=2 if needs_two else rng.randint(1, 2),
        must_have=action_set.must_have,
        is_asymmetric=action_set.is_asymmetric,
        sees_contents=sees_contents,
    )


def story_of(seed: int, action_set: ActionSet, lists: CastLists, *, sees_contents: bool = False) -> DrawnStory:
    """The story of a seed, bit for bit, in one of the paper's settings."""
    rng = Random(f"{action_set.name}/{seed}")
    return draw_story(rng, lists, action_set.kinds, conditions_of(rng, action_set, sees_contents=sees_contents))
