"""Writes a data set: a folder with JSON lines by split, and files that describe it to people and evaluation tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.export_plan import (
    CARD,
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
from hm_agent.worlds.exploretom.datasets.training import direct_pair, line_of_pair, reasoned_pair


class _Files:
    """Files of lines that get their final names only when all of them are complete."""

    def __init__(self, folder: Path, counts: Counter[str]) -> None:
        self._folder, self._counts = folder, counts
        self._open: dict[str, TextIO] = {}
        self._stack = ExitStack()

    def write(self, name: str, line: str) -> None:
        if name not in self._open:
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}")
            self._open[name] = self._stack.enter_context(draft.open("w", encoding="utf-8", newline=""))
        self._open[name].write(f"{line}\n")
        self._counts[name] += 1

    def finish(self) -> None:
        """Closes all files and gives them their final names."""
        self._stack.close()
        for file in self._open.values():
            draft = Path(file.name)
            draft.replace(draft.with_name(draft.name.removeprefix(".")))

    def drop(self) -> None:
        """Deletes all files."""
        for file in self._open.values():
            with suppress(OSError):  # a failing flush does not matter: the file is deleted
                file.close()
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def _finished_files(folder: Path, counts: Counter[str]) -> Iterator[_Files]:
    """Opens files that are finished at the end, or deleted if an exception is raised."""
    files = _Files(folder, counts)
    try:
        yield files
        files.finish()
    except BaseException:
        files.drop()
        raise


def export(stories: Iterable[SourceStory], plan: ExportPlan) -> ExportCounts:
    """Writes a data set to the plan's folder.

    Raises ConfigError if the folder holds a set already, if there are no stories, or if one does not have the plan's
    contents; OSError if a file can't be written. After an error there is no partial file of lines, and no card.
    """
    if (plan.out / CARD).exists():
        raise ConfigError(f"{plan.out / CARD} is there already: name another --out")
    counts = ExportCounts()
    with _finished_files(plan.out, counts.lines) as files:
        for story in stories:
            counts.stories += 1
            if story.script.sees_contents != plan.sees_contents:
                contents = "seen" if story.script.sees_contents else "hidden"
                raise ConfigError(
                    f"the story {story.id[:60]!r} is one of --contents={contents}; all stories of a set have the same"
                )
            split = plan.split_of(story.split_by)
            for item in items_of(story):
                counts.add(item)
                written_item = item if split != TRAIN else replace(item, canary="")
                files.write(file_of(item.kind, split), line_of(written_item))
                if plan.has_training and split == TRAIN:
                    files.write(file_of(DIRECT, split), line_of_pair(direct_pair(item)))
                    files.write(file_of(REASONED, split), line_of_pair(reasoned_pair(item)))
        if not counts.lines:
            raise ConfigError("no stories: nothing to export")
    if plan.has_parquet:
        _write_parquet(plan.out, list(counts.lines))
    write_tool_files(plan, counts)
    return counts


def _write_parquet(out: Path, names: Sequence[str]) -> None:
    import pyarrow.json
    import pyarrow.parquet

    for name in names:
        table = pyarrow.json.read_json(out / name, read_options=pyarrow.json.ReadOptions(block_size=1 << 26))
        path = out / "parquet" / Path(name).with_suffix(".parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, path)
