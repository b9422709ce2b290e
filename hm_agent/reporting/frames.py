"""Loads results and traces as pandas data frames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from os import PathLike

import pandas as pd

from hm_agent.config import ConfigError, given_path
from hm_agent.recording import trace
from hm_agent.reporting.csv_records import episode_record
from hm_agent.reporting.notes import unreadable_notes
from hm_agent.reporting.runs import RecordedEpisode, read_runs
from hm_agent.storage.files import RUNS

Where = str | PathLike[str]


def load(out: Where | Sequence[Where] = RUNS, *, count_unanswered: bool = False) -> pd.DataFrame:
    """Loads all episodes from one or several folders of runs, one row per episode.

    Columns: scenario, agent, model, seed, status, steps, `value` in `unit` (what agents are compared by), reward, the
    questions to the model and their cost, `folder`; then each metric as `metrics.NAME` and each setting as
    `settings.FLAG`. count_unanswered: if False, episodes in which more than a fifth of the questions went unanswered
    have the status `no_result: ...`. Warns of results that can't be read, which are left out. Raises ConfigError for a
    folder that does not exist, and for anything else.
    """
    several = out if isinstance(out, Iterable) and not isinstance(out, str | PathLike) else [out]
    folders = [given_path("out", folder, "a folder") for folder in several]
    if not folders:
        raise ConfigError("out=[]: name a folder of results")
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"out={folder}: {'a file; name a folder' if folder.exists() else 'no such folder'}")
    runs = read_runs(folders, counts_unanswered=count_unanswered)
    if unreadable := unreadable_notes(runs):
        warnings.warn(f"left out: {' '.join(unreadable)}", RuntimeWarning, stacklevel=2)
    return frame_of(runs.episodes)


def frame_of(episodes: Iterable[RecordedEpisode]) -> pd.DataFrame:
    """Returns one row per episode, with the columns of `load`."""
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
    """Loads the trace of an episode, one row per step and seat that acted.

    path: `trace.jsonl`, or the episode's folder. Columns are the trace's fields (docs/formats.md); each field of state
    and strategy has its own, e.g. `strategy.words`; lists stay lists. The empty file of an episode without a step
    gives no rows. Raises ConfigError if there is no trace.
    """
    file = given_path("path", path, "a trace")
    file = file / trace.FILE if file.is_dir() else file
    if not file.is_file():
        raise ConfigError(f"{file}: no such trace")
    lines = [line for line in trace.read_trace(file) if "step" in line]
    if not lines and file.stat().st_size:
        raise ConfigError(f"{file}: no trace: no line of it is a step of an episode")
    return pd.json_normalize(lines, max_level=1)
