"""Runs an experiment: locks its folder, chooses an engine, and plays the episodes that are due."""

from __future__ import annotations

import fcntl
import shutil
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from hm_agent.config import ConfigError
from hm_agent.experiment import ENGINES, Episode, Experiment
from hm_agent.models.budget import RunBudget
from hm_agent.models.providers import PROVIDERS, ModelPool
from hm_agent.playing import crashed, play
from hm_agent.pool.local import LocalEngine
from hm_agent.pool.progress import Heartbeat, Progress
from hm_agent.recording.result import INTERRUPTED, Result

LOCK = ".lock"
EPISODE_BYTES = 10_000_000
"""Disk space to expect for one episode: a trace of 1 to 3 MB, and a video of about the same size."""
RESERVED_BYTES = 50_000_000
"""Disk space that must stay free."""


class Engine(Protocol):
    """Plays episodes, in this process or elsewhere."""

    def play(self, episodes: Sequence[Episode], budget: RunBudget, progress: Progress) -> Generator[Result]:
        """Plays the episodes and yields each result when it is known.

        After a result that stops the run, no further episode begins. Closing the iterator, or an interruption, ends
        the episodes that are being played; what they have written stays.
        """
        ...


class InlineEngine:
    """Plays one episode after the other in this process: fastest for few episodes, and easiest to debug."""

    def play(self, episodes: Sequence[Episode], budget: RunBudget, progress: Progress) -> Generator[Result]:
        if not episodes:
            return
        with closing(ModelPool(episodes[0].experiment.model, budget)) as models:
            for episode in episodes:
                progress.begin(episode)
                result = _play_or_fail(episode, models, progress)
                progress.end(episode, result)
                yield result
                if result.status == INTERRUPTED:
                    raise KeyboardInterrupt
                if result.stops_the_run:
                    return


def _play_or_fail(episode: Episode, models: ModelPool, progress: Progress) -> Result:
    try:
        return play(episode, models, Heartbeat(partial(progress.pulse, episode)))
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - one episode's error must not end the other episodes
        return crashed(episode, traceback.format_exc())


def _local(experiment: Experiment, episodes: int) -> Engine:
    workers = min(experiment.workers, episodes)
    if workers <= 1:
        return InlineEngine()
    slow = [module for suite in experiment.suites for module in suite.preload]
    slow += ["hm_agent.models.openai_chat"] if any(name not in PROVIDERS for name in experiment.model_names) else []
    return LocalEngine(workers, slow)


def _ray(experiment: Experiment, episodes: int) -> Engine:
    from hm_agent.pool.cluster import ClusterEngine

    return ClusterEngine(min(experiment.workers, episodes), experiment.ray_address)


_BUILDERS: Mapping[str, Callable[[Experiment, int], Engine]] = dict(zip(ENGINES, (_local, _ray), strict=True))
"""Makes an engine, by its name, for an experiment and the number of its episodes that are due."""


def run(experiment: Experiment, progress: Progress) -> list[Result]:
    """Plays all episodes that are due and writes their files; call `experiment.check()` first.

    Raises KeyboardInterrupt after an interruption, OSError if files can't be written, ConfigError if the disk has too
    little space or the cluster can't play. The files of episodes that had ended by then stay.
    """
    budget = RunBudget(experiment.model.max_calls, experiment.model.max_cost)
    engine = _BUILDERS[experiment.engine](experiment, len(experiment.due()))
    with locked(experiment.out, len(experiment.due())):
        due = experiment.due()  # another run may have played some of them just before
        with closing(engine.play(due, budget, progress)) as results:
            return list(results)


@contextmanager
def locked(out: Path, episodes: int) -> Iterator[None]:
    """Creates the folder if it is missing, and locks it against other runs; the lock ends with this process.

    Raises ConfigError if another run has the lock or the disk has too little space for the number of episodes,
    OSError if the folder can't be written to.
    """
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"--out={out}: another run is at work there; wait for it, or name another folder"
            ) from None
        free, wanted = shutil.disk_usage(out).free, RESERVED_BYTES + EPISODE_BYTES * episodes
        if free < wanted:
            raise ConfigError(
                f"--out={out}: its disk has {free / 1e6:.0f} MB left, and {episodes} episodes may take "
                f"{wanted / 1e6:.0f} MB: make room, or name a folder on another disk"
            )
        yield
