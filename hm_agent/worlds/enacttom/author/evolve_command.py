"""`hm-agent generate enacttom --evolve_against=AGENT`: makes the generations of a pool that its folder lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from functools import partial
from pathlib import Path

from rich.console import Console

from hm_agent.catalogue.world_command import WorldCommand, asked_models
from hm_agent.config import ConfigError
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.process.exit_status import FAILED
from hm_agent.process.interruptions import run_interruptibly
from hm_agent.process.job_runner import JobRunner
from hm_agent.process.workers import calls_in_workers
from hm_agent.storage.files import write_whole
from hm_agent.storage.folder_lock import locked
from hm_agent.wording import percent
from hm_agent.worlds.enacttom.author.evolution_counts import (
    ablation_table,
    as_content,
    generation_counts,
    generation_table,
)
from hm_agent.worlds.enacttom.author.evolving import TASKS, Birth, Breeder, Evolution, Grown, TaskPool, grown_alone
from hm_agent.worlds.enacttom.author.task_plan import ANSWERS

COUNTS = "counts.json"
FAIL_RATIOS = {"standard": 0.8, "hard": 0.9}
"""The paper's sets by name (section 5)."""


def checked_ratio(text: str) -> float:
    """The share that --fail_ratio says, by name or as a number; raises ConfigError for any other text."""
    try:
        ratio = FAIL_RATIOS[text] if text in FAIL_RATIOS else float(text)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio <= 1:
        raise ConfigError(f"--fail_ratio={text}: say {' or '.join(FAIL_RATIOS)}, or a number from 0 to 1")
    return ratio


def evolve(
    command: WorldCommand,
    evolution: Evolution,
    generations: int,
    out: Path,
    workers: int,
    settings: ModelSettings,
    console: Console,
) -> int:
    """Makes the first generation and as many more as are said, prints the counts, and returns the exit status.

    command: which says what stops it. settings: of the author's model, and of all others but for their names.
    """
    authors = evolution.authors
    asked = dict.fromkeys([evolution.target.model, *((authors.author, *authors.judges) if authors else ())])
    is_remote = any(model != BUILTIN for model in asked)
    identity = {**evolution.identity, **({"sampling": settings.sampling.recorded()} if is_remote else {})}
    with asked_models(settings, out / ANSWERS if is_remote else None) as models:
        _check(models, evolution)
        with locked(out), closing(TaskPool(out, evolution, identity)) as pool:
            if workers > 1 and not is_remote:
                make: Callable[[Sequence[Birth]], None] = partial(_make_in_workers, evolution, pool, workers)
            else:
                make = partial(_make_here, Breeder(evolution, models), pool, workers)

            def act() -> int:
                for generation in range(generations + 1):
                    make(pool.missing(generation))
                    console.out(_summary(pool, generation), highlight=False)
                return _report(command, pool, console)

            return command.until_stopped(act, f"what was made is in {out}")


def _check(models: ModelPool, evolution: Evolution) -> None:
    """Raises ConfigError for a model that can't be asked, and names the flag that it comes from."""
    if authors := evolution.authors:
        models.check(dict.fromkeys((authors.author, *authors.judges)))
    try:
        models.check([evolution.target.model])
    except ConfigError as error:
        raise ConfigError(str(error).replace("--model=", "--target_model=", 1)) from None


def _make_here(breeder: Breeder, pool: TaskPool, workers: int, births: Sequence[Birth]) -> None:
    """Makes tasks in this process, as many at once as there are workers."""

    async def grow(birth: Birth, runner: JobRunner) -> None:
        pool.keep(await breeder.grow(birth, pool.parents(birth), runner.check))

    run_interruptibly(lambda: JobRunner(workers).do([partial(grow, birth) for birth in births]))


def _make_in_workers(evolution: Evolution, pool: TaskPool, workers: int, births: Sequence[Birth]) -> None:
    """Makes tasks in processes of their own, of drawn tasks and agents that ask no language model."""
    if not births:
        return
    with calls_in_workers(workers, grown_alone, ((evolution, birth) for birth in births)) as calls:
        for call in as_completed(calls):
            grown: Grown = call.result()
            pool.keep(grown)


def _summary(pool: TaskPool, generation: int) -> str:
    counts = generation_counts(pool.rows)[generation]
    return (
        f"generation {generation}: {counts.proved} proved, the target fails {percent(counts.target_fails)} of the "
        f"{counts.public_success} that it solves with all secrets public"
    )


def _report(command: WorldCommand, pool: TaskPool, console: Console) -> int:
    """Prints both tables and writes them; FAILED if the pool has no task."""
    rows = pool.rows
    write_whole(pool.out / COUNTS, json.dumps(as_content(rows), indent=1) + "\n")
    console.print(generation_table(rows))
    console.print(ablation_table(rows))
    console.out(f"Tasks: {pool.out / TASKS}", highlight=False)
    if any(row["kept"] for row in rows):
        return 0
    return command.complain("no task was kept: the target fails none that it solves with all secrets public", FAILED)
