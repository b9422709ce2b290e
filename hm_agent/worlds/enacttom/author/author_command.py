"""`hm-agent generate enacttom`: its flags, and how tasks are made and stored."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from hm_agent.catalogue.world_command import WorldCommand, asked_models
from hm_agent.config import ConfigError, check_folder
from hm_agent.flags.fields import flag_field, flag_fields
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.process.interruptions import run_interruptibly
from hm_agent.process.job_runner import JobRunner
from hm_agent.process.output import output_console
from hm_agent.storage.folder_lock import locked
from hm_agent.storage.row_file import RowFile, check_identity
from hm_agent.wording import counted
from hm_agent.worlds.enacttom.author.asked_tasks import Authors, asked_task
from hm_agent.worlds.enacttom.author.drafts import CATEGORIES
from hm_agent.worlds.enacttom.author.drawn_tasks import MadeTask, drawn_tasks
from hm_agent.worlds.enacttom.author.task_plan import (
    ANSWERS,
    IDENTITY,
    MOST_TASKS,
    NAME,
    PROPOSALS,
    ROW_KEYS,
    PlannedTask,
    TaskPlan,
    checked_plan,
    report,
    row_of,
)
from hm_agent.worlds.enacttom.tasks.task_files import save_task

JUDGES = 2
USAGE = """Makes household tasks, each with a proof, and says why others were refused.

    hm-agent generate enacttom --tasks=120 --seed=7 --out=sets/seven
    hm-agent generate enacttom --tasks=20 --category=mixed --k_depth=2,3 --agents=4 --out=sets/mixed
    hm-agent generate enacttom --tasks=120 --hard --out=sets/hard
    hm-agent generate enacttom --tasks=5 --model=gpt-4o --judge=gpt-4o,claude-sonnet --out=sets/told
    hm-agent generate enacttom --tasks=40 --evolve_against=order1 --fail_ratio=hard --out=sets/evolved
    hm-agent play --scenarios_dir=sets/seven --scenario='enacttom_own_*' --agent=planner,random

OUT has <category>_k<depth>_<number>.json, a task each, and proposals.jsonl, what became of its proposals. The same
command again goes on where it was cut short; more --tasks add to OUT. A pool that evolves has pool.jsonl in its place,
tasks/ and counts.json; more --generations add to it."""


@dataclass(frozen=True)
class TaskFlags:
    tasks: int = flag_field(12, "How many tasks.", lower=1, upper=MOST_TASKS)
    category: tuple[str, ...] = flag_field(tuple(CATEGORIES), "Categories, with commas; the tasks cycle through them.")
    k_depth: tuple[str, ...] = flag_field(("1", "2", "3"), "K depths from 0 to 3, with commas; likewise.")
    agents: tuple[str, ...] = flag_field(
        ("2", "3", "4"), "Numbers of agents, with commas; likewise, but only those above the K depth."
    )
    seed: int = flag_field(0, "Seed of all random draws; another seed makes another set.", lower=0)
    hard: bool = flag_field(
        False,
        "Make tasks with characters, in pairs, that need an order of mind: --k_depth then is that order, from 1 to 3.",
    )


@dataclass(frozen=True)
class AskingFlags:
    judge: tuple[str, ...] = flag_field(
        (), "One or two models that judge the proposals of --model; --model itself unless said."
    )
    rounds: int = flag_field(4, "How often a model may propose one task.", lower=1)


@dataclass(frozen=True)
class EvolvingFlags:
    evolve_against: str | None = flag_field(
        None,
        "Evolve a pool of tasks that this agent fails, and solves if all secrets are public; --tasks then is the size "
        "of a generation, and category, K depth and agents are those that it begins with.",
    )
    target_model: str = flag_field(BUILTIN, "What answers that agent's questions.")
    fail_ratio: str = flag_field(
        "standard",
        "The share of parents (with --model: examples) that the agent failed: standard (0.8), hard (0.9) or a number.",
    )
    generations: int = flag_field(3, "How many generations follow the first.", lower=1, upper=99)


@dataclass(frozen=True)
class TaskPlace:
    out: Path = flag_field("runs/tasks", "The folder to write to; a set that was begun there is continued.")
    workers: int = flag_field(2, "How many tasks to make at once.", lower=1)


COMMAND = WorldCommand(
    NAME,
    USAGE,
    {
        "What to make": TaskFlags,
        "How a language model makes it": AskingFlags,
        "How a pool evolves": EvolvingFlags,
        "Where": TaskPlace,
    },
    asks="proposes tasks; builtin draws them, without a language model",
)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit status. Raises ConfigError for flags that can't be carried out."""
    if COMMAND.read(arguments) is None:
        return 0
    what, place, model = COMMAND.values(TaskFlags), COMMAND.values(TaskPlace), COMMAND.model()
    plan = checked_plan(what.tasks, what.category, what.k_depth, what.agents, what.seed)
    check_folder("out", place.out)
    evolving = COMMAND.values(EvolvingFlags)
    if evolving.evolve_against is None:
        COMMAND.refuse((each.flag for each in flag_fields(EvolvingFlags)), "without --evolve_against no pool evolves")
    if what.hard:
        return _draw_hard(what, place, model)
    if model.name == BUILTIN:
        COMMAND.refuse((each.flag for each in flag_fields(AskingFlags)), "without --model tasks are drawn")
    authors = None if model.name == BUILTIN else _authors(model.name)
    if evolving.evolve_against is not None:
        return _evolve(plan, evolving, evolving.evolve_against, place, model, authors)
    return _ask_for_tasks(plan, place, model, authors) if authors else _draw_tasks(plan, place)


