"""Reads stories with labelled questions from files: numbered text as in bAbI and ToMi, or lines of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.item import choice_named, json_lines

_NUMBERED = re.compile(r"(?P<number>\d+)[.)]?\s+(?P<text>\S.*)")
_LETTERED = re.compile(r"\(?([A-Z])[.):]\)?\s+(?P<text>\S.*)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A sentence of a story. line: its line in the file, from 1; the same for all sentences of a JSON story."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with its label, empty if it has none.

    line: its line in the file, from 1. after: the number of the story's sentences before it.
    """

    line: int
    text: str
    label: str
    after: int


@dataclass(frozen=True, slots=True)
class LabelledStory:
    """A story with its questions. sees_contents: whether entering shows what containers hold; None if not said."""

    lines: tuple[StoryLine, ...]
    questions: tuple[LabelledQuestion, ...]
    sees_contents: bool | None = None


def labelled_stories(path: Path) -> Iterator[LabelledStory]:
    """The stories of a file; raises ConfigError, in one line, for a file that has neither form.

    Lines of JSON have `story` (or `context`), `question` and `answer`; or `choices` with `target`, a letter, a number
    from 0 or the words. Else each line begins with a number, which starts anew with each story, and a question's line
    has its label after a tab.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text") from error
    if not text.strip():
        raise ConfigError(f"{path}: nothing in it")
    return _stories_in_json(path) if text.lstrip().startswith("{") else _stories_in_text(path, text)


def _stories_in_text(path: Path, text: str) -> Iterator[LabelledStory]:
    lines: list[StoryLine] = []
    questions: list[LabelledQuestion] = []
    before = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = _NUMBERED.fullmatch(line.strip())
        if match is None:
            raise ConfigError(f"{path}: line {number}: a line begins with its number in the story, or is JSON")
        if int(match["number"]) <= before:
            yield LabelledStory(tuple(lines), tuple(questions))
            lines, questions = [], []
        before = int(match["number"])
        sentence, *rest = match["text"].split("\t")
        if rest or sentence.rstrip().endswith("?"):
            label = rest[0].strip() if rest else ""
            questions.append(LabelledQuestion(number, sentence.strip(), label, len(lines)))
        else:
            lines.append(StoryLine(number, sentence.strip()))
    yield LabelledStory(tuple(lines), tuple(questions))


def _stories_in_json(path: Path) -> Iterator[LabelledStory]:
    for number, value in json_lines(path):
        if not isinstance(value, dict):
            raise ConfigError(f"{path}: line {number}: a question is an object, {{...}}")
        story, question = value.get("story", value.get("context")), value.get("question")
        label = _label(value)
        if not (isinstance(story, str) and isinstance(question, str) and label):
            raise ConfigError(
                f"{path}: line {number}: an object has story, question, and answer or choices with target"
            )
        lines = tuple(StoryLine(number, sentence) for sentence in _sentences(story))
        contents = value.get("contents")
        yield LabelledStory(
            lines,
            (LabelledQuestion(number, question.strip(), label, len(lines)),),
            contents == "seen" if contents in ("seen", "hidden") else None,
        )


def _sentences(story: str) -> Iterator[str]:
    """The sentences of a text, without the numbers that lines may begin with."""
    for line in story.splitlines():
        match = _NUMBERED.fullmatch(line.strip())
        yield from filter(None, _SENTENCE_END.split(match["text"] if match else line.strip()))


def _plain_choices(choices: object) -> object:
    """Choices without their letters, if each begins with its own, e.g. `A. box` and `B. bin`; else unchanged."""
    if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
        return choices
    matches = [_LETTERED.fullmatch(choice) for choice in choices]
    plain = [
        match["text"] for match, letter in zip(matches, ascii_uppercase, strict=False) if match and match[1] == letter
    ]
    return plain if len(plain) == len(choices) else choices


def _label(value: Mapping[str, Any]) -> str | None:
    """The words of the right answer; None if the object does not say."""
    choices, target = _plain_choices(value.get("choices")), value.get("target", value.get("answer", value.get("label")))
    if isinstance(choices, list) and (named := choice_named(target, choices)):
        return named
    is_number = isinstance(choices, list) and isinstance(target, str) and target.strip().isdecimal()
    return target.strip() if isinstance(target, str) and not is_number and target.strip() else None
