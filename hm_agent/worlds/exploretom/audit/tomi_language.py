"""Parses the sentences and questions of ToMi, Hi-ToM, bAbI and similar sets, and those of our own language.

Their forms: people enter and leave rooms, an object is in a container, a container is in a room, someone moves the
object to a container, or claims that it is in one; some sentences change nothing, e.g. `Oliver dislikes the kitchen.`
A full stop at the end may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.exploretom.questions.asked import Asked, parse_asked
from hm_agent.worlds.exploretom.story.actions import Enter, Leave, StoryAction
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import CAPITAL, parse_action, things_of


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
class Standing:
    """People are in a room: they enter it, unless they are there already."""

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
class Claiming:
    """Someone claims, truly or not, that an object is in a container. listener: None if the claim is public."""

    person: str
    object: str
    container: str
    listener: str | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """A sentence that changes nothing, unless it is about a thing whose place is asked for. about: the thing, or ''."""

    about: str = ""


Event = Entering | Leaving | Standing | Moving | Being | Claiming | Nothing | StoryAction

_NO_NAME = re.compile(
    r"(?:He|She|It|They|We|I|You|This|That|These|Those|There|Here|Everyone|Everybody|Someone|Somebody|Nobody|Both|All|"
    r"Each|Then|Later|Next|Now|Soon|Once|Again|After|Afterwards|Before|When|While|Meanwhile|Finally|First|Suddenly|"
    r"Today|If)\b"
)
"""Matches a word at the beginning of a sentence that is no name."""
_NO_PART = (
    "the|a|an|and|or|but|then|than|while|when|where|who|which|that|because|so|after|before|without|is|are|was|were|"
    "in|into|on|onto|at|to|from|by|with|for|left|exited|entered|went|moved|put|placed|took|told"
)
"""Words that no name of a thing has: where one stands, more is said than the form of the sentence tells."""
_SAYS_MORE = re.compile(r"\b(?:the|and|or|but|then|while|when|before|after|because|without)\b")
"""Matches words that no name in our own language has, as it is written here."""
_PERSON = rf"{CAPITAL}[\w'’-]*"
_PEOPLE = rf"(?P<people>{_PERSON}(?:, {_PERSON})*(?:,? and {_PERSON})?)"
_WORD = rf"(?!(?:{_NO_PART})\b)[\w'’-]+"
_THING = rf"{_WORD}(?: {_WORD}){{0,3}}"
_WENT = r"(?:went|goes|journeyed|travelled|traveled|moved|walked|walks|ran|came|comes|returned|returns)(?: back)?"
_MOVED = (
    rf"(?:(?:moved|moves) the (?P<object>{_THING}) (?:in)?to|(?:puts?|placed|places) the (?P<put>{_THING}) in(?:to)?)"
)
_SAID = rf"(?:publicly claimed|told everyone|(?:privately )?told (?P<listener>{_PERSON}))"
_CLAIMED = rf"{_SAID} that (?:the )?(?P<object>{_THING}?)"
_FORMS: Sequence[tuple[re.Pattern[str], type]] = tuple(
    (re.compile(form), kind)
    for form, kind in (
        (rf"{_PEOPLE} (?:entered|enters|{_WENT} (?:in)?to) the (?P<room>{_THING})", Entering),
        (rf"{_PEOPLE} (?:exited|exits|left|leaves) the (?P<room>{_THING})", Leaving),
        (rf"{_PEOPLE} (?:is|are|was|were) in the (?P<room>{_THING})", Standing),
        (rf"(?P<person>{_PERSON}) {_MOVED} the (?P<container>{_THING})", Moving),
        (rf"The (?P<thing>{_THING}) (?:is|are|was|were) in the (?P<place>{_THING})", Being),
        (rf"(?P<person>{_PERSON}) {_CLAIMED} (?:is|are) in the (?P<container>{_THING}?)(?: now)?", Claiming),
        (rf"{_PERSON} (?:likes|loves|hates|dislikes|prefers) the {_THING}", Nothing),
        (rf"{_PERSON} (?:lost (?:his|her|their)|saw an?) (?P<about>{_THING})", Nothing),
        (rf"{_PEOPLE} made no movements and stayed in the (?:{_THING}) for \d+ minutes?", Nothing),
    )
)
_SINGLE: Mapping[type, type[Enter | Leave]] = {Entering: Enter, Leaving: Leave}
"""The actions of one person by the events of several."""


def parse_sentence(sentence: str) -> Event | None:
    """Parses a sentence; None if it can't be read. Underscores in names stand for spaces."""
    bare = sentence.strip().rstrip(".!").rstrip()
    if _NO_NAME.match(bare):
        return None
    for pattern, kind in _FORMS:
        if match := pattern.fullmatch(bare):
            return _event_from(kind, match.groupdict())
    action = parse_action(f"{bare}.")
    return action if action and not any(map(_SAYS_MORE.search, things_of(action))) else None


def _event_from(kind: type, parts: Mapping[str, str | None]) -> Event:
    values: dict[str, object] = {name: words(value) for name, value in parts.items() if value and name != "people"}
    if "put" in values:
        values["object"] = values.pop("put")
    people = tuple(re.findall(_PERSON, parts.get("people") or ""))
    if kind is Nothing:
        return Nothing(words(parts.get("about") or ""))
    if people and len(people) == 1 and kind in _SINGLE:
        return _SINGLE[kind](people[0], str(values["room"]))
    if people:
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
        rf"the (?P<thing>{_THING}) (?:is|are){_NOW}\?"
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
