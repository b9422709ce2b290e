"""What the terminal shows of a search."""

from __future__ import annotations

import asyncio
from io import StringIO
from random import Random

from rich.console import Console

from hm_agent.questions import Usage
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES, WeakReader
from hm_agent.worlds.exploretom.search.difficulty import DifficultyMeter
from hm_agent.worlds.exploretom.search.live_table import LiveTable
from hm_agent.worlds.exploretom.search.methods import SearchSettings, StorySearch
from hm_agent.worlds.exploretom.search.plan import SearchPlan, rows_of


def test_table_shows_accuracies_of_found_stories_and_of_searches_under_way() -> None:
    plan = SearchPlan(("a1", "a2"), 2, read_cast(), settings=SearchSettings(evaluations=6))
    first, second = plan.tasks()[0], plan.tasks()[2]
    meter = DifficultyMeter(WeakReader(WEAK_RULES["reality"]))
    console = Console(file=StringIO(), force_terminal=True, width=100)
    searches = {}
    for task in (first, second):
        rng = Random(0)
        searches[task] = StorySearch(plan.sampler(task, rng), meter.measure, rng, plan.settings)
    found = asyncio.run(searches[first].a_star())
    under_way = asyncio.run(searches[second].a_star())
    assert found is not None
    assert under_way is not None
    with LiveTable(console, plan, []) as table:
        table.pulse(second, searches[second], Usage(calls=7, input_tokens=90, cost=0.5))
        table.end(first, rows_of(plan, first, [found]), Usage(calls=2, input_tokens=10, cost=0.25))
        console.print(table.table())
    lines = [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    accuracy, lowest = f"{found.difficulty.accuracy:.3f}", f"{under_way.difficulty.accuracy:.3f}"
    assert ["a1", "1", "of", "2", accuracy, accuracy] in [line[:6] for line in lines]
    assert ["a2", "0", "of", "2", "-", "-", "0", "-", lowest] in lines
    assert "9 calls, 100 tokens in, 0.7500 USD" in console.file.getvalue()  # type: ignore[attr-defined]
