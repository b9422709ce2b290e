"""A story as read for the audit: its sentences as actions, what people believe after each, and what labels mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.audit.happenings import (
    TELLER,
    act_out,
    apply,
    containers_of,
    names_by_part,
    people_in,
    plain_container,
    surroundings_of,
)
from hm_agent.worlds.exploretom.audit.tomi_language import (
    Being,
    Claiming,
    Event,
    Moving,
    Nothing,
    parse_sentence,
    words,
)
from hm_agent.worlds.exploretom.datasets.belief_trace import value_words
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.readers.reading import sees
from hm_agent.worlds.exploretom.story.actions import Alter, StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import AwayFrom, Key, Missing, ObjectLocation, Value
from hm_agent.worlds.exploretom.story.language import aside_of, plain_words, with_aside


class ReadStory:
    """A story's sentences up to the first that can't be read or is impossible.

    stop: the number of sentences before that one. problem: what is wrong with that one, empty if there is none.
    actions: those of each sentence. people: all whom the story mentions.
    """

    def __init__(self, sentences: Sequence[str], sees_contents: bool) -> None:
        self.sentences, self.sees_contents = sentences, sees_contents
        self.problem = ""
        self.events = self._parse(sentences)
        self.people = tuple(dict.fromkeys(name for event in self.events for name in people_in(event)))
        self.states_places = any(isinstance(event, Being | Claiming) for event in self.events)
        self._around = surroundings_of(self.events)
        self._trackers: dict[int, BeliefTracker] = {}
        self.actions: list[Sequence[StoryAction]] = []
        tracker = self._new_tracker()
        for number, event in enumerate(self.events):
            try:
                self.actions.append(act_out(tracker, number, event, self._around))
            except StoryError as error:
                self.problem = str(error)
                break
        self.stop = len(self.actions)
        self._containers = tracker.containers

    def _parse(self, sentences: Sequence[str]) -> list[Event]:
        """The events of the sentences up to the first that can't be read, for which it sets `problem`."""
        events: list[Event] = []
        names: list[tuple[str, str]] = []
        for sentence in sentences:
            aside, last = aside_of(sentence), events[-1] if events else None
            if aside and last is not None and isinstance(last, get_args(StoryAction)):
                events[-1] = with_aside(last, aside)  # type: ignore[arg-type]
                events.append(Nothing())
                continue
            event = parse_sentence(sentence)
            if event is None:
                self.problem = f"can't read {sentence[:80]!r}"
                break
            new = [name for name in dict.fromkeys(names_by_part(event)) if name not in names]
            if clash := _clash(new, names):
                self.problem = f"can't tell {clash[0]!r} and {clash[1]!r} apart in {sentence[:80]!r}"
                break
            names += new
            events.append(event)
        return self._without_changes(events)

    def _without_changes(self, events: list[Event]) -> list[Event]:
        """The events up to the first change, in a story told in the sentences of other sets, which have none."""
        is_foreign = any(isinstance(event, Being | Moving | Claiming) for event in events)
        changed = next((number for number, event in enumerate(events) if isinstance(event, Alter)), None)
        if not is_foreign or changed is None:
            return events
        self.problem = f"can't read {self.sentences[changed][:80]!r}"
        return events[:changed]

    def _new_tracker(self) -> BeliefTracker:
        return BeliefTracker((*self.people, TELLER), sees_contents=self.sees_contents)

    def first_change(self, after: int) -> str | None:
        """The first of some sentences that is read as a change of an object; None if there is none."""
        changes = (number for number, event in enumerate(self.events[:after]) if isinstance(event, Alter))
        return next((self.sentences[number] for number in changes), None)

    # What is so, and what is believed

    def tracker_after(self, after: int) -> BeliefTracker:
        """The tracker after the first sentences; not to be changed."""
        if after not in self._trackers:
            tracker = self._trackers[after] = self._new_tracker()
            for action in self._script(after).actions:
                apply(tracker, action)
        return self._trackers[after]

    def answered(self, after: int) -> AnsweredStory:
        """The first sentences as a story that answers questions in our own language."""
        return AnsweredStory(self._script(after))

    def _script(self, after: int) -> StoryScript:
        """The actions of the first sentences."""
        return StoryScript(tuple(action for done in self.actions[:after] for action in done), self.sees_contents)

    def value(
        self, key: Key, people: Sequence[str], after: int, time: str = "now", tracker: BeliefTracker | None = None
    ) -> Value | None:
        """Where something is after some sentences, or was at the beginning; with people, where they believe that it is.

        people: whose nested belief it is, outermost first. tracker: the one after these sentences; it holds two orders
        of beliefs, and those of higher orders are computed from their definition.
        """
        tracker = tracker or self.tracker_after(after)
        if len(people) > 2:
            return DefinedBeliefs(self._script(after), self.people).chained_belief(people, key)
        if people:
            return tracker.nested_belief(people[0], people[-1], key)
        if key[0] == "room":
            return tracker.rooms.get(key[1]) or tracker.containers.get(key[1])
        return (tracker.first_locations if time == "beginning" else tracker.locations).get(key[1])

    def stayed_when_leaving(self, person: str, room: str, after: int) -> tuple[str, ...]:
        """The people who were in a room when a person last left it; none if it never did."""
        tracker = self._new_tracker()
        stayed: tuple[str, ...] = ()
        for action in self._script(after).actions:
            before, inside = tracker.rooms.get(person), tuple(tracker.people_in(room))
            apply(tracker, action)
            if before == room and tracker.rooms.get(person) != room:
                stayed = tuple(name for name in inside if name not in (person, TELLER))
        return stayed

    def claims_heard(self, thing: str, people: Sequence[str], after: int) -> tuple[str, ...]:
        """The containers in which someone claimed a thing to be, in claims that all of these people heard or made.

        What a person claimed itself does not count for its own belief, since it may lie.
        """
        claims = [event for event in self.events[:after] if isinstance(event, Claiming) and event.object == thing]
        claims = [claim for claim in claims if tuple(people) != (claim.person,)]
        heard = [one for one in claims if one.listener is None or {one.person, one.listener}.issuperset(people)]
        return tuple(dict.fromkeys(claim.container for claim in heard))

    # What labels mean

    def place_meant(self, label: str) -> str | None:
        """The place of the story that a text means, e.g. `box` for `in the box in the hall`; None if it means none."""
        label, bare = words(label), plain_words(words(label))
        rooms = (*self._around.rooms, *self._around.stated.values())
        claimed = (event.container for event in self.events if isinstance(event, Claiming))
        used = (plain_container(name) for done in self.actions for name in containers_of(done))
        places = dict.fromkeys((*used, *claimed, *rooms))
        if place := next((place for place in places if plain_words(place) == bare), None):
            return place
        located = {f"{plain_container(name)} in the {room}": name for name, room in self._containers.items()}
        if place := next((place for place in located if plain_words(place) == bare), None):
            return plain_container(located[place])
        if " in the " in bare and bare.rpartition(" in the ")[2] in map(plain_words, rooms):
            return None  # it names a room in which the container is not
        meant = meaning(label, tuple(located)) if located else None
        return plain_container(located[meant]) if meant else meaning(label, tuple(dict.fromkeys(rooms)))

    def is_ruled_out(self, label: str, value: AwayFrom | Missing, tracker: BeliefTracker) -> bool:
        """True if this belief excludes that the thing is at the place of the label."""
        if isinstance(value, Missing) and not self.sees_contents:
            return label == value.room and label not in tracker.containers.values()
        return value.room in (label, tracker.containers.get(label))

    # The trace

    def trace(self, key: Key, people: Sequence[str], after: int) -> Iterator[str]:
        """Yields a line for each sentence: the sentence, who saw it, and how the belief about the key changed.

        people: whose nested belief it is, outermost first; empty for the state of the world.
        """
        tracker, before = self._new_tracker(), "nothing"
        for number, (sentence, done) in enumerate(zip(self.sentences[:after], self.actions[:after], strict=True), 1):
            seen: dict[str, None] = {}
            for action in done:
                seen |= dict.fromkeys(name for name in self.people if sees(tracker, name, action))
                apply(tracker, action)
            now = value_words(self.value(key, people, number, tracker=tracker))
            notes = [f"seen by {listed(tuple(seen))}"] if seen else []
            if now != before:
                notes.append(f"{believer_words(people)}: {now}")
            yield f"{sentence}   [{'; '.join(notes)}]" if notes else sentence
            before = now


def believer_words(people: Sequence[str]) -> str:
    """`Anne thinks that Beth believes`, or `it is` for the state of the world."""
    return f"{' thinks that '.join(people)} believes" if people else "it is"


def right_places(value: Value | None) -> tuple[str, ...]:
    """The places that a label may name for a thing that is there: its container and its room; none if it is unknown."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, ObjectLocation):
        return ()
    return (plain_container(value.container), value.room) if value.container else (value.room,)


def _clash(new: Sequence[tuple[str, str]], known: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """A new name and a known one that may mean the same, such as `hall quietly` and `hall`; None if there are none.

    new, known: (part in the story, name).
    """
    for part, name in new:
        for other_part, other in known:
            short, long = sorted((name, other), key=len)
            is_extended = long.startswith(f"{short} ") or (part == "person" and long.endswith(f" {short}"))
            is_same = name != other and plain_words(name) == plain_words(other)
            if is_same or (is_extended and part == other_part):
                return name, other
    return None
