"""Runs an experiment: locks its folder, and plays the episodes that are due here, in workers, or on a cluster."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path

from hm_agent.catalogue.registry import suites
from hm_agent.experiment import Experiment
from hm_agent.models.budget import RunBudget
from hm_agent.models.providers import PROVIDERS
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.pool import Host, LocalHost, Pool
from hm_agent.pool.progress import NoProgress, Progress
from hm_agent.pool.shared_state import SharedState
from hm_agent.pool.worker import InlinePlayer
from hm_agent.process.interruptions import postponing_interruption, told_of_interruptions
from hm_agent.recording.result import Result
from hm_agent.storage.folder_lock import locked
from hm_agent.storage.open_files import allow_files


def run(experiment: Experiment, progress: Progress, budget: RunBudget | None = None) -> list[Result]:
    """Plays all episodes that are due, writes their files and returns their results; call `experiment.check()` first.

    budget: shared by several experiments that are played one after the other; None for one by the model's settings.
    After a result that stops the run, no further episode begins, and none that the rest of the budget can't be expected
    to finish. Raises KeyboardInterrupt after an interruption; the first Ctrl-C lets running episodes end before. Raises
    OSError if files can't be written, ConfigError if the disk has too little space or the cluster can't play. The files
    of episodes that have ended by then stay.
    """
    if experiment.engine == "ray":
        from hm_agent.pool.other_machines import portable

        experiment = portable(experiment)
    with locked(experiment.out, min(experiment.at_once * experiment.workers, experiment.size)):
        grid = experiment.survey()  # within the lock: another run may just have played some of them
        workers = min(experiment.workers, grid.due)
        if not workers:
            return []
        if experiment.engine == "local":
            seats = max(len(scenario.seats) for scenario in experiment.scenarios)
            allow_files(min(experiment.at_once, grid.due), seats if experiment.asks_endpoint else 0)
        budget = budget or RunBudget(experiment.model.max_calls, experiment.model.max_cost)
        # Ctrl-C ends what a person plays at once: the episode would wait for the next answer.
        model, grace = experiment.model, 0.0 if experiment.asks_person else experiment.grace
        due = DueEpisodes(grid.episodes(), budget, progress, grace)
        with (
            closing(SharedState(budget, model.cache, is_offline=model.offline)) as state,
            told_of_interruptions(state.hurry),
            postponing_interruption(due.finish) if grace else nullcontext(),
        ):
            if workers == 1 and experiment.engine == "local":
                return InlinePlayer(experiment.at_once, budget, state.cache, progress).play(due)
            with _host(experiment) as host:
                return Pool(host, workers, experiment.at_once, state, progress, due).play()


def run_aside(experiment: Experiment) -> Result:
    """Plays the one episode of an experiment into a folder that is removed again; raises ConfigError if it can't."""
    with tempfile.TemporaryDirectory(prefix="hm_agent-") as out:
        aside = replace(experiment, out=Path(out))
        aside.check()
        (result,) = run(aside, NoProgress())
    return result


def _host(experiment: Experiment) -> AbstractContextManager[Host]:
    if experiment.engine == "ray":
        from hm_agent.pool.cluster import cluster_host

        return cluster_host(experiment)
    options = experiment.options_by_scenario
    slow = [module for info in experiment.scenarios for module in suites()[info.world].preload(options[info.name])]
    if any(name not in PROVIDERS for name in experiment.model_names):
        slow.append("hm_agent.models.endpoint.openai_chat")
    return nullcontext(LocalHost([*dict.fromkeys(slow)]))
