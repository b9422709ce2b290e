"""Writes stories as plain text, one sentence for an action, and reads them back as the same actions.

Up to two more sentences, called asides, may follow an action: who witnessed it in secret, and who was distracted from
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hm_agent.wording import listed
from hm_agent.worlds.exploretom.story.actions import (
    Alter,
    CarryTo,
    Change,
    Claim,
    Enter,
    Inform,
    Leave,
    ObjectPlace,
    ObjectState,
    PutInto,
    StoryAction,
    StoryScript,
    TalkAbout,
    people_of,
    words_of,
)
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError

INVISIBLE = ", which leaves no visible trace"
BEHIND = "leaving any container behind"
PREPOSITIONS = ("with", "in", "on", "by", "at", "for", "from", "into")
"""The words with which the rest of a change begins, so that it can be told from the object."""
RESERVED = frozenset({*PREPOSITIONS, "to", "that", "which", "about", "is"})
"""The words that separate the parts of sentences; no name may contain one."""
ARTICLES = ("the ", "a ", "an ")
MAX_NAME = 60
MAX_SHOWN = 80
"""The longest part of a bad line that an error message shows, in characters."""

CAPITAL = f"[{''.join(filter(str.isupper, map(chr, range(0x2000))))}]"
"""Matches a capital letter of the alphabets that have them, such as É."""
_PERSON = rf"{CAPITAL}[\w'’-]*(?: {CAPITAL}[\w'’-]*)*"
WHO = rf"{CAPITAL}[\w'’ -]*?"
"""Matches a person's name within a question."""
_THING = r"[\w'’&/-]+(?: [\w'’&/-]+)*?"
_PEOPLE = rf"{_PERSON}(?:, {_PERSON})*(?: and {_PERSON})?"
_NAME = re.compile(r"[\w'’&/-]+(?: [\w'’&/-]+)*")
_PERSON_NAME = re.compile(_PERSON)
_PEOPLE_LIST = re.compile(_PEOPLE)
_SENTENCE_END = re.compile(r"(?<=[.])\s+")


# Writing


def sentence_of(action: StoryAction) -> str:
    """An action as one sentence, with its asides if someone peeks or is distracted."""
    text = f"{clause_of(action)}."
    if action.peekers:
        text += f" While this action was happening, {listed(action.peekers)} witnessed it in secret (and only it)."
    if action.distracted:
        who = listed(action.distracted)
        text += f" While this action was happening, {who} got distracted and missed it (and only it) unnoticed."
    return text


def clause_of(action: StoryAction) -> str:
    """An action's sentence without its full stop and without asides."""
    return _CLAUSES[type(action)](action)


def text_of(script: StoryScript) -> str:
    """A story as text, one line for each action."""
    return "\n".join(map(sentence_of, script.actions))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a list of people such as `Anne, Beth and Carl`; none if the text is no such list."""
    return tuple(_PERSON_NAME.findall(text)) if _PEOPLE_LIST.fullmatch(text) else ()


def plain_words(text: str) -> str:
    """Lower case, words with one space between, without punctuation around them.

    Within words, `'`, `/`, `&`, `-` and `_` stay. `doesn't`, `don't` and `isn't` become `does not`, `do not`, `is not`.
    """
    words = re.sub(r"[^\w'’/&-]+", " ", text.lower().replace("’", "'"))
    words = words.replace("doesn't", "does not").replace("don't", "do not").replace("isn't", "is not")
    return " ".join(word.strip("'-") for word in words.split() if word.strip("'-"))


def _alter_clause(action: Alter) -> str:
    change = action.change
    rest = f" {change.rest}" if change.rest else ""
    return f"{action.person} {change.verb} the {change.object}{rest}{'' if change.is_visible else INVISIBLE}"


def _told_whom(action: Inform | TalkAbout) -> str:
    if action.listener is not None:
        return f"{action.person} told privately to {action.listener}"
    return f"{action.person} told everyone in the {action.room}"


_FORMS: Mapping[type[StoryAction], str] = {
    Enter: "{0.person} entered the {0.room}",
    Leave: "{0.person} left the {0.room}",
    PutInto: "{0.person} moved the {0.object} to the {0.container}, which is also located in the {0.room}",
    CarryTo: f"{{0.person}} went to the {{0.room}} with the {{0.object}}, {BEHIND}",
}
"""The sentences of actions that are written as they are read, with the action's fields in braces."""
_CLAUSES: Mapping[type[StoryAction], Callable[[Any], str]] = {
    **{kind: form.format for kind, form in _FORMS.items()},
    Alter: _alter_clause,
    Inform: lambda action: f"{_told_whom(action)} that {words_of(action.claim)}",
    TalkAbout: lambda action: f"{_told_whom(action)} about the {action.topic}",
}


