"""The questions about a story (table 4), their answers, and their choices, among them what weak readers answer.

Table 4 does not ask who knows no place, or whether an object is believed to stand in the open. Our questions about
whereabouts do, since functional items rely on that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from itertools import groupby

from hm_agent.worlds.exploretom.questions.posing import QuestionKind
from hm_agent.worlds.exploretom.story.actions import PutInto, StoryScript, TalkAbout
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError, track
from hm_agent.worlds.exploretom.story.evidence import Key, ObjectLocation, Value, location_key, state_key, topic_key
from hm_agent.worlds.exploretom.story.language import WHO, clause_of

YES, NO = "yes", "no"
KNOWS, DOES_NOT_KNOW = "knows about it", "does not know about it"
IN_CONTAINER, NO_PLACE, OPENLY = "in a container", "knows no place", "out in the open"
UNNAMED = "a place that the story does not name"
"""The second choice if a story names only one place; it is never right."""


def chance(choices: Sequence[str]) -> float:
    """The probability that a choice drawn uniformly is right; UNNAMED, which never is, is not drawn."""
    return 1 / sum(choice != UNNAMED for choice in choices)


class AskedProperty(Enum):
    """What a question is about."""

    ROOM = "room"
    CONTAINER = "container"
    TOPIC = "topic"
    STATE = "state"
    WHEREABOUTS = "whereabouts"
    """Whether an object is, or is believed to be, in a container, in the open, or in no known place; not in table 4."""


class AskedTime(Enum):
    """The moment that a question about the world asks for."""

    BEGINNING = "beginning"
    NOW = "now"
    BEFORE = "before"


@dataclass(frozen=True, slots=True)
class Asked:
    """The content of a question.

    subject: the object or topic. person: whose belief is asked for; None for the state of the world. other: about whose
    belief the person is asked; None for the first order. third: about whose belief the person thinks that the other has
    one; None up to the second order. state: of the object. time: for the state of the world. clause: for
    `AskedTime.BEFORE`, the words of the action before which the question asks.
    """

    about: AskedProperty
    subject: str
    person: str | None = None
    other: str | None = None
    state: str | None = None
    time: AskedTime | None = None
    clause: str | None = None
    third: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who thinks that who thinks that who believes it; empty for the state of the world."""
        return tuple(name for name in (self.person, self.other, self.third) if name is not None)

    @property
    def order(self) -> int:
        """0 for the world's state, 1 for what someone believes, 2 for what someone thinks that another believes."""
        return len(self.people)

    @property
    def key(self) -> Key:
        """The tracker's key for what is asked."""
        if self.about is AskedProperty.TOPIC:
            return topic_key(self.subject)
        return state_key(self.subject, self.state) if self.state is not None else location_key(self.subject)

    @property
    def text(self) -> str:
        """The question, in the paper's words if it is one of table 4."""
        words = _FORMS[self.about, self.time or self.order]
        parts = {"person": self.person, "other": self.other, "third": self.third, "clause": self.clause}
        return words.format(subject=self.subject, state=self.state, options=f"{KNOWS} / {DOES_NOT_KNOW}", **parts)


_BELIEVED_PLACES = f"Answer {IN_CONTAINER}, {OPENLY}, or {NO_PLACE}."
_PLACE_FORMS: Mapping[AskedTime | int, str] = {
    1: "In which {about} will {person} search for the {subject}?",
    3: "In which {about} does {person} think that {other} thinks that {third} will search for the {subject}?",
    2: "In which {about} does {person} think that {other} will search for the {subject}?",
    AskedTime.NOW: "In which {about} is the {subject} now?",
    AskedTime.BEGINNING: "In which {about} was the {subject} at the beginning?",
    AskedTime.BEFORE: "In which {about} was the {subject} before {clause}?",
}
_FORMS: Mapping[tuple[AskedProperty, AskedTime | int], str] = {
    (AskedProperty.TOPIC, 1): "Does {person} know about the {subject}?",
    (AskedProperty.TOPIC, 2): "What does {person} think about {other}'s belief on the {subject}? ({options})",
    (AskedProperty.STATE, 2): (
        "Does {person} believe that {other} believes that the {subject} is {state}? Answer yes or no."
    ),
    (AskedProperty.STATE, 1): "Does {person} believe that the {subject} is {state}? Answer yes or no.",
    (AskedProperty.WHEREABOUTS, 2): (
        f"Where does {{person}} think that {{other}} will search for the {{subject}}? {_BELIEVED_PLACES}"
    ),
    (AskedProperty.WHEREABOUTS, 1): f"Where will {{person}} search for the {{subject}}? {_BELIEVED_PLACES}",
    (AskedProperty.WHEREABOUTS, AskedTime.NOW): f"Where is the {{subject}} now? Answer {IN_CONTAINER} or {OPENLY}.",
    **{
        (about, asked): words.replace("{about}", about.value)
        for about in (AskedProperty.ROOM, AskedProperty.CONTAINER)
        for asked, words in _PLACE_FORMS.items()
    },
}
"""The words of questions, by what they are about and their order, or the time for the state of the world.

Where two fit a text, as where `Beth thinks that Carl` might be a name, the first is meant.
"""
_GAPS = {**dict.fromkeys(("person", "other", "third"), WHO), "options": ".*"}


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", lambda gap: f"(?P<{gap[1]}>{_GAPS.get(gap[1], '.+?')})", re.escape(words)))


