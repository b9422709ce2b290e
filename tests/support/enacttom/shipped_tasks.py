"""Some of the shipped tasks, for tests that would take too long over all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hm_agent.worlds.enacttom.scenarios import task_files

HAND_MADE = ("enacttom_appendix_e", "enacttom_far_handle", "enacttom_one_window", "enacttom_relay_of_three")


def hand_made_files() -> Mapping[str, Path]:
    """Returns the tasks that were written by hand, by scenario name."""
    return {name: task_files()[name] for name in HAND_MADE}


def few_task_files() -> Mapping[str, Path]:
    """Returns the tasks written by hand, and the first drawn one of each category and K depth."""
    first = {name: path for name, path in task_files().items() if name.endswith("_000")}
    return {**hand_made_files(), **first}
