"""Writes a data set: a folder with JSON lines by split, a card, and the files by which evaluation tools read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from jinja2 import Environment

from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.models.prompts import environment as prompts
from hm_agent.pages.rendering import environment
from hm_agent.worlds.exploretom.datasets.item import CANARY, FORMAT, LITERAL, TRACKER, StoryItem, line_of
from hm_agent.worlds.exploretom.datasets.making import SourceStory, items_of
from hm_agent.worlds.exploretom.datasets.training import direct_pair, line_of_pair, reasoned_pair

CARD = "README.md"
TRAIN, TEST = "train", "test"
DIRECT, REASONED = "training_direct", "training_reasoned"


@dataclass(frozen=True)
class ExportPlan:
    """What to write. splits: names with their shares, by seed or line. command: as the card shows it.

    has_training: also prompts with replies, from the split `train`. has_parquet: also each file as Parquet.
    """

    out: Path
    name: str
    splits: Mapping[str, int]
    command: str
    sees_contents: bool = False
    has_training: bool = False
    has_parquet: bool = False

    def split_of(self, seed: int) -> str:
        """The split of a seed or line: of each `sum of shares` in a row the first go to the first split, and so on.

        So stories of one seed stay in their split however many are exported, in all action sets.
        """
        place = seed % sum(self.splits.values())
        for name, share in self.splits.items():
            if place < share:
                return name
            place -= share
        raise AssertionError(place)


@dataclass
class _BaseRate:
    """Counts over the questions of one kind about one property."""

    questions: int = 0
    by_lot: float = 0.0
    real: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, item: StoryItem) -> None:
        self.questions += 1
        self.by_lot += 1 / len(item.choices)
        self.real += not item.false_belief
        self.answers[item.answer] += 1


@dataclass
class ExportCounts:
    """What an export wrote. lines: by file, relative to the folder."""

    stories: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    rates: dict[tuple[str, str], _BaseRate] = field(default_factory=dict)

    def add(self, item: StoryItem) -> None:
        self.rates.setdefault((item.kind, item.property), _BaseRate()).add(item)

    def shown_rates(self) -> list[Mapping[str, Any]]:
        """The base rates, as the card shows them."""
        return [
            {
                "kind": kind,
                "about": about,
                "questions": rate.questions,
                "chance": rate.by_lot / rate.questions,
                "commonest": rate.answers.most_common(1)[0][1] / rate.questions,
                "reality": rate.real / rate.questions if kind == LITERAL else None,
            }
            for (kind, about), rate in sorted(self.rates.items())
        ]


class _Files:
    """Files of lines that stand under their names only when all are written."""

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
        """Closes all, and gives them their names."""
        self._stack.close()
        for file in self._open.values():
            draft = Path(file.name)
            draft.replace(draft.with_name(draft.name.removeprefix(".")))

    def drop(self) -> None:
        """Removes what was written."""
        for file in self._open.values():
            with suppress(OSError):  # what could not be flushed goes with the file
                file.close()
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def _files(folder: Path, counts: Counter[str]) -> Iterator[_Files]:
    files = _Files(folder, counts)
    try:
        yield files
        files.finish()
    except BaseException:
        files.drop()
        raise


def export(stories: Iterable[SourceStory], plan: ExportPlan) -> ExportCounts:
    """Writes all files; raises ConfigError if the folder holds a set already or nothing is to be written.

    If it fails, no file of lines is left in part, and there is no card. OSError if a file can't be written.
    """
    if (plan.out / CARD).exists():
        raise ConfigError(f"{plan.out / CARD} is there already: name another --out")
    counts = ExportCounts()
    with _files(plan.out, counts.lines) as files:
        for story in stories:
            counts.stories += 1
            if story.script.sees_contents != plan.sees_contents:
                raise ConfigError(f"the story {story.id[:60]!r} is one of the other --contents; a set has one")
            split = plan.split_of(story.split_by)
            for item in items_of(story):
                counts.add(item)
                marked = item if split != TRAIN else replace(item, canary="")
                files.write(_file(item.kind, split), line_of(marked))
                if plan.has_training and split == TRAIN:
                    files.write(_file(DIRECT, split), line_of_pair(direct_pair(item)))
                    files.write(_file(REASONED, split), line_of_pair(reasoned_pair(item)))
        if not counts.lines:
            raise ConfigError("no stories: nothing to export")
    if plan.has_parquet:
        _write_parquet(plan.out, list(counts.lines))
    _write_tool_files(plan, counts)
    return counts


def _file(config: str, split: str) -> str:
    return f"{config}/{split}.jsonl"


def _write_parquet(out: Path, names: Sequence[str]) -> None:
    import pyarrow.json
    import pyarrow.parquet

    for name in names:
        table = pyarrow.json.read_json(out / name, read_options=pyarrow.json.ReadOptions(block_size=1 << 26))
        path = out / "parquet" / Path(name).with_suffix(".parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, path)


@cache
def _templates() -> Environment:
    return environment(Path(__file__).parent / "templates")


def evaluation_template(placeholder: str, *, sees_contents: bool) -> str:
    """What a model reads before a question: the story, for which the placeholder stands, and how to read it."""
    words: Any = prompts().get_template("exploretom/words.j2").module
    return str(words.the_story(placeholder, sees_contents)).strip()


def _write_tool_files(plan: ExportPlan, counts: ExportCounts) -> None:
    configs = dict.fromkeys(name.partition("/")[0] for name in counts.lines)
    splits = [split for split in plan.splits if any(name.endswith(f"/{split}.jsonl") for name in counts.lines)]
    evaluated = TEST if TEST in splits else splits[-1]
    evaluations = [
        name for name in configs if _file(name, evaluated) in counts.lines and name not in (DIRECT, REASONED)
    ]
    head = evaluation_template("{story}", sees_contents=plan.sees_contents)
    _render(
        plan.out / "eval.yaml",
        "eval.yaml.j2",
        name=plan.name,
        configs=evaluations,
        split=evaluated,
        template=f"{head}\n\n{{prompt}}",
    )
    text = evaluation_template("{{story}}", sees_contents=plan.sees_contents)
    for config in evaluations:
        _render(
            plan.out / "lm_eval" / f"exploretom_{config}.yaml",
            "lm_eval.yaml.j2",
            config=config,
            split=evaluated,
            file=_file(config, evaluated),
            text=f"{text}\n\nQuestion: {{{{question}}}}\nAnswer:",
            version=TRACKER,
        )
    _render(
        plan.out / CARD,
        "card.md.j2",
        name=plan.name,
        folder=plan.out.name,
        command=plan.command,
        stories=counts.stories,
        sees_contents=plan.sees_contents,
        has_training=DIRECT in configs,
        splits=splits,
        evaluated=evaluated,
        configs=[_config(name, splits, counts) for name in configs],
        rates=counts.shown_rates(),
        canary=CANARY,
        tracker=TRACKER,
        format=FORMAT,
    )


def _config(name: str, splits: Sequence[str], counts: ExportCounts) -> Mapping[str, Any]:
    """A config as the card shows it."""
    files = {split: _file(name, split) for split in splits if _file(name, split) in counts.lines}
    lines = {split: counts.lines[file] for split, file in files.items()}
    return {"name": name, "is_default": name == LITERAL, "files": files, "counts": lines}


def _render(path: Path, source: str, **values: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _templates().get_template(source).render(**values))
