"""Tracks a labelled story and judges its labels: right, wrong with the reason, or not judged.

A label is called wrong only if all sentences up to its question can be read and are possible one after the other, and a
definite answer follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import get_args

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.audit.happenings import (
    TELLER,
    act_out,
    apply,
    container_rooms_of,
    containers_of,
    people_in,
    rooms_of,
)
from hm_agent.worlds.exploretom.audit.labelled import LabelledQuestion, LabelledStory
from hm_agent.worlds.exploretom.audit.tomi_language import (
    Being,
    Event,
    Nothing,
    WhereAsked,
    parse_question,
    parse_sentence,
    words,
)
from hm_agent.worlds.exploretom.datasets.belief_trace import value_words
from hm_agent.worlds.exploretom.questions.functional import action_choices, chosen_action, parse_asked_action
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, Asked, AskedProperty, AskedTime
from hm_agent.worlds.exploretom.readers.reading import sees
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import AwayFrom, Key, Missing, ObjectLocation, Value
from hm_agent.worlds.exploretom.story.language import aside_of, plain_words, with_aside


class LabelVerdict(Enum):
    """The verdict on a label."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A label with its verdict. reason: in one line, unless the label is right.

    trace: for a wrong label, a line for each sentence of the story.
    """

    question: LabelledQuestion
    verdict: LabelVerdict
    reason: str = ""
    trace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unjudged(Exception):
    """Raised if a label can't be judged. reason: why, in one line."""

    reason: str


def judge(story: LabelledStory, *, sees_contents: bool) -> Iterator[Judgement]:
    """Yields the judgements of a story's labels, in their order. sees_contents: for stories whose file does not say."""
    shows = sees_contents if story.sees_contents is None else story.sees_contents
    read = _read(tuple(line.text for line in story.lines), shows)
    lines = [line.line for line in story.lines]
    for question in story.questions:
        yield _judge(read, question, lines)


def _judge(read: ReadStory, question: LabelledQuestion, lines: Sequence[int]) -> Judgement:
    if not question.label:
        return Judgement(question, LabelVerdict.NOT_JUDGED, "it has no label")
    if read.stop < question.after:
        return Judgement(question, LabelVerdict.NOT_JUDGED, f"line {lines[read.stop]}: {read.problem}")
    try:
        wrong = read.objection(question)
    except _Unjudged as unjudged:
        return Judgement(question, LabelVerdict.NOT_JUDGED, unjudged.reason)
    if wrong is None:
        return Judgement(question, LabelVerdict.RIGHT)
    return Judgement(question, LabelVerdict.WRONG, wrong.reason, tuple(read.trace(wrong, question.after)))


@dataclass(frozen=True, slots=True)
class _Objection:
    """Why a label is wrong.

    key: what the answer is about. people: whose nested belief it is, outermost first; empty for the state of the world.
    """

    reason: str
    key: Key
    people: Sequence[str]


