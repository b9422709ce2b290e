"""Runs searches and tellings side by side in one process, each with one call under way, and keeps what they make."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from random import Random
from typing import Protocol

from hm_agent.config import ConfigError
from hm_agent.models.providers import ModelPool
from hm_agent.questions import Usage
from hm_agent.worlds.exploretom.beliefs import StoryError
from hm_agent.worlds.exploretom.infilling import INFILLING_ANSWERS, Infiller
from hm_agent.worlds.exploretom.language import from_data
from hm_agent.worlds.exploretom.reading import ANSWERS
from hm_agent.worlds.exploretom.search.difficulty import DifficultyMeter
from hm_agent.worlds.exploretom.search.methods import StorySearch, search_stories
from hm_agent.worlds.exploretom.search.plan import Row, SearchPlan, SearchTask, Writers, rows_of, telling_row
from hm_agent.worlds.exploretom.search.row_file import RowFile


class _Stopped(Exception):
    """Another job failed, so this one ends before its next call."""


Job = Callable[["JobRunner"], Awaitable[None]]
"""One piece of work; it calls `JobRunner.check` before each call that costs."""


class JobRunner:
    """Does jobs, at most `size` at a time.

    After the first failure no job begins, and those under way end before their next call, so that no answer under way
    is lost.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._failure: BaseException | None = None

    def check(self) -> None:
        """Raises an exception that ends a job if another one failed."""
        if self._failure is not None:
            raise _Stopped

    async def do(self, jobs: Iterable[Job]) -> None:
        """Does all jobs; raises the first failure once none is under way."""
        waiting = deque(jobs)
        await asyncio.gather(*(self._work(waiting) for _ in range(min(self._size, len(waiting)))))
        if self._failure is not None:
            raise self._failure

    async def _work(self, waiting: deque[Job]) -> None:
        while waiting and self._failure is None:
            await self._do_one(waiting.popleft())

    async def _do_one(self, job: Job) -> None:
        try:
            await job(self)
        except _Stopped:
            return
        except Exception as failure:  # noqa: BLE001 - it is raised again when the others have ended
            self._failure = self._failure or failure


class SearchProgress(Protocol):
    """Is told how far searches are."""

    def pulse(self, task: SearchTask, search: StorySearch, usage: Usage) -> None:
        """After each story, or beginning of one, that was put to the reader."""
        ...

    def end(self, task: SearchTask, rows: list[Row], usage: Usage) -> None:
        """When the stories of a task, as rows, are kept."""
        ...


def search_jobs(plan: SearchPlan, stories: RowFile, models: ModelPool, progress: SearchProgress) -> list[Job]:
    """A job for each task whose stories the file lacks."""

    def job(task: SearchTask) -> Job:
        return lambda runner: _search(plan, task, stories, models, progress, runner)

    return [job(task) for task in plan.tasks() if not set(task.names) <= stories.rows.keys()]


async def _search(
    plan: SearchPlan, task: SearchTask, stories: RowFile, models: ModelPool, progress: SearchProgress, runner: JobRunner
) -> None:
    rng = Random(f"{plan.seed}/{task.names[0]}")
    async with AsyncExitStack() as stack:
        model = None
        if plan.asks_model:
            model = await stack.enter_async_context(models.model(plan.model.name, task.seed, ANSWERS))
        meter = DifficultyMeter(plan.reader_for(model), plan.orders, runner.check)
        search = StorySearch(
            plan.sampler(task, rng),
            meter.measure,
            rng,
            plan.settings,
            after_each=lambda: progress.pulse(task, search, meter.reader.usage),
        )
        rows = rows_of(plan, task, await search_stories(plan.method, search, len(task.numbers)))
    for row in rows:
        if row["id"] not in stories.rows:
            stories.add(row)
    progress.end(task, rows, meter.reader.usage)


def telling_jobs(
    found: Iterable[Row], told: RowFile, writers: Writers, models: ModelPool, after_each: Callable[[Row], None]
) -> list[Job]:
    """A job for each story that was found and is not told yet."""

    def job(row: Row) -> Job:
        return lambda runner: _tell(row, told, writers, models, after_each, runner)

    return [job(row) for row in found if row["id"] not in told.rows]


async def _tell(
    row: Row, told: RowFile, writers: Writers, models: ModelPool, after_each: Callable[[Row], None], runner: JobRunner
) -> None:
    try:
        script, seed = from_data(row["story"]), row["seed"]
    except StoryError as error:
        raise ConfigError(f"the story {row['id']} can't be told: {error}") from error
    async with AsyncExitStack() as stack:
        teller = await stack.enter_async_context(models.model(writers.teller, seed, INFILLING_ANSWERS))
        judge = await stack.enter_async_context(models.model(writers.judge, seed, INFILLING_ANSWERS))
        tellings = await Infiller(teller, judge, Random(f"{seed}/{row['id']}"), runner.check).tell(script)
    told.add(made := telling_row(row["id"], writers, tellings))
    after_each(made)
