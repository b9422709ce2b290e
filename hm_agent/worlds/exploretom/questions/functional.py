"""Functional items: questions about what people do because of what they believe. They are ours, and not in the paper.

An item asks which action follows from beliefs that literal questions ask for: where a person goes for an object,
whether a person can fetch it without asking, whom a person must tell. The tracker answers both, so that items can be
compared with the literal questions that they rely on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from itertools import combinations

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.asked import NO, OPENLY, YES, AskedTime, parse_asked
from hm_agent.worlds.exploretom.questions.posing import PosedStory, QuestionKind
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import Key, ObjectLocation, Value, location_key, state_key, topic_key
from hm_agent.worlds.exploretom.story.language import WHO

ASKS = "asks somebody"
NOBODY = "nobody"
MAX_CHOICES = 8
"""The most choices that letters can name, (a) to (h)."""


class ActionType(Enum):
    """What a functional item asks for: where to look, whether to fetch, or whom to tell."""

    LOOK = "look"
    FETCH = "fetch"
    TELL = "tell"


@dataclass(frozen=True, slots=True)
class AskedAction:
    """The content of a functional item. key: the location, state or topic that the action depends on."""

    type: ActionType
    person: str
    key: Key

    @property
    def text(self) -> str:
        thing, person = self.key[1], self.person
        if self.type is ActionType.LOOK:
            return f"{person} needs the {thing} now. Where does {person} go? If {person} knows no place: {ASKS}."
        if self.type is ActionType.FETCH:
            return (
                f"{person} is sent for the {thing} and may ask nobody. Does {person} go straight to where it is? "
                "Answer yes or no."
            )
        return (
            f"{person} wants everyone to know {_knowledge_words(self.key)}, and tells nobody who, "
            f"as far as {person} can tell, knows that already. Whom must {person} tell?"
        )


def _knowledge_words(key: Key) -> str:
    """What a person may know: `where the map is`, `that the map is torn`, `about the map`."""
    if key[0] == "location":
        return f"where the {key[1]} is"
    return f"that the {key[1]} is {key[2]}" if key[0] == "state" else f"about the {key[1]}"


_LOOK = re.compile(rf"(?P<person>{WHO}) needs the (?P<thing>.+) now\. Where does .+")
_FETCH = re.compile(rf"(?P<person>{WHO}) is sent for the (?P<thing>.+) and may ask nobody\. .+")
_TELL = re.compile(
    rf"(?P<person>{WHO}) wants everyone to know (?:where the (?P<thing>.+?) is|that the (?P<changed>.+?) is "
    r"(?P<state>.+?)|about the (?P<topic>.+?)), and tells nobody who, .+"
)


def parse_asked_action(text: str) -> AskedAction | None:
    """Parses the text of a functional item; None for any other text."""
    for kind, pattern in ((ActionType.LOOK, _LOOK), (ActionType.FETCH, _FETCH), (ActionType.TELL, _TELL)):
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            if topic := parts.get("topic"):
                key = topic_key(topic)
            elif changed := parts.get("changed"):
                key = state_key(changed, parts["state"] or "")
            else:
                key = location_key(parts["thing"] or "")
            return AskedAction(kind, match["person"], key)
    return None


# Answers


def chosen_action(story: AnsweredStory, asked: AskedAction, depth: int | None = None) -> str:
    """The action that follows from what the person believes. depth: as in `AnsweredStory.believed`."""
    own = story.believed((asked.person,), asked.key, depth)
    if asked.type is ActionType.LOOK:
        return place_words(own) if isinstance(own, ObjectLocation) else ASKS
    if asked.type is ActionType.FETCH:
        return YES if own is not None and own == story.true_value(asked.key) else NO
    others = _other_people(story, asked.person)
    untold = [name for name in others if own is None or story.believed((asked.person, name), asked.key, depth) != own]
    return listed(untold) if untold else NOBODY


def _other_people(story: AnsweredStory, person: str) -> list[str]:
    """All other people in alphabetical order, so that answers do not depend on their order in the story."""
    return sorted(name for name in story.tracker.people if name != person)


def place_words(location: ObjectLocation) -> str:
    """A location in words: `box in the hall` or `out in the open in the hall`."""
    return f"{location.container or OPENLY} in the {location.room}"


def action_choices(story: AnsweredStory, asked: AskedAction) -> tuple[str, ...]:
    """The choices of an item: yes or no (FETCH), places or asking somebody (LOOK), nobody or groups of people (TELL).

    The places are all where the object was, is, or is believed to be.
    """
    if asked.type is ActionType.FETCH:
        return (NO, YES)
    answer = chosen_action(story, asked)
    if asked.type is ActionType.LOOK:
        return (*_limited(sorted(map(place_words, _possible_places(story.tracker, asked.key))), answer, asked), ASKS)
    others = _other_people(story, asked.person)
    groups = [group for size in range(1, len(others) + 1) for group in combinations(others, size)]
    return (NOBODY, *_limited(list(map(listed, groups)), answer, asked))


def _limited(choices: Sequence[str], answer: str, asked: AskedAction) -> Sequence[str]:
    """Limits choices, in their order, to one less than MAX_CHOICES, since a default is added; keeps the answer.

    Which others are kept is drawn by a hash of the question, so that neither the size nor the place of a choice gives
    the answer away.
    """
    if len(choices) < MAX_CHOICES:
        return choices
    drawn = sorted(choices, key=lambda choice: (choice != answer, sha256(f"{asked.text} {choice}".encode()).digest()))
    selected = drawn[: MAX_CHOICES - 1]
    return [choice for choice in choices if choice in selected]


def _possible_places(tracker: BeliefTracker, key: Key) -> set[ObjectLocation]:
    """All places where an object was, is, or is believed to be."""
    thing = key[1]
    places = {before for _, moved, before in tracker.moves if moved == thing and before}
    places |= {place for place in (tracker.locations.get(thing), tracker.first_locations.get(thing)) if place}
    return places | {value for value in tracker.beliefs(key) if isinstance(value, ObjectLocation)}


# Items


@dataclass(frozen=True, slots=True)
class FunctionalQuestion:
    """A functional item with its answer. is_interesting: True if not all people of the story would choose the same."""

    asked: AskedAction
    answer: str
    choices: tuple[str, ...]
    is_interesting: bool

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def kind(self) -> QuestionKind:
        order = 2 if self.asked.type is ActionType.TELL else 1
        kind = self.asked.type.value
        return QuestionKind(order, kind, "/".join((kind, *self.asked.key)), self.is_interesting, is_functional=True)


def functional_questions(story: AnsweredStory) -> list[FunctionalQuestion]:
    """Every functional item of a story. Whom to tell is asked only about people who know what there is to tell."""
    questions: list[FunctionalQuestion] = []
    for key in _keys(story):
        for type_ in ActionType if key[0] == "location" else (ActionType.TELL,):
            actions = [AskedAction(type_, person, key) for person in story.tracker.people]
            if type_ is ActionType.TELL:
                actions = [action for action in actions if _can_tell(story.believed((action.person,), key))]
            answers = [chosen_action(story, action) for action in actions]
            differ = len(set(answers)) > 1
            questions += [
                FunctionalQuestion(action, answer, choices, differ)
                for action, answer in zip(actions, answers, strict=True)
                if len(choices := action_choices(story, action)) > 1
            ]
    return questions


def _can_tell(own: Value | None) -> bool:
    """True if a person who believes this knows enough to tell it."""
    return isinstance(own, ObjectLocation) or own is True


def _keys(story: AnsweredStory) -> Iterator[Key]:
    """Yields the keys that functional items ask about."""
    yield from map(location_key, story.tracker.locations)
    yield from (state_key(thing, state) for thing, state in story.tracker.changes)
    yield from map(topic_key, story.topics)


def literal_questions(story: AnsweredStory) -> list[StoryQuestion]:
    """The questions of table 4, and then those about whereabouts, which functional items rely on, too."""
    return [*story.questions(), *story.whereabouts_questions()]


def relied_on(item: FunctionalQuestion, literal: Sequence[StoryQuestion]) -> list[int]:
    """Returns the indices of the literal questions whose answers an item relies on.

    Every item relies on what the person believes; FETCH also on the true location; TELL also on what the person thinks
    that each other person believes.
    """
    asked = item.asked

    def is_needed(question: StoryQuestion) -> bool:
        literal_asked = question.asked
        if literal_asked.key != asked.key:
            return False
        if literal_asked.person is None:
            return asked.type is ActionType.FETCH and literal_asked.time is AskedTime.NOW
        return literal_asked.person == asked.person and (literal_asked.other is None or asked.type is ActionType.TELL)

    return [index for index, question in enumerate(literal) if is_needed(question)]


def pose_functional(story: AnsweredStory, text: str) -> PosedStory:
    """Poses the functional items of a story after the literal questions that they rely on."""
    items, literal = functional_questions(story), literal_questions(story)
    needed = [relied_on(item, literal) for item in items]
    used = sorted({index for indices in needed for index in indices})
    new_index = {index: new for new, index in enumerate(used)}
    return PosedStory(
        text,
        story.script.sees_contents,
        [*(literal[index] for index in used), *items],
        [*([()] * len(used)), *([new_index[index] for index in indices] for indices in needed)],
    )


def person_asked_about(text: str) -> str | None:
    """The person whose belief or action a question asks for; None for questions about the world and for other text."""
    if action := parse_asked_action(text):
        return action.person
    try:
        return parse_asked(text).person
    except StoryError:
        return None
