"""Evolves a pool of tasks against an agent, generation by generation (section 4.4).

Of each generation, a given share of the parents are tasks that the agent failed, the others are tasks that it solved.
Without a language model as author a parent is varied; with one, the parents are examples in its prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.storage.row_file import Row, RowFile, check_identity
from hm_agent.worlds.enacttom.author.asked_tasks import NO_PARENTS, Authors, Parents, asked_task
from hm_agent.worlds.enacttom.author.calibration import Calibration, Target, calibrated
from hm_agent.worlds.enacttom.author.drawn_tasks import MadeTask, TaskRecipe, drawn_offspring
from hm_agent.worlds.enacttom.author.task_plan import PlannedTask, TaskPlan
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_files import load_task, save_task

POOL, SETTINGS = "pool.jsonl", "pool.settings"
TASKS, SOLVED = "tasks", "solved"
"""The folders of the tasks that are kept, and of those that the target solves even with private secrets."""
EXAMPLES = 5
"""How many tasks of the pool a model is shown."""
ROW_KEYS = (
    "generation", "task", "category", "k_depth", "agents", "parents", "changed", "recipe", "proved", "refused",
    "public", "private", "kept", "first",
)  # fmt: skip


@dataclass(frozen=True)
class Birth:
    """A task to be made.

    number: the end of its name. slot: its kind, which a variation may change. parents: the rows of the task that it is
    varied from, or of those that the author is shown.
    """

    generation: int
    number: str
    slot: PlannedTask
    parents: tuple[Row, ...]


@dataclass(frozen=True)
class Grown:
    """What became of a birth. played: None if nothing was proved. first: of `made.first`, likewise."""

    birth: Birth
    made: MadeTask
    played: Calibration | None
    first: Calibration | None

    @property
    def row(self) -> Row:
        birth, made = self.birth, self.made
        first = self.first and made.first and {"why": made.why, "k_depth": made.first.k_depth, **asdict(self.first)}
        return {
            "id": birth.number,
            "generation": birth.generation,
            "task": made.file.task_id if made.file else None,
            **asdict(made.recipe.request if made.recipe else made.slot.request),
            "parents": [row["id"] for row in birth.parents],
            "changed": made.changed,
            "recipe": asdict(made.recipe) if made.recipe else None,
            "proved": made.file is not None,
            "refused": dict(sorted(made.tally.refused.items())),
            "public": self.played.public if self.played else None,
            "private": self.played.private if self.played else None,
            "kept": self.played is not None and self.played.is_kept,
            "first": first,
        }


@dataclass(frozen=True)
class Evolution:
    """How a pool is made; everything in it follows from this. plan: of one generation's tasks.

    fail_ratio: the share of parents that the target failed. authors: None to draw tasks without a language model.
    """

    plan: TaskPlan
    target: Target
    fail_ratio: float
    authors: Authors | None = None

    @property
    def identity(self) -> Row:
        """The settings that a folder's pool was made with; more generations may be added to it."""
        authors = asdict(self.authors) if self.authors else {}
        return {
            **self.plan.identity, "tasks": self.plan.tasks, **asdict(self.target), "fail_ratio": self.fail_ratio,
            **authors,
        }  # fmt: skip

    def births(self, generation: int, earlier: Sequence[Row]) -> list[Birth]:
        """The tasks to make in a generation; the first one, 0, has no parents. earlier: all rows before it."""
        rng = Random(f"{self.plan.seed}/generation {generation}")
        families = self._families(rng, earlier)
        numbers = [f"g{generation:02}_{place:03}" for place in range(self.plan.tasks)]
        slots = [
            PlannedTask(f"{slot.request.cell}_{number}", slot.request)
            for slot, number in zip(self.plan.slots(), numbers, strict=True)
        ]
        return [
            Birth(generation, number, slot, family)
            for number, slot, family in zip(numbers, slots, families, strict=True)
        ]

    def _families(self, rng: Random, earlier: Sequence[Row]) -> list[tuple[Row, ...]]:
        """Draws the parents of each task of a generation, in turn from those that the target failed and solved.

        It solves all of them with public secrets.
        All are of one kind if there is none of the other; none has parents if there are none at all.
        """
        failed = _drawn_in_turn(rng, [row for row in earlier if row["kept"]])
        solved = _drawn_in_turn(rng, [row for row in earlier if row["public"] and row["private"]])
        each = 1 if self.authors is None else EXAMPLES
        drawn = [self._parent(place, failed, solved) for place in range(each * self.plan.tasks)]
        families = [drawn[place : place + each] for place in range(0, len(drawn), each)]
        return [tuple({row["id"]: row for row in family if row}.values()) for family in families]

    def _parent(self, place: int, failed: Iterator[Row], solved: Iterator[Row]) -> Row | None:
        """The next parent: of the first n, n * fail_ratio are failed ones, rounded down."""
        is_failed = int((place + 1) * self.fail_ratio + 1e-9) > int(place * self.fail_ratio + 1e-9)
        first, second = (failed, solved) if is_failed else (solved, failed)
        return next(first, None) or next(second, None)


