"""Results and traces as data frames of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

import pandas as pd

from hm_agent.config import ConfigError
from hm_agent.recording import trace
from hm_agent.reporting.runs import RecordedEpisode, read_runs
from hm_agent.reporting.writing import episode_record

Where = str | PathLike[str]


def load(out: Where | Sequence[Where] = "runs", *, count_unanswered: bool = False) -> pd.DataFrame:
    """All episodes in one or several folders of runs, one row an episode.

    Columns: scenario, agent, model, seed, status, steps, `value` in `unit` (what agents are compared by), reward, what
    the model was asked and cost, `folder`; then each metric as `metrics.NAME` and each setting as `settings.FLAG`.
    count_unanswered: False to give episodes the status `no_result: ...` in which more than a fifth of the questions
    went unanswered. Raises ConfigError for a folder that is not there.
    """
    folders = [Path(folder) for folder in ([out] if isinstance(out, str | PathLike) else out)]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"out={folder}: no such folder")
    return frame_of(read_runs(folders, counts_unanswered=count_unanswered).episodes)


def frame_of(episodes: Iterable[RecordedEpisode]) -> pd.DataFrame:
    """The same of some episodes."""
    return pd.DataFrame(
        {
            "world": episode.result.world,
            **episode_record(episode),
            **{f"metrics.{name}": value for name, value in episode.result.metrics.items()},
            **{f"settings.{name}": value for name, value in episode.result.settings.items()},
        }
        for episode in episodes
    )


def load_trace(path: Where) -> pd.DataFrame:
    """The trace of an episode, one row for every step and seat that acted.

    path: `trace.jsonl`, or the episode's folder. Columns are the trace's fields (docs/formats.md), those of state and
    strategy each for itself, e.g. `strategy.words`; lists stay lists. Raises ConfigError if there is no trace.
    """
    file = Path(path) / trace.FILE if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise ConfigError(f"{file}: no such trace")
    return pd.json_normalize(list(trace.read_trace(file)), max_level=1)
