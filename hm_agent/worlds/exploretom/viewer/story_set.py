"""Sets of stories to browse, from a file of questions or stories, or from what recorded episodes asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.recording.result import Result, read_result, result_files
from hm_agent.recording.trace import FILE as TRACE
from hm_agent.recording.trace import read_trace
from hm_agent.worlds.exploretom.datasets.item import ReadItem, json_lines, question_rows, read_items
from hm_agent.worlds.exploretom.datasets.making import SourceStory, stories_in
from hm_agent.worlds.exploretom.questions.functional import functional_questions
from hm_agent.worlds.exploretom.questions.posing import PosableQuestion, QuestionKind
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.readers.reading import read_story
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import text_of

WORLD = "exploretom"


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What one reader answered. replay: the path of its replay, None if there is none."""

    reader: str
    given: str
    is_right: bool
    replay: Path | None = None


@dataclass(frozen=True, slots=True)
class BrowsedQuestion:
    """A question of a set. answer: None if the set does not say and nobody answered rightly."""

    text: str
    answer: str | None
    choices: tuple[str, ...]
    kind: QuestionKind
    given: tuple[GivenAnswer, ...] = ()


@dataclass(slots=True)
class BrowsedStory:
    """A story of a set. text: its plain sentences, or whatever text it has. infilled: as a language model tells it."""

    id: str
    text: str
    sees_contents: bool = False
    infilled: str | None = None
    questions: dict[str, BrowsedQuestion] = field(default_factory=dict)


def read_story_set(path: Path) -> list[BrowsedStory]:
    """The stories of a file or of a folder of episodes, each once; raises ConfigError, in one line, if it has none."""
    if path.is_dir():
        stories = _recorded_stories(path)
        if not stories:
            raise ConfigError(f"no episode of {WORLD} in {path}: play some first")
        return stories
    return _stories_in_file(path)


# Files


def _stories_in_file(path: Path) -> list[BrowsedStory]:
    first = next(question_rows(path), None)
    if first is None:
        raise ConfigError(f"{path}: nothing in it")
    if isinstance(first[1], Mapping) and {"question", "input"} & first[1].keys():
        return _stories_of_items(read_items(path))
    return [_with_all_questions(story, row) for story, (_, row) in zip(stories_in(path), json_lines(path), strict=True)]


def _with_all_questions(source: SourceStory, row: object) -> BrowsedStory:
    """A story with all its questions. row: its line, which in a search's file says what the reader reached."""
    script, accuracy = source.script, row.get("accuracy") if isinstance(row, Mapping) else None
    reached = f" (accuracy {accuracy:.2f})" if isinstance(accuracy, float | int) else ""
    questions = {question.text: _browsed(question) for question in AnsweredStory(script).questions()}
    return BrowsedStory(f"{source.id}{reached}", text_of(script), script.sees_contents, source.infilled, questions)


def _stories_of_items(items: Sequence[ReadItem]) -> list[BrowsedStory]:
    stories: dict[str, BrowsedStory] = {}
    for item in items:
        sees_contents = item.contents == "seen"
        new = BrowsedStory(item.story_id, item.story, sees_contents, item.infilled)
        known = known_questions(item.story, sees_contents).get(item.question)
        kind = _kind_of(item, known.kind if known else None)
        browsed = BrowsedQuestion(item.question, item.answer, item.choices, kind)
        stories.setdefault(item.story_id, new).questions[item.question] = browsed
    return list(stories.values())


def _kind_of(item: ReadItem, known: QuestionKind | None) -> QuestionKind:
    """The kind of a question as the set says, or as the story tells if the set says nothing."""
    return known if item.order is None and known else replace(item.kind, about=item.about or "")


@lru_cache(maxsize=64)
def known_questions(text: str, sees_contents: bool) -> Mapping[str, PosableQuestion]:
    """All questions about a story in plain sentences, by their texts; empty if the story can't be read."""
    try:
        story = read_story(text, sees_contents)
    except StoryError:
        return {}
    questions: list[PosableQuestion] = [*story.questions(), *functional_questions(story)]
    return {question.text: question for question in questions}


def _browsed(question: PosableQuestion) -> BrowsedQuestion:
    return BrowsedQuestion(question.text, question.answer, question.choices, question.kind)


# Recorded episodes


def _recorded_stories(out: Path) -> list[BrowsedStory]:
    """The stories of all episodes in a folder, each once, with the answers of all readers."""
    files = result_files(out, f"{WORLD}_*")
    read = [(path.parent, result) for path in files if (result := read_result(path)) and result.world == WORLD]
    names = _reader_names([result for _, result in read])
    stories: dict[tuple[str, int, str], BrowsedStory] = {}
    for (folder, result), reader in zip(read, names, strict=True):
        _add_episode(stories, folder, result, reader)
    return list(stories.values())


def _reader_names(results: Sequence[Result]) -> list[str]:
    """The agent of each result, with its model if the results have several."""
    has_models = len({result.model for result in results}) > 1
    return [f"{result.agent} ({result.model})" if has_models else result.agent for result in results]


def _add_episode(stories: dict[tuple[str, int, str], BrowsedStory], folder: Path, result: Result, reader: str) -> None:
    """Adds an episode's stories and answers to `stories`, which are kept by scenario, seed and text."""
    text, sees_contents = "", result.settings.get("contents") == "seen"
    for line in _turns(folder / TRACE):
        text = line["state"].get("story") or text
        key = (result.scenario, result.seed, text)
        if key not in stories:
            stories[key] = BrowsedStory(f"{result.scenario} #{result.episode}", text, sees_contents)
        questions = stories[key].questions
        replay = folder / "replay.html"
        given = GivenAnswer(
            reader, str(line["action"]), line.get("reward", 0) > 0, replay if replay.is_file() else None
        )
        question = str(line["state"]["question"])
        browsed = questions.get(question) or _recorded_question(question, line["state"], text, sees_contents)
        if browsed.answer is None and given.is_right:
            browsed = replace(browsed, answer=given.given)
        questions[question] = replace(browsed, given=(*browsed.given, given))


def _turns(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a trace that have a question; none if there is no trace."""
    if path.is_file():
        for line in read_trace(path):
            if isinstance(line.get("state"), dict) and "question" in line["state"]:
                yield line


def _recorded_question(question: str, state: Mapping[str, Any], text: str, sees_contents: bool) -> BrowsedQuestion:
    known = known_questions(text, sees_contents).get(question)
    if known:
        return _browsed(known)
    choices = tuple(map(str, state.get("choices") or ()))
    return BrowsedQuestion(question, None, choices, QuestionKind(None, "", question))
