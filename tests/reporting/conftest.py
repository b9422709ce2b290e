"""A small grid, really played: two games, an agent in two settings, ceiling and floor, in two folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent import registry
from hm_agent.experiment import Experiment
from hm_agent.extensions import ADDED, load_place
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_report
from hm_agent.theory_of_mind.hypotheses import Hyperparameters, Parameters

SCENARIOS = registry.find_scenarios(["rws_repeated_6", "pd_repeated_5"])
AGENTS = ("hypothetical_minds", "oracle", "random")


@pytest.fixture
def delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more world, in which less is better."""
    monkeypatch.setitem(ADDED.worlds, "delivery", load_place("tests.reporting.examples:SUITE"))


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> tuple[Path, Path]:
    """Two folders of runs: `first` with all agents, `second` with the agent in another setting."""
    out = tmp_path_factory.mktemp("grid runs")  # a blank in a name must not break a link
    folders = out / "first", out / "second"
    first = Experiment(SCENARIOS, AGENTS, episodes=3, out=folders[0], max_steps=300, options={"bots": "scripted"})
    run(first, silence)
    lenient = Parameters(by_prediction=Hyperparameters(threshold=0.5))
    run(replace(first, agents=AGENTS[:1], out=folders[1], parameters=lenient), silence)
    return folders


@pytest.fixture(scope="session")
def ablated(tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> tuple[Path, Path]:
    """Two folders of runs that differ in an option that changes agents alone; references are in the first only."""
    out = tmp_path_factory.mktemp("ablated")
    folders = out / "exact", out / "model"
    first = Experiment(
        SCENARIOS,
        ("hypothetical_minds", "vmp", "oracle", "random"),
        episodes=2,
        out=folders[0],
        max_steps=150,
        record_replay=False,
        options={"bots": "scripted", "inference": "exact"},
    )
    run(first, silence)
    other = {"bots": "scripted", "inference": "model"}
    run(replace(first, agents=first.agents[:2], out=folders[1], options=other), silence)
    return folders


@pytest.fixture(scope="session")
def report(grid: tuple[Path, Path]) -> Path:
    """The folder of the report on both."""
    return write_report(read_runs(grid), grid[0] / "report").parent
