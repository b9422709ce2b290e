"""`hm-agent browse exploretom`: writes one page on a set of stories, to filter its questions and look at each story."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field
from hm_agent.recording.browsing import browse_page
from hm_agent.storage.files import write_whole
from hm_agent.worlds.exploretom.viewer.story_set import BrowsedQuestion, BrowsedStory, read_story_set
from hm_agent.worlds.exploretom.viewer.story_viewer import (
    STORY_SCRIPT,
    STORY_STYLE,
    picture_of,
    question_data,
    story_data,
)

TEMPLATES = Path(__file__).parent / "templates"

USAGE = """Writes one page to browse a set of stories: filter questions by order, property and readers' errors, and look
at each story.

    hm-agent browse exploretom stories.jsonl          questions or stories, JSON lines
    hm-agent browse exploretom runs --page=a.html     what recorded episodes asked, and what readers answered
"""


@dataclass(frozen=True)
class BrowseFlags:
    page: Path | None = flag_field(
        None, "The page to write; browse.html beside the file, or in the folder, unless said."
    )
    stories: int = flag_field(2000, "The most stories to show.", lower=1)


COMMAND = WorldCommand("hm-agent browse exploretom", USAGE, {"Flags": BrowseFlags})


def run_command(arguments: Sequence[str]) -> int:
    """Runs `hm-agent browse exploretom` with these arguments; returns the exit status."""
    rest = COMMAND.read(arguments, takes_words=True)
    if rest is None:
        return 0
    if len(rest) != 1:
        raise ConfigError("say one file of questions, or one folder of episodes; see --help")
    source, said = Path(rest[0]), COMMAND.values(BrowseFlags)
    if not source.exists():
        raise ConfigError(f"{source}: there is no such file or folder")
    into = said.page or (source if source.is_dir() else source.parent) / "browse.html"
    write_browse_page(read_story_set(source), into, source.name, most=said.stories)
    print(f"Page: {into}")
    return 0


def write_browse_page(stories: Sequence[BrowsedStory], into: Path, title: str, *, most: int) -> None:
    """Writes the page on the first `most` stories of a set."""
    shown = stories[:most]
    own = (STORY_SCRIPT, TEMPLATES / "browse.js", STORY_STYLE, TEMPLATES / "browse.css")
    content = browse_page(
        TEMPLATES,
        own,
        [_story_entry(story, into.parent) for story in shown],
        {"stories": [_story_details(story) for story in shown]},
        title=title,
        stories=len(stories),
        shown=len(shown),
        questions=sum(len(story.questions) for story in shown),
    )
    into.parent.mkdir(parents=True, exist_ok=True)
    write_whole(into, content)


def _story_entry(story: BrowsedStory, folder: Path) -> Mapping[str, Any]:
    """A story in the page's list: its questions with readers' answers, and links to replays."""
    links: dict[str, str] = {}
    questions = [_question_entry(question, links, folder) for question in story.questions.values()]
    return {"id": story.id, "questions": questions, "links": links}


def _question_entry(question: BrowsedQuestion, links: dict[str, str], folder: Path) -> Mapping[str, Any]:
    """A question in the page's list; adds the links of its answers to `links`, by reader."""
    for given in question.given:
        if given.replay:
            links[given.reader] = quote(Path(os.path.relpath(given.replay.resolve(), folder.resolve())).as_posix())
    return {
        "text": question.text,
        "answer": question.answer,
        "order": question.kind.order,
        "property": question.kind.about,
        "interesting": question.kind.is_interesting,
        "false_belief": question.kind.is_false_belief,
        "functional": question.kind.is_functional,
        "given": [{"by": each.reader, "given": each.given, "right": each.is_right} for each in question.given],
    }


def _story_details(story: BrowsedStory) -> Mapping[str, Any]:
    """A story as the page draws it when it is opened. asked: what the cards of its questions show beyond the list."""
    picture = picture_of(story.text, story.sees_contents)
    asked = (
        question_data(question.text, question.answer or "", question.choices, question.kind, picture)
        for question in story.questions.values()
    )
    return {
        "story": story_data(story.text, picture),
        "infilled": story.infilled,
        "asked": [{name: question[name] for name in ("choices", "accepted", "spot")} for question in asked],
    }
