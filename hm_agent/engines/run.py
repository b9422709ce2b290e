"""Runs an experiment."""

from __future__ import annotations

from contextlib import closing

from hm_agent.engines.engine import Engine, Progress
from hm_agent.engines.folder import occupied
from hm_agent.engines.inline import InlineEngine
from hm_agent.engines.local import LocalEngine
from hm_agent.experiment import Experiment
from hm_agent.models.ledger import Account
from hm_agent.recording.result import Result


def run(experiment: Experiment, progress: Progress) -> list[Result]:
    """Plays all episodes that are due and leaves their files; check the experiment first.

    Raises KeyboardInterrupt after an interruption, OSError where files can't be written, ConfigError where there is no
    room for them; what was played by then stays.
    """
    account = Account(experiment.model.max_calls, experiment.model.max_cost)
    with occupied(experiment.out, len(experiment.due())):
        due = experiment.due()  # another run may have played some until a moment ago
        with closing(_engine(experiment, len(due)).play(due, account, progress)) as results:
            return list(results)


def _engine(experiment: Experiment, episodes: int) -> Engine:
    workers = min(experiment.workers, episodes)
    return LocalEngine(workers) if workers > 1 else InlineEngine()