class ReadStory:
    """A story's sentences up to the first that can't be read or is impossible.

    stop: the number of sentences before that one. problem: what is wrong with that one, empty if there is none.
    actions: those of each sentence.
    """

    def __init__(self, sentences: Sequence[str], sees_contents: bool) -> None:
        self.sentences, self._sees_contents = sentences, sees_contents
        self.problem = ""
        events = self._parse(sentences)
        self._rooms = rooms_of(events)
        self.actions: list[Sequence[StoryAction]] = []
        self._people = tuple(dict.fromkeys(name for event in events for name in people_in(event)))
        self._states_places = any(isinstance(event, Being) for event in events)
        container_rooms = container_rooms_of(events, self._rooms)
        tracker = self._tracker()
        for event in events:
            try:
                self.actions.append(act_out(tracker, event, self._rooms, container_rooms))
            except StoryError as error:
                self.problem = str(error)
                break
        self.stop = len(self.actions)

    def _parse(self, sentences: Sequence[str]) -> list[Event]:
        """The events of the sentences up to the first that can't be read, for which it sets `problem`."""
        events: list[Event] = []
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
            events.append(event)
        return events

    def _tracker(self) -> BeliefTracker:
        return BeliefTracker((*self._people, TELLER), sees_contents=self._sees_contents)

    # Answers

    def objection(self, question: LabelledQuestion) -> _Objection | None:
        """Why a label is wrong, None if it is right; raises _Unjudged if no definite answer follows from the story."""
        asked = parse_question(question.text)
        if action := parse_asked_action(question.text):
            story = self._story_until(question)
            answer = chosen_action(story, action)
            if meaning(question.label, action_choices(story, action)) == answer:
                return None
            return _Objection(f"the answer is {answer!r}", action.key, (action.person,))
        if isinstance(asked, Asked) and self._states_places:
            asked = _as_where_asked(asked)
        if isinstance(asked, Asked):
            return self._asked_objection(asked, question)
        if asked is None:
            raise _Unjudged(f"can't read the question {question.text[:80]!r}")
        return self._where_objection(asked, question)

    def _story_until(self, question: LabelledQuestion) -> AnsweredStory:
        """The story up to a question; raises _Unjudged if the story also has sentences about places (`Being`)."""
        if self._states_places:
            raise _Unjudged("such a question is judged only if all sentences of the story are actions of people")
        actions = tuple(action for sentence_actions in self.actions[: question.after] for action in sentence_actions)
        return AnsweredStory(StoryScript(actions, self._sees_contents))

    def _asked_objection(self, asked: Asked, question: LabelledQuestion) -> _Objection | None:
        """The objection to the label of a question in our own language."""
        story = self._story_until(question)
        answer = story.answer(asked)
        if answer is None:
            raise _Unjudged("the story gives no definite answer")
        if meaning(question.label, story.choices(asked)) == answer:
            return None
        return _Objection(f"the answer is {answer!r}", asked.key, _believers(asked))

    def _where_objection(self, asked: WhereAsked, question: LabelledQuestion) -> _Objection | None:
        """The objection to the label of a question of where something is, which may be told in ToMi's sentences."""
        tracker = self._tracker_after(question.after)
        unknown = [name for name in asked.people if name not in self._people]
        if unknown:
            raise _Unjudged(f"the story names no {unknown[0]}")
        has_room = asked.thing in tracker.people or asked.thing in tracker.containers
        key = ("room" if has_room else "location", asked.thing)
        value = self._value(tracker, key, asked.people, question.after, asked.time)
        label = self._place_meant(question.label)
        if isinstance(value, ObjectLocation | str):
            right = (value,) if isinstance(value, str) else (value.container, value.room)
            if label in right:
                return None
            return _Objection(_correction(asked, value_words(value)), key, asked.people)
        if isinstance(value, AwayFrom | Missing) and self._is_ruled_out(label, value, tracker):
            return _Objection(_correction(asked, f"not in the {value.room}"), key, asked.people)
        raise _Unjudged(f"the story does not say where {_asked_words(asked)} is")

    def _value(
        self, tracker: BeliefTracker, key: Key, people: Sequence[str], after: int, time: str = "now"
    ) -> Value | None:
        """Where something is after some sentences, or was at the beginning; with people, where they believe that it is.

        people: whose nested belief it is, outermost first. tracker: the one after these sentences; it holds two orders
        of beliefs, and those of higher orders are computed from their definition.
        """
        if len(people) > 2:
            actions = tuple(action for done in self.actions[:after] for action in done)
            return DefinedBeliefs(StoryScript(actions, self._sees_contents), self._people).chained_belief(people, key)
        if people:
            return tracker.nested_belief(people[0], people[-1], key)
        if key[0] == "room":
            return tracker.rooms.get(key[1]) or tracker.containers.get(key[1])
        return (tracker.first_locations if time == "beginning" else tracker.locations).get(key[1])

    def _tracker_after(self, after: int) -> BeliefTracker:
        tracker = self._tracker()
        for done in self.actions[:after]:
            for action in done:
                apply(tracker, action)
        return tracker

    def _place_meant(self, label: str) -> str:
        """The place that a label means, or the label itself if it means none."""
        containers = dict.fromkeys(place for done in self.actions for place in containers_of(done))
        places = tuple(dict.fromkeys((*containers, *self._rooms)))
        label = words(label)
        return meaning(label, places) or next(
            (place for place in places if plain_words(place) == plain_words(label)), label
        )

    def _is_ruled_out(self, label: str, value: AwayFrom | Missing, tracker: BeliefTracker) -> bool:
        """True if this belief excludes that the thing is at the place of the label."""
        if isinstance(value, Missing) and not self._sees_contents:
            return label == value.room and label not in tracker.containers.values()
        return value.room in (label, tracker.containers.get(label))

    # The trace

    def trace(self, wrong: _Objection, after: int) -> Iterator[str]:
        """Yields a line for each sentence: the sentence, who saw it, and how the belief that matters changed."""
        tracker, before = self._tracker(), "nothing"
        for number, (sentence, done) in enumerate(zip(self.sentences[:after], self.actions[:after], strict=True), 1):
            seen: dict[str, None] = {}
            for action in done:
                seen |= dict.fromkeys(name for name in self._people if sees(tracker, name, action))
                apply(tracker, action)
            now = value_words(self._value(tracker, wrong.key, wrong.people, number))
            notes = [f"seen by {listed(tuple(seen))}"] if seen else []
            if now != before:
                notes.append(f"{_believer_words(wrong.people)}: {now}")
            yield f"{sentence}   [{'; '.join(notes)}]" if notes else sentence
            before = now


@lru_cache(maxsize=8)
def _read(sentences: tuple[str, ...], sees_contents: bool) -> ReadStory:
    """Reads a story, cached, since files of JSON lines repeat it for each of its questions."""
    return ReadStory(sentences, sees_contents)


def _believers(asked: Asked) -> tuple[str, ...]:
    """The people whose belief a question asks for, outermost first; empty for the state of the world."""
    return tuple(name for name in (asked.person, asked.other) if name)


def _believer_words(people: Sequence[str]) -> str:
    """`Anne thinks that Beth believes`, or `it is` for the state of the world."""
    return f"{' thinks that '.join(people)} believes" if people else "it is"


def _asked_words(asked: WhereAsked) -> str:
    """`the apple`, or with people `the apple, as Anne thinks that Beth believes,`."""
    thing = asked.thing if asked.thing[0].isupper() else f"the {asked.thing}"
    if not asked.people:
        return thing
    thinks = " thinks that ".join(asked.people)
    return f"{thing}, as {thinks} believes,"


def _correction(asked: WhereAsked, known: str) -> str:
    """The right answer as a sentence: `Anne thinks that Beth believes it in the box in the hall`."""
    if asked.time == "beginning":
        return f"at the beginning it is {known}"
    return f"{_believer_words(asked.people)} it {known}" if asked.people else f"it is {known}"


def _as_where_asked(asked: Asked) -> WhereAsked | Asked:
    """A question about a room or container as one that can be judged for any story; other questions unchanged."""
    if asked.about not in (AskedProperty.ROOM, AskedProperty.CONTAINER) or asked.time is AskedTime.BEFORE:
        return asked
    return WhereAsked(asked.subject, _believers(asked), "beginning" if asked.time is AskedTime.BEGINNING else "now")