def _evolve(
    plan: TaskPlan, said: EvolvingFlags, agent: str, place: TaskPlace, model: ModelSettings, authors: Authors | None
) -> int:
    """Evolves a pool; raises ConfigError for a target that can't play, and for another share than one."""
    from hm_agent.worlds.enacttom.author.calibration import Target
    from hm_agent.worlds.enacttom.author.evolve_command import checked_ratio, evolve
    from hm_agent.worlds.enacttom.author.evolving import Evolution

    target = Target(agent, said.target_model)
    target.check()
    evolution = Evolution(plan, target, checked_ratio(said.fail_ratio), authors)
    return evolve(COMMAND, evolution, said.generations, place.out, place.workers, model, output_console())


def _draw_hard(what: TaskFlags, place: TaskPlace, model: ModelSettings) -> int:
    """Makes hard tasks; raises ConfigError for flags that have no effect on them."""
    from hm_agent.worlds.enacttom.author.hard_tasks import checked_slots, make_hard_tasks

    if COMMAND.given(["evolve_against"]):
        raise ConfigError(
            "--hard can't evolve: in hard tasks others' knowledge is part of the task and stays private; leave one out"
        )
    if model.name != BUILTIN or COMMAND.given(["category", "agents"]):
        raise ConfigError(
            "--hard draws tasks without a model, of scenes of its own: leave out --model, --category, --agents"
        )
    slots = checked_slots(what.tasks, what.k_depth)
    return make_hard_tasks(slots, what.seed, place.out, place.workers, output_console())


def _authors(author: str) -> Authors:
    """The models that propose and judge; raises ConfigError for more than two judges."""
    said = COMMAND.values(AskingFlags)
    judges = said.judge or (author,)
    if len(judges) > JUDGES:
        raise ConfigError(f"--judge={','.join(judges)}: name at most {JUDGES} models")
    return Authors(author, (judges[0], judges[-1]), said.rounds)


