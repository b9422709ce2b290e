"""Runs searches and tellings side by side in one process, one model call each at a time, and writes what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from functools import partial
from random import Random
from typing import Protocol

from hm_agent.config import ConfigError
from hm_agent.models.providers import ModelPool
from hm_agent.process.job_runner import Job, JobRunner
from hm_agent.questions import Usage
from hm_agent.storage.row_file import Row, RowFile
from hm_agent.worlds.exploretom.infilling import INFILLING_ANSWERS, Infiller
from hm_agent.worlds.exploretom.readers.reading import ANSWERS
from hm_agent.worlds.exploretom.search.difficulty import DifficultyMeter
from hm_agent.worlds.exploretom.search.methods import StorySearch, search_stories
from hm_agent.worlds.exploretom.search.plan import SearchPlan, SearchTask, Writers, rows_of, telling_row
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.story_data import from_data


class SearchProgress(Protocol):
    """Receives the progress of searches."""

    def pulse(self, task: SearchTask, search: StorySearch, usage: Usage) -> None:
        """Called after each evaluation by the reader."""
        ...

    def end(self, task: SearchTask, rows: list[Row], usage: Usage) -> None:
        """Called when the stories of a task, as rows, are written."""
        ...


def search_jobs(plan: SearchPlan, stories: RowFile, models: ModelPool, progress: SearchProgress) -> list[Job]:
    """A job for each task whose stories the file lacks."""
    tasks = (task for task in plan.tasks() if not set(task.names) <= stories.rows.keys())
    return [partial(_search, plan, task, stories, models, progress) for task in tasks]


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
    """A job for each found story that is not told yet."""
    return [partial(_tell, row, told, writers, models, after_each) for row in found if row["id"] not in told.rows]


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
    told.add(told_row := telling_row(row["id"], writers, tellings))
    after_each(told_row)
