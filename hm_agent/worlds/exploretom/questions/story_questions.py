"""The questions about a story, their answers, and their choices, among them what weak readers answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from hm_agent.worlds.exploretom.questions.asked import (
    DOES_NOT_KNOW,
    IN_CONTAINER,
    KNOWS,
    NO,
    NO_PLACE,
    OPENLY,
    YES,
    Asked,
    AskedProperty,
    AskedTime,
)
from hm_agent.worlds.exploretom.questions.posing import QuestionKind
from hm_agent.worlds.exploretom.story.actions import PutInto, StoryScript, TalkAbout
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, track
from hm_agent.worlds.exploretom.story.evidence import Key, ObjectLocation, Value
from hm_agent.worlds.exploretom.story.language import clause_of

UNNAMED = "a place that the story does not name"
"""The second choice if a story names only one place; it is never right."""


def chance(choices: Sequence[str]) -> float:
    """The probability that a choice drawn uniformly is right; UNNAMED, which never is, is not drawn."""
    return 1 / sum(choice != UNNAMED for choice in choices)


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