class TaskFolder:
    """The tasks of a folder and the file of their proposals. identity: the settings that all tasks of the folder share.

    Raises ConfigError if the folder was made with other settings, or holds a task that the file does not list.
    """

    def __init__(self, plan: TaskPlan, out: Path, identity: dict[str, Any]) -> None:
        self.out, self._plan = out, plan
        out.mkdir(parents=True, exist_ok=True)
        self.rows = RowFile(out / PROPOSALS, ROW_KEYS)
        check_identity(out / IDENTITY, identity, self.rows)
        for slot in plan.slots():
            if slot.name not in self.rows.rows and self._path(slot).exists():
                raise ConfigError(
                    f"{self._path(slot)} exists, but {PROPOSALS} does not list it; name another folder with --out"
                )

    def _path(self, slot: PlannedTask) -> Path:
        return self.out / f"{slot.name}.json"

    @property
    def missing(self) -> list[PlannedTask]:
        """The tasks still to be made; those for which no proposal was kept are not tried again."""
        return [slot for slot in self._plan.slots() if not self._is_done(slot)]

    def _is_done(self, slot: PlannedTask) -> bool:
        row = self.rows.rows.get(slot.name)
        return row is not None and (not row["kept"] or self._path(slot).exists())

    def keep(self, made_task: MadeTask) -> None:
        """Writes the row of proposals, then the task; the row is left as it is if the task is made again."""
        if made_task.slot.name not in self.rows.rows:
            self.rows.add(row_of(made_task.slot, made_task.tally))
        if made_task.file is not None:
            save_task(made_task.file, self.out)

    def close(self) -> None:
        """Sorts the file of proposals, so that it is the same in whatever order tasks were made."""
        self.rows.sort()

    def report(self, console: Console) -> int:
        rows = [self.rows.rows[slot.name] for slot in self._plan.slots() if slot.name in self.rows.rows]
        return report(rows, self.out, console, "proposal")


def summary(made_task: MadeTask) -> str:
    """One line on a task: how many of its proposals were kept, and why others were refused."""
    tally = made_task.tally
    refused = ", ".join(f"{why} ({count})" for why, count in sorted(tally.refused.items()))
    return f"{tally.kept} of {counted(tally.proposed, 'proposal')} kept{f'; refused: {refused}' if refused else ''}"


def _draw_tasks(plan: TaskPlan, place: TaskPlace) -> int:
    with locked(place.out):
        folder = TaskFolder(plan, place.out, plan.identity)
        return _store(folder, drawn_tasks(plan.seed, folder.missing, place.workers), plan.tasks)


def _ask_for_tasks(plan: TaskPlan, place: TaskPlace, model: ModelSettings, authors: Authors) -> int:
    identity = {**plan.identity, **asdict(authors), "sampling": model.sampling.recorded()}
    with asked_models(model, place.out / ANSWERS) as models, locked(place.out):
        models.check(dict.fromkeys((authors.author, *authors.judges)))
        folder, console = TaskFolder(plan, place.out, identity), output_console()

        async def ask(slot: PlannedTask, runner: JobRunner) -> None:
            made_task = await asked_task(plan.seed, slot, authors, models, runner.check)
            folder.keep(made_task)
            console.out(f"{slot.name}: {summary(made_task)}", highlight=False)

        jobs = [partial(ask, slot) for slot in folder.missing]
        return _made(folder, console, lambda: run_interruptibly(lambda: JobRunner(place.workers).do(jobs)))


def _store(folder: TaskFolder, made_tasks: Generator[MadeTask], total: int) -> int:
    """Stores tasks as they are made, with a progress bar; returns the exit status."""
    console = output_console()

    def store() -> None:
        with (
            closing(made_tasks),
            Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
        ):
            bar = progress.add_task("tasks", total=total, completed=total - len(folder.missing))
            for made_task in made_tasks:
                folder.keep(made_task)
                progress.advance(bar)

    return _made(folder, console, store)


def _made(folder: TaskFolder, console: Console, make: Callable[[], None]) -> int:
    """Makes the tasks of a folder and reports on them; returns the exit status, also of what was stopped."""

    def act() -> int:
        try:
            make()
        finally:
            folder.close()
        return folder.report(console)

    return COMMAND.until_stopped(act, f"what was made is in {folder.out}")
