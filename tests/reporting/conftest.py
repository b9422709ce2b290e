"""A small grid, really played: two games, an agent in two settings, ceiling and floor, in two folders."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.extensions import ADDED, load_place
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import PAGE, write_report
from hm_agent.theory_of_mind.hypotheses import Parameters
from tests.reporting.examples import leave, result, settings

SCENARIOS = find_scenarios(["rws_repeated_6", "pd_repeated_5"])
AGENTS = ("hypothetical_minds", "oracle", "random")


@pytest.fixture
def delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more world, in which less is better."""
    monkeypatch.setitem(ADDED.worlds, "delivery", load_place("tests.reporting.examples:SUITE"))


@contextmanager
def one_worker_in(folder: Path) -> Iterator[None]:
    """Keeps pytest's other worker processes out of a folder."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> tuple[Path, Path]:
    """Two folders of runs: `first` with all agents, `second` with the agent in another setting.

    All of pytest's worker processes share them: what one has played, the next one finds.
    """
    own = tmp_path_factory.getbasetemp()
    out = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "grid runs"  # a blank must not break a link
    out.mkdir(exist_ok=True)
    first = Experiment(SCENARIOS, AGENTS, episodes=3, out=out / "first", max_steps=220, options={"bots": "scripted"})
    second = replace(first, agents=AGENTS[:1], out=out / "second", parameters=Parameters(threshold=0.5))
    with one_worker_in(out):
        run(first, silence)
        run(second, silence)
    return first.out, second.out


@pytest.fixture
def ablated(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of results that differ in an option that changes agents alone; references are in the first only."""
    earned = {"hypothetical_minds": (20.0, 31.0), "vmp": (17.0, 9.0), "oracle": (60.0, 60.0), "random": (0.0, 0.0)}
    folders = tmp_path / "exact", tmp_path / "model"
    for (place, folder), scenario, agent, seed in product(enumerate(folders), SCENARIOS, earned, range(2)):
        if place == 0 or agent not in ("oracle", "random"):
            reward = earned[agent][seed] + 3 * place * (seed + len(scenario.name) % 2)
            changes = {"scenario": scenario.name, "settings": settings(inference=folder.name)}
            leave(folder, result(agent, reward, seed, **changes))
    return folders


@pytest.fixture(scope="session")
def report(grid: tuple[Path, Path]) -> Path:
    """The folder of the report on both."""
    into = grid[0] / "report"
    with one_worker_in(grid[0].parent):
        return into if (into / PAGE).exists() else write_report(read_runs(grid), into).parent
