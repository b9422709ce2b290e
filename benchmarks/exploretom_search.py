"""ExploreToM's search: A* against over-generation and random search at equal cost, its lookahead, and an endpoint.

Environment variables, lists with commas: READERS are weak readers, or models such as local:smollm2, whose answers are
cached in runs/bench/search-answers.sqlite. METHODS are the methods compared. STORIES is the number of stories a cell,
EVALUATIONS the most evaluations a story, SETS the action sets (globs), CELLS the number of settings for each, PARTS
what is measured: lookahead, endpoint, readers. FIGURE is a file for a picture of the progress of the searches.
"""

from __future__ import annotations

import asyncio
import heapq
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.search_figure import Curve, search_figure
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.process.job_runner import JobRunner
from hm_agent.questions import Usage
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.statistics import ClusteredMean, clustered_mean
from hm_agent.storage.files import write_whole
from hm_agent.storage.row_file import Row, RowFile
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES, ModelReader, WeakReader
from hm_agent.worlds.exploretom.readers.reading import ANSWERS
from hm_agent.worlds.exploretom.search.difficulty import DifficultyMeter
from hm_agent.worlds.exploretom.search.methods import FoundStory, SearchSettings, StorySearch, search_stories
from hm_agent.worlds.exploretom.search.plan import SearchPlan, SearchTask
from hm_agent.worlds.exploretom.search.running import search_jobs

READERS = os.environ.get("READERS", "reality,last_mention,first_order,no_distraction").split(",")
STORIES = int(os.environ.get("STORIES", "4"))
EVALUATIONS = int(os.environ.get("EVALUATIONS", "50"))
SETS = os.environ.get("SETS", "all").split(",")
PARTS = os.environ.get("PARTS", "lookahead,endpoint,readers").split(",")
CELLS = ((2, 2), (3, 3), (4, 4))[: int(os.environ.get("CELLS", "3"))]
"""(people, important actions) of the stories of each action set."""
FIGURE = os.environ.get("FIGURE")
CACHE = Path("runs/bench/search-answers.sqlite")
ONE = "one random story"
NAMES = {"a_star": "A*", "random": "random search", "over_generation": "over-generation"}
COMPARED = os.environ.get("METHODS", ",".join((*NAMES, ONE))).split(",")
DELAY, AT_ONCE, ENDPOINT_STORIES, ENDPOINT_EVALUATIONS = 0.2, 16, 32, 12
LOOKAHEAD_TARGET = 5.0
"""Milliseconds for 50 completions."""


@dataclass
class Outcomes:
    """The stories that one method found. accuracies: on them, by cell.

    fresh: the same with new answers of the model, under another seed; equal for weak readers. curves: for each search,
    the accuracy on its hardest story so far, after each evaluation.
    """

    accuracies: dict[str, list[float]] = field(default_factory=dict)
    fresh: dict[str, list[float]] = field(default_factory=dict)
    actions: list[int] = field(default_factory=list)
    curves: list[list[float]] = field(default_factory=list)
    questions: int = 0
    seconds: float = 0.0

    def add(self, cell: str, story: FoundStory, fresh: float) -> None:
        self.accuracies.setdefault(cell, []).append(story.difficulty.accuracy)
        self.fresh.setdefault(cell, []).append(fresh)
        self.actions.append(len(story.script.actions))

    @property
    def curve(self) -> list[float]:
        """The mean curve of all searches; a search that ended early keeps its last value."""
        padded = [[*curve, *[curve[-1]] * (EVALUATIONS - len(curve))] for curve in self.curves]
        return [sum(values) / len(values) for values in zip(*padded, strict=True)]


def mean(by_cell: Mapping[str, Sequence[float]]) -> float:
    """The mean of the cells' means."""
    means = [sum(values) / len(values) for values in by_cell.values()]
    return sum(means) / len(means)


def orders_of(reader: str) -> tuple[int, ...]:
    """The orders of the questions: the second for the reader that errs in no other, else the first, as in the paper."""
    return (2,) if reader == "first_order" else (1,)


def sets_of(reader: str) -> tuple[str, ...]:
    """The action sets in which the reader makes errors at all."""
    names = find_action_sets(SETS)
    return tuple(name for name in names if reader != "no_distraction" or ACTION_SETS[name].is_asymmetric)


