"""Runs an experiment: locks its folder, and plays the episodes that are due here, in workers, or on a cluster."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.budget import RunBudget
from hm_agent.models.providers import PROVIDERS
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.pool import Host, LocalHost, Pool
from hm_agent.pool.progress import Progress
from hm_agent.pool.shared_state import SharedState
from hm_agent.pool.worker import InlinePlayer
from hm_agent.process.interruptions import postponing_interruption, told_of_interruptions
from hm_agent.recording.result import Result
from hm_agent.registry import suites

LOCK = ".lock"
EPISODE_BYTES = 10_000_000
"""Disk space to expect for one episode: a trace of 1 to 3 MB, and a video of about the same size."""
RESERVED_BYTES = 50_000_000
"""Disk space that must stay free."""


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
        budget = budget or RunBudget(experiment.model.max_calls, experiment.model.max_cost)
        model, grace = experiment.model, experiment.grace
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


def _host(experiment: Experiment) -> AbstractContextManager[Host]:
    if experiment.engine == "ray":
        from hm_agent.pool.cluster import cluster_host

        return cluster_host(experiment)
    options = experiment.options_by_scenario
    slow = [module for info in experiment.scenarios for module in suites()[info.world].preload(options[info.name])]
    if any(name not in PROVIDERS for name in experiment.model_names):
        slow.append("hm_agent.models.endpoint.openai_chat")
    return nullcontext(LocalHost([*dict.fromkeys(slow)]))


@contextmanager
def locked(out: Path, at_once: int) -> Iterator[None]:
    """Locks a folder, created if missing, against other runs; the lock ends with this process at the latest.

    at_once: how many episodes are played at the same time. Raises ConfigError if another run has the lock or if the
    disk has too little space for them, OSError if the folder can't be written to.
    """
    out.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(out / LOCK, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ConfigError(f"--out={out}: {LOCK} in it is no file; remove it, or name another folder")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"--out={out}: another run is at work there; wait for it, or name another folder"
            ) from None
        free, needed = shutil.disk_usage(out).free, RESERVED_BYTES + EPISODE_BYTES * at_once
        if free < needed:
            raise ConfigError(
                f"--out={out}: its disk has {free / 1e6:.0f} MB left, and {at_once} episodes at once may take "
                f"{needed / 1e6:.0f} MB: make room, or name a folder on another disk"
            )
        yield
    finally:
        os.close(descriptor)
