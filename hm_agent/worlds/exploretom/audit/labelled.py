"""Reads stories with labelled questions from files: numbered text as in bAbI and ToMi, or JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.storage.files import read_text
from hm_agent.worlds.exploretom.audit.choices import Choice, read_choices
from hm_agent.worlds.exploretom.audit.sentences import NUMBERED, sentences_of, split_question
from hm_agent.worlds.exploretom.datasets.json_lists import values_in


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A sentence of a story. line: its line in the file, from 1; the same for all sentences of a JSON story."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with its label, empty if it has none.

    line: its line in the file, from 1. after: the number of the story's sentences before it. choices: none if it has
    none. unread: what can't be read of its choices or label, empty if there is nothing.
    """

    line: int
    text: str
    label: str | int
    after: int
    choices: tuple[Choice, ...] = ()
    unread: str = ""


@dataclass(frozen=True, slots=True)
class LabelledStory:
    """A story with its questions. sees_contents: whether entering shows what containers hold; None if not said."""

    lines: tuple[StoryLine, ...]
    questions: tuple[LabelledQuestion, ...]
    sees_contents: bool | None = None


def text_of_file(path: Path) -> str:
    """The text of a file, without a byte order mark; raises ConfigError, in one line, if it has none."""
    try:
        text = unicodedata.normalize("NFC", read_text(path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text") from error
    if not text.strip():
        raise ConfigError(f"{path}: nothing in it")
    return text


def stories_in_text(path: Path, text: str) -> Iterator[LabelledStory]:
    """The stories of numbered text; raises ConfigError for a line without a number.

    The numbers start anew with each story, and a question's line has its label after a tab.
    """
    lines: list[StoryLine] = []
    questions: list[LabelledQuestion] = []
    before = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = NUMBERED.fullmatch(line.strip())
        if match is None or match["number"] is None:
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
            lines += [StoryLine(number, part) for part in sentences_of(sentence)]
    yield LabelledStory(tuple(lines), tuple(questions))


# JSON


_STORIES, _CHOICES = ("story", "context"), ("choices", "options")
_LABELS = ("target", "answer", "label", "ideal", "answerKey")


def labelled_stories(path: Path) -> Iterator[LabelledStory]:
    """The stories of a file; raises ConfigError, in one line, for a file that has neither form.

    JSON is lines of objects, a list of them, or an object with such lists. They have `story` (or `context`),
    `question` and `answer` (or `target` and such), or `input` with story and question in one text; and optionally
    `choices`. What is not JSON is numbered text.
    """
    text = text_of_file(path)
    return _stories_in_json(path, text) if text.lstrip()[0] in "{[" else stories_in_text(path, text)


def _stories_in_json(path: Path, text: str) -> Iterator[LabelledStory]:
    for number, value in values_in(path, text):
        if not isinstance(value, dict):
            raise ConfigError(f"{path}: line {number}: a question is an object, {{...}}")
        told, label = _told(value), _first(value, _LABELS)
        if told is None or label is None:
            raise ConfigError(f"{path}: line {number}: an object has story, question, and answer, or input and target")
        story, question, choices = told
        lines = tuple(StoryLine(number, sentence) for sentence in sentences_of(story))
        contents = value.get("contents")
        yield LabelledStory(
            lines,
            (_question(number, question, len(lines), label, _first(value, _CHOICES) or choices),),
            contents == "seen" if contents in ("seen", "hidden") else None,
        )


def _question(number: int, text: str, after: int, label: object, choices: object) -> LabelledQuestion:
    """A question with its choices and label, or with what can't be read of them."""
    if isinstance(label, list) and len(label) == 1:
        label = label[0]
    read = read_choices(choices) if choices else ()
    if read is None:
        return LabelledQuestion(number, text, str(label), after, (), f"can't read the choices {str(choices)[:80]!r}")
    if isinstance(label, bool) or not isinstance(label, str | int):
        return LabelledQuestion(number, text, str(label), after, read, f"can't read the label {str(label)[:80]!r}")
    return LabelledQuestion(number, text, label.strip() if isinstance(label, str) else label, after, read)


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> object:
    return next((value[key] for key in keys if value.get(key) is not None and value[key] != ""), None)


def _told(value: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The story, the question, and what follows them; None if an object has no such keys."""
    story, question = _first(value, _STORIES), value.get("question")
    if isinstance(story, list) and all(isinstance(sentence, str) for sentence in story):
        story = "\n".join(story)
    if isinstance(story, str) and isinstance(question, str):
        return story, question.strip(), ""
    text = value.get("input")
    if isinstance(text, list) and text and isinstance(text[-1], dict):
        text = text[-1].get("content")
    if not isinstance(text, str):
        return None
    return (text, question.strip(), "") if isinstance(question, str) else split_question(text)
