"""Data sets as stories to play: each story is an episode, with its questions in the file's order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.worlds.exploretom.datasets.item import ReadItem, read_items
from hm_agent.worlds.exploretom.questions.posing import PosedStory


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
