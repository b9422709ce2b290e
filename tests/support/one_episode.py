"""Plays an experiment of one episode for tests."""

from __future__ import annotations

from hm_agent.experiment import Experiment
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.recording.result import Result
from hm_agent.reporting.runs import read_runs


def result_of(experiment: Experiment, progress: Progress) -> Result:
    """Checks and plays the experiment; its result, even if the model became unavailable."""
    experiment.check()
    run(experiment, progress)
    (result,) = read_runs((experiment.out,)).results
    return result
