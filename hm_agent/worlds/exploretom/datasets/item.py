"""The questions of data sets, one object of JSON each: ours with all their keys, and those of others with a few."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from io import TextIOWrapper
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, StrictInt, TypeAdapter, ValidationError

from hm_agent.config import ConfigError, first_problem
from hm_agent.grouping import grouped
from hm_agent.storage.files import open_regular, read_text
from hm_agent.worlds.exploretom.audit.choices import read_choices
from hm_agent.worlds.exploretom.datasets.belief_trace import TracedAction
from hm_agent.worlds.exploretom.datasets.json_lists import starts_of_lists, values_of_lists
from hm_agent.worlds.exploretom.questions.accepted_forms import overlapping
from hm_agent.worlds.exploretom.questions.functional import MAX_CHOICES
from hm_agent.worlds.exploretom.questions.posing import PosedStory, QuestionKind

FORMAT = 1
"""The version of the keys of a line."""
TRACKER = 2
"""The version of what people believe after each action, and of what is asked and accepted."""
CANARY = "hm_agent-exploretom canary 7c1f6a52-0b8e-4c1d-9f57-3f2a4be0d6c9: benchmark data, do not train on it"
"""Stands in every line that is not for training, so that texts that contain it can be left out of training data."""
ItemKind = Literal["literal", "functional"]
LITERAL: ItemKind = "literal"
FUNCTIONAL: ItemKind = "functional"
UNSAID = "unsaid"
"""The property of questions whose data set names none."""

_Text = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class StoryItem:
    """A question about a story, with its answer and all that is known about it.

    id: unique in the set; story_id: the same for all questions of a story; set_id: the same for those about one
    property of one thing. story: its plain sentences, one a line. infilled: the story as told by a language model, None
    if it is not. target: the letter of the right choice; answer: its words; accepted: the complete answers that mean
    it. order: 0 to 2 (`Asked`). property: what it is about. interesting, false_belief: as in `StoryQuestion`.
    relies_on: ids of the literal questions that a functional one relies on. actions: the story's, one row each
    (`making.action_rows`). contents: `seen` if entering a room shows what its containers hold. trace: of the beliefs
    that the question is about. tracker: the version of the rules of belief that the answer follows.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: _Text
    story_id: _Text
    set_id: _Text
    kind: ItemKind
    story: _Text
    infilled: str | None
    question: _Text
    choices: Annotated[tuple[_Text, ...], Field(min_length=2, max_length=MAX_CHOICES)]
    target: Annotated[str, Field(pattern="^[A-H]$")]
    answer: _Text
    accepted: tuple[str, ...]
    order: Annotated[int, Field(ge=0, le=2)]
    property: str
    interesting: bool
    false_belief: bool
    relies_on: tuple[str, ...]
    people: tuple[str, ...]
    actions: tuple[Mapping[str, Any], ...]
    action_set: str
    asymmetric: bool
    contents: Literal["hidden", "seen"]
    seed: int
    trace: tuple[TracedAction, ...]
    canary: str = CANARY
    tracker: int = TRACKER
    format: int = FORMAT


def line_of(item: StoryItem) -> str:
    """The item as one line of JSON."""
    return json.dumps(item, default=_field_values, ensure_ascii=False)


def _field_values(value: Any) -> Mapping[str, Any]:
    """The fields of a dataclass, for JSON; `asdict` would copy every action and belief for each question."""
    return {part.name: getattr(value, part.name) for part in fields(value)}


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What playing a question needs, from any data set; keys that a foreign set does not have are None or empty."""

    id: str
    story_id: str
    story: str
    question: str
    choices: tuple[str, ...]
    answer: str
    infilled: str | None = None
    set_id: str | None = None
    order: int | None = None
    about: str | None = None
    interesting: bool | None = None
    false_belief: bool = False
    contents: str | None = None
    is_functional: bool = False
    relies_on: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.question

    @property
    def kind(self) -> QuestionKind:
        about, set_id = self.about or UNSAID, self.set_id or self.id
        return QuestionKind(self.order, about, set_id, self.interesting, self.false_belief, self.is_functional)


OTHER_FORMS = "; `hm-agent audit FILE` reads sets of other forms, such as ToMi's lines"


def read_items(path: Path) -> list[ReadItem]:
    """Reads a set; raises ConfigError, with the line's number, for a bad question.

    It has one line of JSON for each question, or is a list of them, or an object with such lists. One with the key
    `format` is ours and must have all keys and the current versions. Others need `question` (or `input`), `choices` in
    a form of `read_choices`, and `target` (or `answer`): a letter, a number from 0, or the words of a choice. `story`
    (or `context`) and `id` may be missing; questions of the same story in a row go together.
    """
    items = [_read_item(path, line, value, name) for line, value, name in question_rows(path)]
    if not items:
        raise ConfigError(f"{path}: no questions in it")
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise ConfigError(f"{path}: two questions have the id {item.id[:60]!r}")
        seen.add(item.id)
    return items


def question_rows(path: Path) -> Iterator[tuple[int, object, str]]:
    """Yields line, value and, for a question without an id, a name: its line or, in a list, its place there."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError):
        text = ""  # the lines say what is wrong
    if not (starts := starts_of_lists(text)):
        yield from ((line, value, str(line)) for line, value in json_lines(path, OTHER_FORMS))
    else:
        found = values_of_lists(path, text, starts)
        yield from ((line, value, str(place)) for place, (line, value) in enumerate(found, 1))


