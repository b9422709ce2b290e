"""The trace of a story: how each action changes beliefs, in words. It is the reason for every answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.exploretom.readers.reading import sees
from hm_agent.worlds.exploretom.story.actions import People, StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    Key,
    Missing,
    ObjectLocation,
    Value,
    location_key,
    state_key,
)


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """What a person believes from now on, or thinks that another believes. other: None for the person's own belief."""

    person: str
    other: str | None
    value: str


@dataclass(frozen=True, slots=True)
class TracedAction:
    """One action of a trace. seen_by: the people who took part in it or saw it.

    so: the true value of the traced key after it, None if there is none yet. changes: the beliefs about that key that
    it changes.
    """

    seen_by: People
    so: str | None
    changes: tuple[BeliefChange, ...]


def value_words(value: Value | None) -> str:
    """A value in words: `in the box in the hall`, `not in the hall`, `yes`, `nothing`."""
    if isinstance(value, ObjectLocation):
        return f"in the {value.container} in the {value.room}" if value.container else f"in the {value.room}"
    if isinstance(value, AwayFrom | Missing):
        return f"not in the {value.room}"
    if isinstance(value, str):
        return f"in the {value}"
    return "yes" if value else "nothing"


class StoryTrace:
    """All beliefs after each action of a story; raises StoryError if an action is impossible."""

    def __init__(self, script: StoryScript) -> None:
        self.people = script.people
        self._seen: list[People] = []
        self._beliefs: list[Mapping[Key, Sequence[Value | None]]] = []
        self._truths: list[Mapping[Key, Value]] = []
        tracker = BeliefTracker(script.people, sees_contents=script.sees_contents)
        for action in script.actions:
            self._add(tracker, action)

    def _add(self, tracker: BeliefTracker, action: StoryAction) -> None:
        self._seen.append(tuple(name for name in self.people if sees(tracker, name, action)))
        tracker.apply(action)
        self._beliefs.append({key: tracker.beliefs(key) for key in tracker.known_keys()})
        truths: dict[Key, Value] = {location_key(thing): place for thing, place in tracker.locations.items()}
        truths |= {state_key(*change): True for change in tracker.changes}
        self._truths.append(truths)

    def of(self, key: Key) -> list[TracedAction]:
        """The trace of one key, with an entry for each action."""
        before: Sequence[Value | None] = [None] * len(self.people) ** 2
        traced = []
        for seen_by, beliefs, truths in zip(self._seen, self._beliefs, self._truths, strict=True):
            now = beliefs.get(key, before)
            truth = truths.get(key)
            traced.append(
                TracedAction(seen_by, None if truth is None else value_words(truth), tuple(self._changes(before, now)))
            )
            before = now
        return traced

    def _changes(self, before: Sequence[Value | None], now: Sequence[Value | None]) -> Iterator[BeliefChange]:
        """Yields the beliefs that differ between two moments, as person i thinks of person j at i * number + j."""
        number = len(self.people)
        for pair, (old, new) in enumerate(zip(before, now, strict=True)):
            if old != new:
                person, other = self.people[pair // number], self.people[pair % number]
                yield BeliefChange(person, None if person == other else other, value_words(new))
