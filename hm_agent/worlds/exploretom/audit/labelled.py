"""Reads stories with labelled questions from files: numbered text as in bAbI and ToMi, or JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.files import read_text
from hm_agent.worlds.exploretom.audit.choices import Choice
from hm_agent.worlds.exploretom.audit.sentences import NUMBERED, sentences_of


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