async def compare(reader: str, models: ModelPool) -> dict[str, Outcomes]:
    """Searches stories by each method, for each action set and cell; returns the outcomes by name of the method."""
    by_method = {name: Outcomes() for name in COMPARED}
    for name in sets_of(reader):
        for people, important in CELLS:
            plan = SearchPlan((name,), STORIES, read_cast(), people=(people,), important=(important,))
            cell = f"{name}, {people} people, {important} important actions"
            for method, outcomes in by_method.items():
                tasks = plan.tasks()
                whole = [replace(tasks[0], numbers=tuple(range(STORIES)))] if method == "over_generation" else tasks
                for task in whole:
                    await _find(reader, plan, task, method, cell, outcomes, models)
    return by_method


async def _find(
    reader: str, plan: SearchPlan, task: SearchTask, method: str, cell: str, outcomes: Outcomes, models: ModelPool
) -> None:
    settings = SearchSettings(evaluations=1 if method == ONE else EVALUATIONS)
    async with AsyncExitStack() as stack:

        async def meter(seed: int) -> DifficultyMeter:
            if reader in WEAK_RULES:
                return DifficultyMeter(WeakReader(WEAK_RULES[reader]), orders_of(reader))
            model = await stack.enter_async_context(models.model(reader, seed, ANSWERS))
            return DifficultyMeter(ModelReader(model), orders_of(reader))

        rng, begun = Random(f"{cell}/{task.names[0]}"), time.process_time()
        curve: list[float] = []

        def note() -> None:
            curve.append(search.best.difficulty.accuracy if search.best else 1.0)

        search = StorySearch(plan.sampler(task, rng), (await meter(task.seed)).measure, rng, settings, note)
        stories = await search_stories("random" if method == ONE else method, search, len(task.numbers))
        outcomes.seconds += time.process_time() - begun
        outcomes.questions += search.questions
        outcomes.curves.append(curve or [1.0])
        again = await meter(task.seed + 1)
        for story in stories:
            fresh = (await again.measure(story.script, story.tracker)).accuracy
            outcomes.add(cell, story, fresh)
    if sys.stderr.isatty():  # in a file, every line would stay
        print(f"\r{reader} {cell} {method:<20}", end="", file=sys.stderr)


def show(reader: str, by_method: Mapping[str, Outcomes]) -> None:
    """Prints a table of the methods for one reader, with the difference of A* from each."""
    cells = len(next(iter(by_method.values())).accuracies)
    print(f"\n{reader}, {STORIES} stories in each of {cells} cells, {EVALUATIONS} evaluations each")
    print("| method | accuracy | asked anew | questions a story | actions | CPU s a story | A* minus it |")
    print("| --- " * 7 + "|")
    for method, outcomes in by_method.items():
        number = len(outcomes.actions)
        star = by_method.get("a_star")
        difference = _words(_difference(star, outcomes)) if star and star is not outcomes else ""
        print(
            f"| {NAMES.get(method, method)} | {mean(outcomes.accuracies):.3f} | {mean(outcomes.fresh):.3f} "
            f"| {outcomes.questions / number:.0f} | {sum(outcomes.actions) / number:.1f} "
            f"| {outcomes.seconds / number:.2f} "
            f"| {difference} |"
        )


def _difference(first: Outcomes, second: Outcomes) -> ClusteredMean | None:
    """The difference of the mean fresh accuracies, with an interval over cells."""
    pairs = {
        cell: [sum(values) / len(values) - sum(second.fresh[cell]) / len(second.fresh[cell])]
        for cell, values in first.fresh.items()
    }
    return clustered_mean(pairs)


def _words(difference: ClusteredMean | None) -> str:
    if difference is None or difference.interval is None:
        return "-"
    low, high = difference.interval
    return f"{difference.mean:+.3f} ({low:+.3f} to {high:+.3f})"


# The lookahead


