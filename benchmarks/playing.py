"""Plays experiments that a benchmark tabulates."""

from __future__ import annotations

from rich.console import Console

from hm_agent.experiment import Experiment
from hm_agent.pool.console_progress import ConsoleProgress
from hm_agent.pool.run import run
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.tables import Row, tabulate


def rows_of(experiment: Experiment) -> list[Row]:
    """Plays what is missing of an experiment, and tabulates its folder."""
    with ConsoleProgress(Console(stderr=True), experiment.size) as progress:
        run(experiment, progress)
    return tabulate(read_runs([experiment.out]).results)
