"""Parses the sentences and questions of ToMi and similar sets, and those of our own language.

ToMi's forms: people enter and leave rooms, an object is in a container, a container is in a room, someone moves the
object to a container; some sentences change nothing, e.g. `Oliver dislikes the kitchen.`
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.exploretom.questions.story_questions import Asked, parse_asked
from hm_agent.worlds.exploretom.story.actions import Enter, Leave, StoryAction
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import parse_action


@dataclass(frozen=True, slots=True)
class Entering:
    """Several people enter a room, one after the other."""

    people: tuple[str, ...]
    room: str


@dataclass(frozen=True, slots=True)
class Leaving:
    """Several people leave a room, one after the other."""

    people: tuple[str, ...]
    room: str


@dataclass(frozen=True, slots=True)
class Moving:
    """Someone moves an object into a container of the room."""

    person: str
    object: str
    container: str


@dataclass(frozen=True, slots=True)
class Being:
    """Something is in a container or a room; only the rest of the story tells in which of them."""

    thing: str
    place: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """A sentence that changes nothing."""


Event = Entering | Leaving | Moving | Being | Nothing | StoryAction

_PERSON = r"[A-Z][\w'’-]*"
_PEOPLE = rf"(?P<people>{_PERSON}(?:, {_PERSON})*(?:,? and {_PERSON})?)"
_THING = r"[\w'’-]+(?: [\w'’-]+)*"
_FORMS: Sequence[tuple[re.Pattern[str], type]] = (
    (
        re.compile(
            rf"{_PEOPLE} (?:entered|(?:went|journeyed|travelled|traveled) (?:back )?to) the (?P<room>{_THING})\."
        ),
        Entering,
    ),
    (re.compile(rf"{_PEOPLE} (?:exited|left) the (?P<room>{_THING})\."), Leaving),
    (re.compile(rf"(?P<person>{_PERSON}) moved the (?P<object>{_THING}) to the (?P<container>{_THING})\."), Moving),
    (re.compile(rf"The (?P<thing>{_THING}) (?:is|are) in the (?P<place>{_THING})\."), Being),
    (re.compile(rf"{_PERSON} (?:likes|loves|hates|dislikes|prefers) the {_THING}\."), Nothing),
    (re.compile(rf"{_PEOPLE} made no movements and stayed in the (?P<room>{_THING}) for \d+ minutes?\."), Nothing),
)


_SINGLE: Mapping[type, type[Enter | Leave]] = {Entering: Enter, Leaving: Leave}
"""The actions of one person by the events of several."""


def parse_sentence(sentence: str) -> Event | None:
    """Parses a sentence; None if it can't be read. Underscores in names stand for spaces."""
    for pattern, kind in _FORMS:
        if match := pattern.fullmatch(sentence):
            return _event_from(kind, match.groupdict())
    return parse_action(sentence)


def _event_from(kind: type, parts: Mapping[str, str]) -> Event:
    if kind is Nothing:
        return Nothing()
    values: dict[str, object] = {name: words(value) for name, value in parts.items() if name != "people"}
    if "people" in parts:
        people = tuple(re.findall(_PERSON, parts["people"]))
        if len(people) == 1:
            return _SINGLE[kind](people[0], words(parts["room"]))
        values["people"] = people
    event: Event = kind(**values)
    return event


def words(name: str) -> str:
    """A name with spaces for underscores: `green suitcase` for `green_suitcase`."""
    return name.replace("_", " ")


# Questions


@dataclass(frozen=True, slots=True)
class WhereAsked:
    """Where is something, or where does someone believe that it is?

    people: whose nested belief is asked for, outermost first; empty for where it is. time: `now`, or `beginning` for
    where it was first.
    """

    thing: str
    people: tuple[str, ...] = ()
    time: str = "now"


_NOW = r"(?: (?:right )?now)?"
_THINK, _THINKS = r"(?:think|believe) (?:that )?", r"(?:thinks|believes) (?:that )?"
_QUESTIONS: Sequence[re.Pattern[str]] = (
    re.compile(rf"Where (?:will|would|does) (?P<first>{_PERSON}) (?:look|search) for the (?P<thing>{_THING}?){_NOW}\?"),
    re.compile(
        rf"Where does (?P<first>{_PERSON}) (?:really )?{_THINK}(?P<others>(?:{_PERSON} {_THINKS})*)"
        rf"the (?P<thing>{_THING}) is{_NOW}\?"
    ),
    re.compile(
        rf"Where does (?P<first>{_PERSON}) {_THINK}(?P<others>(?:{_PERSON} {_THINKS})*{_PERSON}) "
        rf"(?:will )?(?:looks?|search(?:es)?) for the (?P<thing>{_THING})\?"
    ),
    re.compile(rf"Where (?:is|are) the (?P<thing>{_THING}?)(?: really)?{_NOW}\?"),
    re.compile(rf"Where (?:was|were) the (?P<thing>{_THING}) at the (?P<beginning>beginning)\?"),
    re.compile(rf"Where is (?P<someone>{_PERSON}){_NOW}\?"),
)


def parse_question(text: str) -> WhereAsked | Asked | None:
    """Parses a question; None if it can't be read."""
    for pattern in _QUESTIONS:
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            people = tuple(re.findall(_PERSON, f"{parts.get('first') or ''} {parts.get('others') or ''}"))
            thing = parts.get("someone") or words(parts["thing"])
            return WhereAsked(thing, people, "beginning" if parts.get("beginning") else "now")
    try:
        return parse_asked(text)
    except StoryError:
        return None