def lookahead() -> None:
    """Measures the CPU time of the lookahead on beginnings of 3 to 12 random actions of all action sets."""
    times: list[float] = []
    settings, meter = SearchSettings(), DifficultyMeter(WeakReader(WEAK_RULES["reality"]))
    for name in ACTION_SETS:
        plan = SearchPlan((name,), 9, read_cast())
        for task in plan.tasks():
            rng = Random(f"lookahead/{task.names[0]}")
            sampler = plan.sampler(task, rng)
            search = StorySearch(sampler, meter.measure, rng, settings)
            for actions in (3, 6, 9, 12):
                draft = sampler.begin()
                while len(draft.actions) < actions and not sampler.is_met(draft) and sampler.add(draft, rng):
                    pass
                if not sampler.is_met(draft) and sampler.can_be_met(draft):
                    begun = time.process_time()
                    search.share_met(draft)
                    times.append(1000 * (time.process_time() - begun))
    times.sort()
    print(f"\nLookahead of {settings.completions} completions, {len(times)} beginnings, CPU ms, target at most 5:")
    within = sum(milliseconds <= LOOKAHEAD_TARGET for milliseconds in times) / len(times)
    print(
        f"median {times[len(times) // 2]:.1f}, mean {sum(times) / len(times):.1f}, "
        f"95% {times[len(times) * 95 // 100]:.1f}, most {times[-1]:.1f}; {within:.0%} within it"
    )


# An endpoint


class CallCounts:
    """A progress display that shows nothing and keeps the number of calls that each story took."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}

    def pulse(self, task: SearchTask, search: StorySearch, usage: Usage) -> None:
        """Shows nothing."""

    def end(self, task: SearchTask, rows: list[Row], usage: Usage) -> None:
        self.calls[task.names[0]] = usage.calls


def needed(calls: Sequence[int], at_once: int) -> float:
    """Seconds that stories with these numbers of calls take by their delays alone, in order, `at_once` at a time."""
    free = [0.0] * at_once
    for number in calls:
        heapq.heapreplace(free, free[0] + number * DELAY)
    return max(free)


def endpoint() -> None:
    """Searches stories with an endpoint in a process of its own, and compares the time with the delays alone."""
    import_module("hm_agent.models.endpoint.openai_chat")  # takes a second, once
    command = [sys.executable, "-m", "tests.support.exploretom.story_endpoint", str(DELAY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        with closing(server.stdin), TemporaryDirectory() as folder:
            url = server.stdout.readline().strip()
            settings = ModelSettings("loopback", base_url=url, cache=Path(folder) / "answers.sqlite")
            plan = SearchPlan(
                ("a3", "a6_asymmetric"),
                ENDPOINT_STORIES // 2,
                read_cast(),
                settings,
                settings=SearchSettings(evaluations=ENDPOINT_EVALUATIONS),
            )
            with closing(ModelPool(settings)) as models:
                counts, stories = CallCounts(), RowFile(Path(folder) / "stories.jsonl")
                begun, used = time.monotonic(), time.process_time()
                asyncio.run(JobRunner(AT_ONCE).do(search_jobs(plan, stories, models, counts)))
                seconds, used = time.monotonic() - begun, time.process_time() - used
    in_order = [counts.calls[task.names[0]] for task in plan.tasks()]
    ideal = needed(in_order, AT_ONCE)
    print(
        f"\nEndpoint of {DELAY:g} s an answer, {ENDPOINT_STORIES} stories, {AT_ONCE} at a time, {sum(in_order)} calls:"
    )
    print(f"{seconds:.1f} s; its round trips need {ideal:.1f} s, so {seconds / ideal - 1:+.1%} (target at most +10%)")
    print(f"CPU time {used:.1f} s, {1000 * used / sum(in_order):.1f} ms a call")


def readers() -> None:
    """Compares the methods for each reader."""
    curves: dict[str, dict[str, Curve]] = {}
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with closing(ModelPool(ModelSettings(cache=CACHE))) as models:
        for reader in READERS:
            if reader not in WEAK_RULES:
                models.check([reader])
            by_method = asyncio.run(compare(reader, models))
            show(reader, by_method)
            curves[reader] = {NAMES.get(name, name): _line(name, outcomes) for name, outcomes in by_method.items()}
    if FIGURE:
        write_whole(Path(FIGURE), search_figure(curves, FigureFiles()))


def _line(method: str, outcomes: Outcomes) -> Curve:
    """The mean curve of a method that searches for each story; for the others, a single value."""
    return outcomes.curve if method in ("a_star", "random") else [mean(outcomes.accuracies)]


def main() -> None:
    for name, measure in (("lookahead", lookahead), ("endpoint", endpoint), ("readers", readers)):
        if name in PARTS:
            measure()
