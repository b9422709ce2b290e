"""Questions about plans that involve several minds: whom to send to meet somebody, and which one message to have told.

They are ours, and not in the paper. What a message does is found by applying it to the end of the story.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import ClassVar

from hm_agent.worlds.exploretom.questions.asked import parse_asked
from hm_agent.worlds.exploretom.questions.functional import action_choices, chosen_action, parse_asked_action
from hm_agent.worlds.exploretom.questions.posing import QuestionKind
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.story.actions import Inform, ObjectPlace
from hm_agent.worlds.exploretom.story.effects import perform
from hm_agent.worlds.exploretom.story.evidence import ObjectLocation, location_key
from hm_agent.worlds.exploretom.story.language import WHO

SILENCE, TELLS = "nobody tells anybody", " tells "
_RULE = (
    "Everyone tells others, in private, only where they themselves believe the {0.thing} to be, and nothing if they "
    "think that the other believes the same already."
)
_RULED = rf"{_RULE.replace('{0.thing}', '(?P<thing>.+?)')} Which one message makes "
_MEET = re.compile(
    rf"(?P<met>{WHO}) is about to look for the (?P<thing>.+)\. You send .+ Whom do you send: (?P<options>.+)\?"
)
_FIND = re.compile(rf"{_RULED}(?P<finds>{WHO}) look where the .+ is, but not (?P<misses>{WHO}): (?P<options>.+)\?")
_JOIN = re.compile(rf"{_RULED}(?P<goes>{WHO}) meet (?P<met>{WHO}), .+: (?P<options>.+)\?")


class _Plan:
    """What plans share. words: the question, with its fields in braces and `shown` for the options.

    about: what the kind is called in metrics. order: the order of mind that it needs.
    """

    words: ClassVar[str]
    about: ClassVar[str]
    order: ClassVar[int] = 2
    options: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.words.format(self, shown=", ".join(self.options))


@dataclass(frozen=True)
class AskedMeeting(_Plan):
    """Whom to send to meet a person who is about to look for an object. options: whom one may send."""

    words = (
        "{0.met} is about to look for the {0.thing}. You send one person to meet {0.met} there, who goes where they "
        "think that {0.met} will look. Whom do you send: {shown}?"
    )
    about = "meet"
    thing: str
    met: str
    options: tuple[str, ...] = ()

    def all_options(self, people: Sequence[str]) -> Sequence[str]:
        return [name for name in people if name != self.met]

    def succeeds(self, story: AnsweredStory, option: str, depth: int | None = None) -> bool:
        """True if who is sent thinks that the met person believes what that one believes."""
        return _meet(story, self.thing, option, self.met, depth)


@dataclass(frozen=True)
class AskedMessage(_Plan):
    """Which one message makes a person look where an object is, and another person not.

    finds, misses: these two people. options: the messages to choose from, each `Anne tells Beth`, or none.
    """

    words = (
        f"{_RULE} Which one message makes {{0.finds}} look where the {{0.thing}} is, but not {{0.misses}}: {{shown}}?"
    )
    about = "message"
    order = 1
    thing: str
    finds: str
    misses: str
    options: tuple[str, ...] = ()

    def all_options(self, people: Sequence[str]) -> Sequence[str]:
        return _messages(people, (self.finds, self.misses))

    def succeeds(self, story: AnsweredStory, option: str, depth: int | None = None) -> bool:
        """True if after this message the one person believes what is so, and the other does not."""
        key, after = location_key(self.thing), _told(story, self.thing, option, depth)
        finds, misses = (after.believed((name,), key, depth) for name in (self.finds, self.misses))
        return finds == story.true_value(key) != misses


@dataclass(frozen=True)
class AskedJoining(_Plan):
    """Which one message makes a person meet another, who is about to look for an object.

    goes: who goes where they think that the other will look. met: that other. options: as in `AskedMessage`.
    """

    words = (
        f"{_RULE} Which one message makes {{0.goes}} meet {{0.met}}, if {{0.met}} then looks for the {{0.thing}} and "
        "{0.goes} goes where they think that {0.met} will look: {shown}?"
    )
    about = "join"
    thing: str
    goes: str
    met: str
    options: tuple[str, ...] = ()

    def all_options(self, people: Sequence[str]) -> Sequence[str]:
        return _messages(people, (self.goes, self.met))

    def succeeds(self, story: AnsweredStory, option: str, depth: int | None = None) -> bool:
        """True if after this message the one thinks that the other believes what that one believes."""
        return _meet(_told(story, self.thing, option, depth), self.thing, self.goes, self.met, depth)


def _meet(story: AnsweredStory, thing: str, goes: str, met: str, depth: int | None) -> bool:
    """True if a person goes to where another looks for an object, by what the one thinks that the other believes."""
    there, foreseen = (story.believed(who, location_key(thing), depth) for who in ((met,), (goes, met)))
    return isinstance(there, ObjectLocation) and there == foreseen


def _messages(people: Sequence[str], listeners: Sequence[str]) -> Sequence[str]:
    """All messages to these listeners, and none."""
    return [SILENCE, *(f"{one}{TELLS}{other}" for one, other in permutations(people, 2) if other in listeners)]


@lru_cache(maxsize=256)
def _told(story: AnsweredStory, thing: str, message: str, depth: int | None) -> AnsweredStory:
    """The story after a message; unchanged if the teller knows no place, or thinks that the listener believes the same.

    message: as in `AskedMessage`. depth: as in `AnsweredStory.believed`.
    """
    if message == SILENCE:
        return story
    (teller, listener), key = message.split(TELLS), location_key(thing)
    place = story.believed((teller,), key, depth)
    if not (isinstance(place, ObjectLocation) and story.tracker.is_known(listener)):
        return story
    if story.believed((teller, listener), key, depth) == place:
        return story
    after = story.tracker.copy()
    perform(after, Inform(teller, ObjectPlace(thing, place.room, place.container), listener))
    return AnsweredStory(story.script, after)


AskedPlan = AskedMeeting | AskedMessage | AskedJoining


def parse_plan(text: str) -> AskedPlan | None:
    """Parses the text of a question about a plan; None for any other text."""
    for pattern, plan in ((_MEET, AskedMeeting), (_FIND, AskedMessage), (_JOIN, AskedJoining)):
        if match := pattern.fullmatch(text):
            fields = match.groupdict()
            options = tuple(fields.pop("options").split(", "))
            return plan(**fields, options=options)
    return None


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question about a plan, with the one option that succeeds."""

    asked: AskedPlan
    answer: str

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def choices(self) -> tuple[str, ...]:
        return self.asked.options

    @property
    def kind(self) -> QuestionKind:
        asked = self.asked
        set_id = f"{asked.about}/{asked.thing}"
        return QuestionKind(asked.order, asked.about, set_id, is_interesting=True, is_functional=True)


# Questions of any kind


def answer_at(story: AnsweredStory, text: str, depth: int | None = None) -> str | None:
    """The answer to a question of any kind, by its text; None if there is none.

    Of a plan it is the first option that succeeds. Raises StoryError for text that is no question. depth: as in
    `AnsweredStory.believed`.
    """
    if action := parse_asked_action(text):
        return chosen_action(story, action, depth)
    if plan := parse_plan(text):
        return next((option for option in plan.options if plan.succeeds(story, option, depth)), None)
    return story.answer(parse_asked(text), depth)


def choices_of(story: AnsweredStory, text: str) -> Sequence[str]:
    """The choices of a question of any kind, by its text."""
    if action := parse_asked_action(text):
        return action_choices(story, action)
    plan = parse_plan(text)
    return plan.options if plan else story.choices(parse_asked(text))