def parse_asked(text: str) -> Asked:
    """Parses a question; raises StoryError for text that is no question of the paper's or ours."""
    for (about, asked), words in _FORMS.items():
        if match := _pattern(words).fullmatch(text):
            parts = match.groupdict()
            parts.pop("options", None)
            return Asked(about, **parts, time=asked if isinstance(asked, AskedTime) else None)
    raise StoryError(f"no question reads like {text[:80]!r}")


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """A question with its answer.

    choices: the answer and others, in an order that does not tell the answer. is_interesting: True if the answer
    depends on the person asked about. is_false_belief: True if the answer differs from the state of the world.
    """

    asked: Asked
    answer: str
    choices: tuple[str, ...]
    is_interesting: bool
    is_false_belief: bool

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def kind(self) -> QuestionKind:
        asked = self.asked
        set_id = "/".join(filter(None, (asked.about.value, asked.subject, asked.state)))
        return QuestionKind(asked.order, asked.about.value, set_id, self.is_interesting, self.is_false_belief)


class AnsweredStory:
    """Poses questions about a story and answers them. tracker: the one at the end of the story, computed if None."""

    def __init__(self, script: StoryScript, tracker: BeliefTracker | None = None) -> None:
        self.script = script
        self.tracker = tracker or track(script)
        self.topics = tuple(dict.fromkeys(action.topic for action in script.actions if isinstance(action, TalkAbout)))
        self._locations = self._location_names()

    # Answers

    def answer(self, asked: Asked, depth: int | None = None) -> str | None:
        """The right answer to a question; None if there is none, e.g. if the person knows of no place.

        depth: as in `believed`; None for the question's own order.
        """
        if asked.person is None:
            return self.answer_from(self._remembered(asked), asked)
        return self.answer_from(self.believed(asked.people, asked.key, depth), asked)

    def believed(self, people: Sequence[str], key: Key, depth: int | None = None) -> Value | None:
        """What the first of these people thinks that the next thinks ... that the last believes; None if nothing.

        The same person twice counts once. depth: only this many of the last people are modelled: it is taken as known
        to everyone what they believe, or with depth 0 what is true. The tracker knows two orders, and of more the
        definition of beliefs decides. People whom the story does not name believe nothing.
        """
        chain = [name for name, _ in groupby(people)]
        if depth is not None:
            chain = chain[max(len(chain) - depth, 0) :]
        if not chain:
            return self.true_value(key)
        if not all(map(self.tracker.is_known, chain)):
            return None
        if len(chain) > 2:
            return self._defined.chained_belief(chain, key)
        return self.tracker.nested_belief(chain[0], chain[-1], key)

    @cached_property
    def _defined(self) -> DefinedBeliefs:
        return DefinedBeliefs(self.script, self.tracker.people)

    def true_value(self, key: Key) -> Value | None:
        """The true value of a key at the end of the story; None for what the story has not mentioned."""
        if key[0] == "location":
            return self.tracker.locations.get(key[1])
        if key[0] == "state":
            return (key[1], key[2]) in self.tracker.changes or None
        return key[1] in self.topics or None

    def answer_from(self, value: Value | None, asked: Asked) -> str | None:
        """A question's answer if this is what is true, or what the person believes; None if it answers nothing."""
        if asked.about is AskedProperty.STATE:
            return YES if value else NO
        if asked.about is AskedProperty.WHEREABOUTS:
            return _whereabouts(value)
        if asked.about is AskedProperty.TOPIC:
            if asked.other is None:
                return YES if value else NO
            return KNOWS if value else DOES_NOT_KNOW
        return _place_name(value, asked.about)

    def _remembered(self, asked: Asked) -> Value | None:
        """The location of an object at the moment that a question asks for."""
        if asked.time is AskedTime.NOW:
            return self.tracker.locations.get(asked.subject)
        if asked.time is AskedTime.BEGINNING:
            return self.tracker.first_locations.get(asked.subject)
        for time, thing, before in self.tracker.moves:
            if thing == asked.subject and clause_of(self.script.actions[time - 1]) == asked.clause:
                return before
        return None

    # Questions

    def questions(self, orders: Sequence[int] = (0, 1, 2)) -> list[StoryQuestion]:
        """All questions of table 4, of these orders, that have an answer."""
        questions: list[StoryQuestion] = []
        if 0 in orders:
            questions += self._memory_questions()
        for about, subject, state in self._subjects():
            questions += self._belief_questions(about, subject, state, orders)
        return questions

    def whereabouts_questions(self) -> list[StoryQuestion]:
        """Our questions about the kind of place of each object: in a container, in the open, or none that is known.

        They ask where the object is, where each person believes it is, and where each thinks that each other believes
        it is.
        """
        questions: list[StoryQuestion] = []
        for thing in self.tracker.locations:
            now = Asked(AskedProperty.WHEREABOUTS, thing, time=AskedTime.NOW)
            questions.append(StoryQuestion(now, self.answer(now) or "", self.choices(now), False, False))
            questions += self._belief_questions(AskedProperty.WHEREABOUTS, thing, None, (1, 2))
        return questions

    def _subjects(self) -> Iterator[tuple[AskedProperty, str, str | None]]:
        """Yields (property, object or topic, state or None) for all that beliefs are asked about."""
        for thing in self.tracker.locations:
            yield AskedProperty.ROOM, thing, None
            yield AskedProperty.CONTAINER, thing, None
        for thing, state in self.tracker.changes:
            yield AskedProperty.STATE, thing, state
        for topic in self.topics:
            yield AskedProperty.TOPIC, topic, None

    def _belief_questions(
        self, about: AskedProperty, subject: str, state: str | None, orders: Sequence[int]
    ) -> Iterator[StoryQuestion]:
        """Yields the questions of orders 1 and 2 about one subject that have an answer."""
        people, number = self.tracker.people, len(self.tracker.people)
        first = Asked(about, subject, people[0], None, state)
        values = self.tracker.beliefs(first.key)
        if 1 in orders:
            own = [self.answer_from(values[index * number + index], first) for index in range(number)]
            yield from self._asked_of_each(first, own)
        if 2 in orders and number > 1:
            for index, other in enumerate(people):
                second = replace(first, other=other)
                nested = [self.answer_from(values[row * number + index], second) for row in range(number)]
                nested[index] = None
                yield from self._asked_of_each(second, nested)

    def _asked_of_each(self, asked: Asked, answers: Sequence[str | None]) -> Iterator[StoryQuestion]:
        """Yields a question for each person who has an answer. answers: one for each person, None for none."""
        truth, choices = self.answer(asked, 0), self.choices(asked)
        is_interesting = len({answer for answer in answers if answer}) > 1
        for person, answer in zip(self.tracker.people, answers, strict=True):
            if answer:
                question = Asked(asked.about, asked.subject, person, asked.other, asked.state)
                yield StoryQuestion(question, answer, choices, is_interesting, answer != truth)

    def _memory_questions(self) -> Iterator[StoryQuestion]:
        clauses = Counter(map(clause_of, self.script.actions))
        moves = [
            (thing, clause_of(self.script.actions[time - 1])) for time, thing, before in self.tracker.moves if before
        ]
        for about in (AskedProperty.ROOM, AskedProperty.CONTAINER):
            candidates = [Asked(about, thing, time=AskedTime.BEGINNING) for thing in self.tracker.locations]
            candidates += [Asked(about, thing, time=AskedTime.NOW) for thing in self.tracker.locations]
            candidates += [
                Asked(about, thing, time=AskedTime.BEFORE, clause=clause)
                for thing, clause in moves
                if clauses[clause] == 1
            ]
            for asked in candidates:
                if answer := self.answer(asked):
                    yield StoryQuestion(asked, answer, self.choices(asked), is_interesting=False, is_false_belief=False)

    # Choices

    def choices(self, asked: Asked) -> tuple[str, ...]:
        """Returns two or more answers to choose from, in alphabetical order; UNNAMED stands last.

        The choices of an object's place are all rooms or containers of the story, and so include the places where it
        is, where it was, and where people believe it to be, which weak readers answer. All questions about one object
        have the same.
        """
        if asked.about is AskedProperty.STATE or (asked.about is AskedProperty.TOPIC and asked.other is None):
            return (NO, YES)
        if asked.about is AskedProperty.WHEREABOUTS:
            return (IN_CONTAINER, OPENLY) if asked.person is None else (IN_CONTAINER, NO_PLACE, OPENLY)
        if asked.about is AskedProperty.TOPIC:
            return (DOES_NOT_KNOW, KNOWS)
        named = self._locations.get((asked.about, asked.subject), ())
        return named if len(named) > 1 else (*named, UNNAMED)

    def _location_names(self) -> dict[tuple[AskedProperty, str], tuple[str, ...]]:
        """The places to choose from, by property and object."""
        names: dict[tuple[AskedProperty, str], tuple[str, ...]] = {}
        rooms = self.script.rooms
        containers = {action.container for action in self.script.actions if isinstance(action, PutInto)}
        for thing, location in self.tracker.locations.items():
            names[AskedProperty.ROOM, thing] = tuple(sorted({*rooms, location.room}))
            names[AskedProperty.CONTAINER, thing] = tuple(sorted(containers))
        return names


def _whereabouts(value: Value | None) -> str:
    """The kind of a location: in a container, in the open, or no known place."""
    if not isinstance(value, ObjectLocation):
        return NO_PLACE
    return IN_CONTAINER if value.container else OPENLY


def _place_name(value: Value | None, about: AskedProperty) -> str | None:
    """The room or the container of a location; None if it has none or is unknown."""
    if not isinstance(value, ObjectLocation):
        return None
    return value.room if about is AskedProperty.ROOM else value.container
