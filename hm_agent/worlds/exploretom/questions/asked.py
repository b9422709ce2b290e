"""What a question about a story asks (table 4), in its words and as data.

Table 4 does not ask who knows no place, or whether an object is believed to stand in the open. Our questions about
whereabouts do, since functional items rely on that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.evidence import Key, location_key, state_key, topic_key
from hm_agent.worlds.exploretom.story.language import WHO

YES, NO = "yes", "no"
KNOWS, DOES_NOT_KNOW = "knows about it", "does not know about it"
IN_CONTAINER, NO_PLACE, OPENLY = "in a container", "knows no place", "out in the open"


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
