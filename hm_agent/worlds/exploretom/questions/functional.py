"""Functional items: what people do because of what they believe. They are ours, and not in the paper.

An item asks which action follows from beliefs that literal questions ask for: where someone goes for an object, whether
it can be fetched without asking, whom someone must tell. The tracker answers both, so that they can be paired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from itertools import combinations

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.questions.posing import PosedStory, QuestionKind
from hm_agent.worlds.exploretom.questions.story_questions import (
    NO,
    OPENLY,
    YES,
    AnsweredStory,
    AskedTime,
    StoryQuestion,
    parse_asked,
)
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError
from hm_agent.worlds.exploretom.story.evidence import Key, ObjectLocation, Value, location_key, state_key, topic_key

ASKS = "asks somebody"
NOBODY = "nobody"
MAX_CHOICES = 8
"""As many as letters can name, (a) to (h)."""

BeliefOf = Callable[[str, str, Key], Value | None]
"""What a person thinks that another believes of a key; with itself twice, what it believes."""


class ActionType(Enum):
    """What is to be chosen."""

    LOOK = "look"
    FETCH = "fetch"
    TELL = "tell"


@dataclass(frozen=True, slots=True)
class AskedAction:
    """What a functional item asks. key: the location, the change or the topic that the action depends on."""

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
            f"{person} wants everyone to know {_known(self.key)}, and tells nobody who, as far as {person} can tell, "
            f"knows that already. Whom must {person} tell?"
        )


def _known(key: Key) -> str:
    if key[0] == "location":
        return f"where the {key[1]} is"
    return f"that the {key[1]} is {key[2]}" if key[0] == "state" else f"about the {key[1]}"


_NAME = r"[A-Z][\w'’ -]*?"
_LOOK = re.compile(rf"(?P<person>{_NAME}) needs the (?P<thing>.+) now\. Where does .+")
_FETCH = re.compile(rf"(?P<person>{_NAME}) is sent for the (?P<thing>.+) and may ask nobody\. .+")
_TELL = re.compile(
    rf"(?P<person>{_NAME}) wants everyone to know (?:where the (?P<thing>.+?) is|that the (?P<changed>.+?) is "
    r"(?P<state>.+?)|about the (?P<topic>.+?)), and tells nobody who, .+"
)


def parse_asked_action(text: str) -> AskedAction | None:
    """What a functional item asks; None for other words."""
    for kind, pattern in ((ActionType.LOOK, _LOOK), (ActionType.FETCH, _FETCH), (ActionType.TELL, _TELL)):
        if found := pattern.fullmatch(text):
            parts = found.groupdict()
            if topic := parts.get("topic"):
                key = topic_key(topic)
            elif changed := parts.get("changed"):
                key = state_key(changed, parts["state"] or "")
            else:
                key = location_key(parts["thing"] or "")
            return AskedAction(kind, found["person"], key)
    return None


# Answers


def true_value(story: AnsweredStory, key: Key) -> Value | None:
    """What is so at the end of a story; None for what never came up."""
    if key[0] == "location":
        return story.tracker.locations.get(key[1])
    if key[0] == "state":
        return (key[1], key[2]) in story.tracker.changes or None
    return key[1] in story.topics or None


def tracked(story: AnsweredStory) -> BeliefOf:
    """The beliefs that the tracker has; of people whom the story does not name, none."""
    people = frozenset(story.tracker.people)

    def belief(person: str, other: str, key: Key) -> Value | None:
        return story.tracker.nested_belief(person, other, key) if {person, other} <= people else None

    return belief


def chosen_action(story: AnsweredStory, asked: AskedAction, belief: BeliefOf) -> str:
    """The action that follows from beliefs; these may be wrong ones, as of a weak reader."""
    own = belief(asked.person, asked.person, asked.key)
    if asked.type is ActionType.LOOK:
        return place_words(own) if isinstance(own, ObjectLocation) else ASKS
    if asked.type is ActionType.FETCH:
        return YES if own is not None and own == true_value(story, asked.key) else NO
    others = _others(story, asked.person)
    untold = [name for name in others if own is None or belief(asked.person, name, asked.key) != own]
    return listed(untold) if untold else NOBODY


def _others(story: AnsweredStory, person: str) -> list[str]:
    """In alphabetic order, which does not depend on who comes first in a story or in its cast."""
    return sorted(name for name in story.tracker.people if name != person)


def place_words(location: ObjectLocation) -> str:
    """`box in the hall`, or `out in the open in the hall`."""
    return f"{location.container or OPENLY} in the {location.room}"


def action_choices(story: AnsweredStory, asked: AskedAction) -> tuple[str, ...]:
    """What can be chosen: all places where the object was or is believed to be; all groups of people; yes and no."""
    if asked.type is ActionType.FETCH:
        return (NO, YES)
    answer = chosen_action(story, asked, tracked(story))
    if asked.type is ActionType.LOOK:
        return (*_few(sorted(map(place_words, _places(story.tracker, asked.key))), answer, asked), ASKS)
    others = _others(story, asked.person)
    groups = [group for size in range(1, len(others) + 1) for group in combinations(others, size)]
    return (NOBODY, *_few(list(map(listed, groups)), answer, asked))


def _few(named: Sequence[str], answer: str, asked: AskedAction) -> Sequence[str]:
    """As many of the choices, in their order, as there may be beside the default, the answer among them.

    Which others stay is drawn by the question, so that neither the size nor the place of a choice betrays the answer.
    """
    if len(named) < MAX_CHOICES:
        return named
    drawn = sorted(named, key=lambda choice: (choice != answer, sha256(f"{asked.text} {choice}".encode()).digest()))
    kept = drawn[: MAX_CHOICES - 1]
    return [choice for choice in named if choice in kept]


def _places(tracker: BeliefTracker, key: Key) -> set[ObjectLocation]:
    thing = key[1]
    found = {before for _, moved, before in tracker.moves if moved == thing and before}
    found |= {place for place in (tracker.locations.get(thing), tracker.first_locations.get(thing)) if place}
    return found | {value for value in tracker.beliefs(key) if isinstance(value, ObjectLocation)}


# Items


@dataclass(frozen=True, slots=True)
class FunctionalQuestion:
    """A functional item with its answer. is_interesting: True if another person would choose otherwise."""

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
    """Every functional item of a story; those about telling only of people who know what is to be told."""
    found: list[FunctionalQuestion] = []
    belief = tracked(story)
    for key in _keys(story):
        for type_ in ActionType if key[0] == "location" else (ActionType.TELL,):
            asked = [AskedAction(type_, person, key) for person in story.tracker.people]
            if type_ is ActionType.TELL:
                asked = [one for one in asked if _can_tell(belief(one.person, one.person, key))]
            answers = [chosen_action(story, one, belief) for one in asked]
            differ = len(set(answers)) > 1
            found += [
                FunctionalQuestion(one, answer, choices, differ)
                for one, answer in zip(asked, answers, strict=True)
                if len(choices := action_choices(story, one)) > 1
            ]
    return found


def _can_tell(own: Value | None) -> bool:
    return isinstance(own, ObjectLocation) or own is True


def _keys(story: AnsweredStory) -> Iterator[Key]:
    yield from map(location_key, story.tracker.locations)
    yield from (state_key(thing, state) for thing, state in story.tracker.changes)
    yield from map(topic_key, story.topics)


def literal_questions(story: AnsweredStory) -> list[StoryQuestion]:
    """Those of table 4, then those about whereabouts, which ask for what functional items need beside."""
    return [*story.questions(), *story.whereabouts_questions()]


def relied_on(item: FunctionalQuestion, literal: Sequence[StoryQuestion]) -> list[int]:
    """The places of the literal questions whose answers an item needs.

    All actions need what the person believes; fetching also what is so; telling also what the person thinks that each
    other one believes.
    """
    asked = item.asked

    def is_needed(question: StoryQuestion) -> bool:
        one = question.asked
        if one.key != asked.key:
            return False
        if one.person is None:
            return asked.type is ActionType.FETCH and one.time is AskedTime.NOW
        return one.person == asked.person and (one.other is None or asked.type is ActionType.TELL)

    return [index for index, question in enumerate(literal) if is_needed(question)]


def pose_functional(story: AnsweredStory, text: str) -> PosedStory:
    """The functional items of a story after the literal questions that they need."""
    items, literal = functional_questions(story), literal_questions(story)
    needed = [relied_on(item, literal) for item in items]
    kept = sorted({index for places in needed for index in places})
    place = {index: new for new, index in enumerate(kept)}
    return PosedStory(
        text,
        story.script.sees_contents,
        [*(literal[index] for index in kept), *items],
        [*([()] * len(kept)), *([place[index] for index in places] for places in needed)],
    )


def person_asked_about(text: str) -> str | None:
    """Whose belief or action a question asks for; None for questions about what is so, and for other words."""
    if action := parse_asked_action(text):
        return action.person
    try:
        return parse_asked(text).person
    except StoryError:
        return None