# Reading


def parse_story(text: str, *, sees_contents: bool = False) -> StoryScript:
    """Reads a story from its text; empty lines are ignored.

    Raises StoryError, with the line, for a sentence that can't be read and for an impossible action.
    """
    numbered_actions = list(_actions_by_line(text))
    script = StoryScript(tuple(action for _, action in numbered_actions), sees_contents)
    check_clashes(script.actions)
    tracker = BeliefTracker(script.people, sees_contents=sees_contents)
    for line, action in numbered_actions:
        try:
            check_names(action)
            tracker.apply(action)
        except StoryError as error:
            raise StoryError(f"line {line}: {error}") from error
    return script


def _actions_by_line(text: str) -> Iterator[tuple[int, StoryAction]]:
    """Yields (number of the line from 1, action with its asides) in order."""
    pending: tuple[int, StoryAction] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        for sentence in _SENTENCE_END.split(line.strip()):
            if not sentence:
                continue
            if aside := aside_of(sentence):
                if pending is None:
                    raise StoryError(f"line {number}: {_quoted(sentence)} follows no action")
                pending = (pending[0], with_aside(pending[1], aside))
                continue
            if pending:
                yield pending
            action = parse_action(sentence)
            if action is None:
                raise StoryError(f"line {number}: no action reads like {_quoted(sentence)}")
            pending = (number, action)
    if pending:
        yield pending


def parse_action(sentence: str) -> StoryAction | None:
    """Parses an action's sentence without asides; None for any other sentence."""
    for pattern, build in _PATTERNS:
        if match := pattern.fullmatch(sentence):
            return build(match.groupdict())
    return None


def parse_claim(words: str) -> Claim | None:
    """Parses `the map is in the tube in the hall` or `the apple is salted`; None for other words."""
    if match := _PLACE.fullmatch(words):
        return ObjectPlace(match["object"], match["room"], match["container"])
    if match := _STATE.fullmatch(words):
        return ObjectState(match["object"], match["state"])
    return None


def _quoted(text: str) -> str:
    cut = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
    return repr(cut)


def aside_of(sentence: str) -> re.Match[str] | None:
    """Matches a sentence that says who saw the last action in secret or missed it; None for other sentences."""
    return _ASIDE.fullmatch(sentence)


def with_aside(action: StoryAction, match: re.Match[str]) -> StoryAction:
    """Adds the people whom an aside names to an action, as peekers or as distracted."""
    names = tuple(_PERSON_NAME.findall(match["who"]))
    if match["missed"]:
        return replace(action, distracted=action.distracted + names)
    return replace(action, peekers=action.peekers + names)


def _inform(parts: dict[str, str | None]) -> StoryAction | None:
    claim = parse_claim(parts["claim"] or "")
    return Inform(parts["person"] or "", claim, parts["listener"], parts["room"]) if claim else None


def _alter(parts: dict[str, str]) -> StoryAction:
    change = Change(parts["object"], parts["verb"], parts["rest"] or "", not parts["invisible"])
    return Alter(parts["person"], change)


def _action_of(kind: type[StoryAction], parts: Mapping[str, Any]) -> StoryAction:
    return kind(**parts)


def _pattern(form: str) -> re.Pattern[str]:
    """Compiles the pattern of a sentence: `{person}` and `{listener}` match people, other names in braces things."""

    def group(name: re.Match[str]) -> str:
        return f"(?P<{name[1]}>{_PERSON if name[1] in ('person', 'listener') else _THING})"

    return re.compile(re.sub(r"{(?:0\.)?([a-z]+)}", group, form))


