"""Writes a data set: a folder with JSON lines by split, and files that describe it to people and evaluation tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.export_plan import (
    CARD,
    CHAT,
    DIRECT,
    REASONED,
    TRAIN,
    ExportCounts,
    ExportPlan,
    file_of,
)
from hm_agent.worlds.exploretom.datasets.item import line_of
from hm_agent.worlds.exploretom.datasets.making import SourceStory, items_of
from hm_agent.worlds.exploretom.datasets.tool_files import write_tool_files
from hm_agent.worlds.exploretom.datasets.training import chat_line, line_of_pair, training_pair
from hm_agent.worlds.exploretom.datasets.training_mix import mixed_sets, shuffled_items, structure_of


@contextmanager
def _finished_files(folder: Path, counts: Counter[str]) -> Iterator[Callable[[str, str], None]]:
    """Yields a function that writes a line to a file below the folder.

    The files get their names at the end of the context; an exception deletes them all.
    """
    drafts: dict[str, TextIO] = {}

    def write(name: str, line: str) -> None:
        if name not in drafts:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[name] = path.with_name(f".{path.name}").open("w", encoding="utf-8", newline="")
        drafts[name].write(f"{line}\n")
        counts[name] += 1

    try:
        yield write
        for file in drafts.values():
            file.close()
        for name, file in drafts.items():
            Path(file.name).replace(folder / name)
    except BaseException as error:
        for file in drafts.values():
            with suppress(OSError):  # a failing flush does not matter: the file is deleted
                file.close()
            Path(file.name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename is None:
            error.filename = str(folder)  # a full disk does not say for which file
        raise


def export(
    stories: Iterable[SourceStory], plan: ExportPlan, training: Mapping[str, Iterable[SourceStory]] | None = None
) -> ExportCounts:
    """Writes a data set to the plan's folder.

    training: the stories of the plan's mix by action set; `stories` are then those to evaluate on.
    The caller locks the folder. Raises ConfigError if it holds a set already, if there are no stories, or if one does
    not have the plan's contents; OSError if a file can't be written. After an error there is no partial file of lines,
    and no card.
    """
    if (plan.out / CARD).exists():
        raise ConfigError(f"{plan.out / CARD} is there already: name another --out")
    counts, structures = ExportCounts(), set[Hashable]()
    with _finished_files(plan.out, counts.lines) as write:
        for story in _checked(stories, plan):
            counts.stories += 1
            if plan.mix:
                structures.add(structure_of(story.script))
            split = plan.split_of(story.split_by)
            for item in items_of(story):
                counts.add(item)
                written_item = item if split != TRAIN else replace(item, canary="")
                write(file_of(item.kind, split), line_of(written_item))
                if plan.has_training and split == TRAIN:
                    write(file_of(DIRECT, split), line_of_pair(training_pair(item)))
                    write(file_of(REASONED, split), line_of_pair(training_pair(item, by_steps=True)))
        if not counts.lines:
            raise ConfigError("no stories to evaluate on" if plan.mix else "no stories: nothing to export")
        if plan.mix:
            checked = {name: _checked(stories, plan) for name, stories in (training or {}).items()}
            counts.mixed = mixed_sets(plan.mix, checked, structures)
            for item in shuffled_items(plan.mix, counts.mixed):
                write(file_of(CHAT, TRAIN), chat_line(item))
    if plan.has_parquet:
        _write_parquet(plan.out, list(counts.lines))
    write_tool_files(plan, counts)
    return counts


def _checked(stories: Iterable[SourceStory], plan: ExportPlan) -> Iterator[SourceStory]:
    """Yields the stories; raises ConfigError for one that does not have the plan's contents."""
    for story in stories:
        if story.script.sees_contents != plan.sees_contents:
            contents = "seen" if story.script.sees_contents else "hidden"
            raise ConfigError(
                f"the story {story.id[:60]!r} is one of --contents={contents}; all stories of a set have the same"
            )
        yield story


def _write_parquet(out: Path, names: Sequence[str]) -> None:
    import pyarrow.json
    import pyarrow.parquet

    for name in names:
        table = pyarrow.json.read_json(out / name, read_options=pyarrow.json.ReadOptions(block_size=1 << 26))
        path = out / "parquet" / Path(name).with_suffix(".parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, path)
