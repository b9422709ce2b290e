"""Runs an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from importlib.util import find_spec

from hm_agent.config import ConfigError
from hm_agent.engines.engine import Engine, Progress
from hm_agent.engines.folder import occupied
from hm_agent.engines.inline import InlineEngine
from hm_agent.engines.local import LocalEngine
from hm_agent.experiment import Experiment
from hm_agent.models.budget import Account
from hm_agent.recording.result import Result


def check_engine(name: str) -> None:
    """Raises ConfigError where what an engine needs is not installed."""
    if name == "ray" and find_spec("ray") is None:
        raise ConfigError("--engine=ray needs Ray, which is not installed: pip install 'hm_agent[ray]'")


def run(experiment: Experiment, progress: Progress) -> list[Result]:
    """Plays all episodes that are due and leaves their files; check the experiment first.

    Raises KeyboardInterrupt after an interruption, OSError where files can't be written, ConfigError where there is no
    room for them or no cluster that could play; what was played by then stays.
    """
    account = Account(experiment.model.max_calls, experiment.model.max_cost)
    engine = ENGINES[experiment.engine](experiment, len(experiment.due()))
    with occupied(experiment.out, len(experiment.due())):
        due = experiment.due()  # another run may have played some until a moment ago
        with closing(engine.play(due, account, progress)) as results:
            return list(results)


def _local(experiment: Experiment, episodes: int) -> Engine:
    workers = min(experiment.workers, episodes)
    return LocalEngine(workers) if workers > 1 else InlineEngine()


def _ray(experiment: Experiment, episodes: int) -> Engine:
    from hm_agent.engines.cluster import ClusterEngine

    return ClusterEngine(min(experiment.workers, episodes), experiment.ray_address)


ENGINES: Mapping[str, Callable[[Experiment, int], Engine]] = {"local": _local, "ray": _ray}
"""By name; each is made for an experiment and for so many episodes of it."""