def json_lines(path: Path, advice: str = "") -> Iterator[tuple[int, object]]:
    """Yields (number from 1, value) of every line that is not empty; raises ConfigError for one that is not JSON.

    advice: what the message then says besides.
    """
    number = 0
    try:
        with TextIOWrapper(open_regular(path), "utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, json.loads(line)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: line {number}: not valid JSON{advice}") from error


def _read_item(path: Path, number: int, value: object, name: str) -> ReadItem:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: line {number}: a question is an object, {{...}}")
    try:
        return _read_own(value) if "format" in value else _read_foreign(value, name)
    except ValidationError as error:
        raise ConfigError(f"{path}: line {number}: {first_problem(error)}") from error
    except ConfigError as error:
        raise ConfigError(f"{path}: line {number}: {error}") from error


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _read_own(value: Mapping[str, Any]) -> ReadItem:
    for name, current in (("format", FORMAT), ("tracker", TRACKER)):
        if value.get(name) != current:
            raise ConfigError(f"{name} {str(value.get(name))[:20]}, and this is {name} {current}: export the set anew")
    missing = {part.name for part in fields(StoryItem)} - value.keys()
    if missing:
        raise ConfigError(f"keys are missing: {', '.join(sorted(missing))}")
    item: StoryItem = _adapter(StoryItem).validate_python(value)
    index = ascii_uppercase.index(item.target)
    if index >= len(item.choices) or item.choices[index] != item.answer:
        raise ConfigError(f"target {item.target} is not the choice {item.answer[:60]!r}")
    shared = {name: getattr(item, name) for name in _SHARED}
    return ReadItem(**shared, about=item.property, is_functional=item.kind == FUNCTIONAL)


_SHARED = {part.name for part in fields(ReadItem)} & {part.name for part in fields(StoryItem)}


@dataclass(frozen=True, slots=True)
class _ForeignItem:
    """The keys that are read of a question in a foreign set; others are ignored."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    question: _Text
    choices: Annotated[tuple[_Text, ...], Field(min_length=2, max_length=len(ascii_uppercase))]
    target: StrictInt | _Text
    story: str = ""
    id: _Text | None = None


def _read_foreign(value: Mapping[str, Any], name: str) -> ReadItem:
    """A question of somebody else's set. name: its id if it has none."""
    named = {name: value[other] for name, other in _FOREIGN_KEYS if other in value and name not in value}
    choices = {"choices": _texts_of(value["choices"])} if "choices" in value else {}
    item: _ForeignItem = _adapter(_ForeignItem).validate_python({**value, **named, **choices})
    if pair := overlapping(item.choices):
        raise ConfigError(f"the same answer would mean the choices {pair[0][:60]!r} and {pair[1][:60]!r}")
    answer = choice_named(item.target, item.choices)
    if answer is None:
        raise ConfigError(f"target {str(item.target)[:60]!r} names none of the {len(item.choices)} choices")
    return ReadItem(
        id=item.id or name,
        story_id=item.story or item.question,
        story=item.story,
        question=item.question,
        choices=item.choices,
        answer=answer,
    )


def _texts_of(choices: object) -> object:
    """The choices as a list of texts, if they are in another form; else as they are.

    Raises ConfigError for a form that is not read, and for choices that are not named A, B and so on.
    """
    if isinstance(choices, list) and not any(isinstance(part, dict) for part in choices):
        return choices
    read = read_choices(choices) or ()
    if not read or [choice.name.upper() for choice in read] != list(ascii_uppercase[: len(read)]):
        raise ConfigError(f"can't read the choices {str(choices)[:80]!r}: a list of texts is read")
    return [choice.text for choice in read]


_FOREIGN_KEYS = (("question", "input"), ("target", "answer"), ("story", "context"))
"""(our name of a key, another name for it that is read, too)"""


def choice_named(target: object, choices: Sequence[object]) -> str | None:
    """The choice that a target names by its words, its letter or its number from 0; None if it names none."""
    if isinstance(target, str) and target in choices:
        return target
    if isinstance(target, bool) or not isinstance(target, int | str):
        return None
    by_letter = dict(zip(ascii_uppercase, map(str, choices), strict=False))
    by_number = {str(number): str(choice) for number, choice in enumerate(choices)}
    return (by_letter | by_number).get(str(target))


# As stories to play


@lru_cache(maxsize=4)
def posed_stories(path: Path, changed: int, *, is_infilled: bool, sees_contents: bool) -> Sequence[PosedStory]:
    """Reads the stories of a file, cached. changed: the time of its last change, so that a changed file is read again.

    is_infilled: True for the stories as told by a language model. sees_contents: for stories that don't say. Raises
    ConfigError, in one line, for a file that can't be read or lacks what is asked for.
    """
    items_by_story = grouped((item.story_id, item) for item in read_items(path))
    return [_posed(path, items, is_infilled, sees_contents) for items in items_by_story.values()]


def _posed(path: Path, items: Sequence[ReadItem], is_infilled: bool, sees_contents: bool) -> PosedStory:
    first, indices = items[0], {item.id: index for index, item in enumerate(items)}
    if is_infilled and not first.infilled:
        raise ConfigError(
            f"--telling=infilled: the story {first.story_id[:60]!r} of {path} is told in plain sentences only"
        )
    if any(
        (item.story, item.infilled, item.contents) != (first.story, first.infilled, first.contents) for item in items
    ):
        raise ConfigError(f"{path}: two stories have the id {first.story_id[:60]!r}")
    return PosedStory(
        text=first.infilled or "" if is_infilled else first.story,
        sees_contents=sees_contents if first.contents is None else first.contents == "seen",
        questions=items,
        relies_on=[[indices[needed] for needed in item.relies_on if needed in indices] for item in items],
    )