_TOLD = r"{person} told (?:privately to {listener}|everyone in the {room})"
_PATTERNS: Sequence[tuple[re.Pattern[str], Callable[[Any], StoryAction | None]]] = (
    *((_pattern(rf"{form}\."), partial(_action_of, kind)) for kind, form in _FORMS.items()),
    (
        _pattern(
            rf"{{person}} moved the {{object}} to the {{room}}(?:, leaving the {_THING} in its original location)?\."
        ),
        partial(_action_of, CarryTo),
    ),
    (_pattern(rf"{_TOLD} that (?P<claim>.+)\."), _inform),
    (
        _pattern(rf"{_TOLD} about the {{topic}}\."),
        lambda parts: TalkAbout(parts["person"], parts["topic"], parts["listener"], parts["room"]),
    ),
    (
        _pattern(
            r"{person} (?P<verb>(?!entered\b|left\b|moved\b|went\b|told\b)[a-z-]+) the {object}"
            rf"(?: (?P<rest>(?:{'|'.join(PREPOSITIONS)}) [^,.]+))?(?P<invisible>{INVISIBLE})?\."
        ),
        _alter,
    ),
)
_PLACE = _pattern(r"the {object} is (?:in the {container} )?in the {room}")
_STATE = _pattern(rf"the {{object}} is (?P<state>(?!(?:{'|'.join(PREPOSITIONS)})\b)[^,.]+)")
_ASIDE = re.compile(
    rf"While this action was happening, (?P<who>{_PEOPLE}) (?:witnessed it in secret|witnessed this action in secret|"
    r"(?P<missed>got distracted and missed it)) \(and only (?:it|this action)\)(?: unnoticed)?\."
)


# Names


def name_problem(name: str) -> str | None:
    """Why a name can't be used in sentences, in one line; None if it can."""
    if len(name) > MAX_NAME:
        return f"{_quoted(name)}: a name has at most {MAX_NAME} characters"
    if not _NAME.fullmatch(name):
        return f"{_quoted(name)}: a name has letters, digits, hyphens and apostrophes, and single spaces between words"
    if not plain_words(name):
        return f"{_quoted(name)}: a name has letters or digits"
    if name.lower().startswith(ARTICLES):
        return f"{_quoted(name)}: a name begins with no article, which sentences add"
    if reserved := next((word for word in name.lower().split() if word in RESERVED), None):
        return f"{_quoted(name)}: {reserved!r} can't stand in a name, since sentences are taken apart by it"
    return None


def person_problem(name: str) -> str | None:
    """Why a person's name can't be used in sentences; None if it can. Its words must begin with capital letters."""
    if problem := name_problem(name):
        return problem
    is_name = _PERSON_NAME.fullmatch(name) is not None
    return None if is_name else f"{_quoted(name)}: each word of a person's name begins with a capital letter"


def change_problem(change: Change) -> str | None:
    """Why a change can't be told in a sentence; None if it can."""
    if problem := name_problem(change.object):
        return problem
    action = Alter("Anne", change)
    if parse_action(f"{clause_of(action)}.") != action:
        return (
            f"{_quoted(clause_of(action))}: a change is one verb, and a rest that begins with {', '.join(PREPOSITIONS)}"
        )
    return None


def check_names(action: StoryAction) -> None:
    """Raises StoryError if an action has a name that can't be used in sentences."""
    problems = [person_problem(name) for name in people_of(action)]
    problems += map(name_problem, things_of(action))
    if isinstance(action, Alter):
        problems.append(change_problem(action.change))
    if problem := next(filter(None, problems), None):
        raise StoryError(problem)


def names_of(action: StoryAction) -> tuple[str, ...]:
    """The people, things and places that an action names, each once."""
    return tuple(dict.fromkeys((*people_of(action), *things_of(action))))


def things_of(action: StoryAction) -> list[str]:
    """The rooms, objects, containers and topics that an action names."""
    things: list[str | None] = [getattr(action, name, None) for name in ("room", "object", "container", "topic")]
    if isinstance(action, Inform):
        things += [action.claim.object, getattr(action.claim, "container", None), getattr(action.claim, "room", None)]
    if isinstance(action, Alter):
        things.append(action.change.object)
    return [name for name in things if name is not None]


def check_clashes(actions: Iterable[StoryAction]) -> None:
    """Raises StoryError if answers can't tell two names apart, such as `Box` and `box`."""
    first_names: dict[str, str] = {}
    for name in (name for action in actions for name in names_of(action)):
        other = first_names.setdefault(plain_words(name), name)
        if other != name:
            raise StoryError(f"{_quoted(other)} and {_quoted(name)} can't be told apart in an answer")