def _drawn_in_turn(rng: Random, rows: Sequence[Row]) -> Iterator[Row]:
    """Yields rows in random order, all of them before any comes again; without end, unless there are none."""
    while rows:
        yield from rng.sample(rows, len(rows))


class TaskPool:
    """The tasks that were made so far, in a folder. Raises ConfigError if they were made with other settings."""

    def __init__(self, out: Path, evolution: Evolution, identity: Row) -> None:
        self.out, self._evolution = out, evolution
        out.mkdir(parents=True, exist_ok=True)
        self._file = RowFile(out / POOL, ROW_KEYS)
        check_identity(out / SETTINGS, identity, self._file)

    @property
    def rows(self) -> list[Row]:
        """All rows, in the order of their numbers."""
        return [self._file.rows[number] for number in sorted(self._file.rows)]

    def missing(self, generation: int) -> list[Birth]:
        """The tasks of a generation that are still to be made; all earlier generations have to be complete."""
        earlier = [row for row in self.rows if row["generation"] < generation]
        births = self._evolution.births(generation, earlier)
        return [birth for birth in births if birth.number not in self._file.rows]

    def parents(self, birth: Birth) -> Parents:
        """The parents of a task as files; none if no model is shown them."""
        if self._evolution.authors is None:
            return NO_PARENTS
        failed = [row for row in birth.parents if row["kept"]]
        solved = [row for row in birth.parents if not row["kept"]]
        return Parents(
            tuple(load_task(self.out / TASKS / f"{row['task']}.json").file for row in failed),
            tuple(load_task(self.out / SOLVED / f"{row['task']}.json").file for row in solved),
        )

    def keep(self, grown: Grown) -> None:
        """Writes the task, if it is kept or solved, and then its row."""
        file, played = grown.made.file, grown.played
        if file is not None and played is not None and (played.is_kept or (played.public and played.private)):
            save_task(file, self.out / (TASKS if played.is_kept else SOLVED))
        self._file.add(grown.row)

    def close(self) -> None:
        """Sorts the file, so that it is the same in whatever order tasks were made."""
        self._file.sort()


class Breeder:
    """Makes and plays the tasks of a pool. models: opened for the author, the judges and the target."""

    def __init__(self, evolution: Evolution, models: ModelPool) -> None:
        self._evolution, self._models = evolution, models

    async def grow(self, birth: Birth, parents: Parents, before_each: Callable[[], None]) -> Grown:
        """Makes a task until it is proved, and plays it and its first proposal. before_each: see `calibrated`."""
        made = await self._make(birth, parents, before_each)
        played = await self._play(made.file, before_each)
        return Grown(birth, made, played, await self._play(made.first, before_each))

    async def _play(self, file: TaskFile | None, before_each: Callable[[], None]) -> Calibration | None:
        evolution = self._evolution
        if file is None:
            return None
        return await calibrated(file, evolution.target, self._models, evolution.plan.seed, before_each)

    async def _make(self, birth: Birth, parents: Parents, before_each: Callable[[], None]) -> MadeTask:
        seed, authors = self._evolution.plan.seed, self._evolution.authors
        if authors is None:
            recipe = TaskRecipe.of(birth.parents[0]["recipe"]) if birth.parents else None
            return drawn_offspring(Random(f"{seed}/{birth.number}"), birth.number, birth.slot, recipe)
        return await asked_task(seed, birth.slot, authors, self._models, before_each, parents)


def grown_alone(evolution: Evolution, birth: Birth) -> Grown:
    """Draws and plays one task in a process of its own, by agents that ask no language model."""
    with closing(ModelPool(ModelSettings())) as models:
        return asyncio.run(Breeder(evolution, models).grow(birth, NO_PARENTS, lambda: None))
