"""`hm-agent depths`: computes the paper's measures of EnactToM from folders of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.recording.result import Result
from hm_agent.registry import register_scenarios
from hm_agent.reporting.conditions import conditions_of, in_order, labels
from hm_agent.reporting.runs import read_runs
from hm_agent.worlds.enacttom.measures import PAPER_RUNS, TaskRuns, study
from hm_agent.worlds.enacttom.suite import task_files
from hm_agent.worlds.enacttom.tasks.proof_status import unproved
from hm_agent.worlds.enacttom.tasks.task_files import load_task

USAGE = """Shows functional success and literal probes of EnactToM by agent, K depth and category: Avg, Pass@k, Pass^k.
It plays nothing.

    hm-agent depths runs/house
    hm-agent depths runs/house runs/more --k=5
    hm-agent depths runs/own --scenarios_dir=sets/seven
"""


def main(arguments: Sequence[str]) -> int:
    """Runs `hm-agent depths`."""
    values = flags.FlagValues()  # type: ignore[no-untyped-call]
    defaults: dict[str, Any] = {"flag_values": values}
    flags.DEFINE_integer(
        "k",
        PAPER_RUNS,
        "The number of runs of which one (Pass@k), or all (Pass^k), are to succeed.",
        lower_bound=1,
        **defaults,
    )
    flags.DEFINE_list("scenarios_dir", [], "Folders of tasks of your own, as in play, with commas.", **defaults)
    flags.DEFINE_bool("help", False, "Show this help, and end.", **defaults)
    folders = [Path(folder) for folder in values(("hm-agent depths", *arguments))[1:]]
    if values["help"].value:
        print(f"{USAGE}\n  --k {values['k'].help} (default: {PAPER_RUNS})")
        print(f"  --scenarios_dir {values['scenarios_dir'].help}")
        return 0
    if not folders:
        raise ConfigError("name the folders of runs; see --help")
    if missing := next((folder for folder in folders if not folder.is_dir()), None):
        raise ConfigError(f"{missing}: no such folder")
    for folder in filter(None, values["scenarios_dir"].value or ()):
        register_scenarios(folder)
    k = int(values["k"].value or PAPER_RUNS)
    print(study(runs_by_task(read_runs(folders).results), k=k))
    return 0


def runs_by_task(results: Sequence[Result]) -> list[TaskRuns]:
    """Groups finished episodes of EnactToM by agent and task; ConfigError if there is none, or a task has no file."""
    finished = [result for result in results if result.world == "enacttom" and result.is_finished]
    if not finished:
        raise ConfigError("no finished episode of EnactToM in these folders")
    if unknown := next((result.scenario for result in finished if result.scenario not in task_files()), None):
        raise ConfigError(f"{unknown} was played, but no file has this task: say --scenarios_dir with its folder")
    conditions = conditions_of(finished)
    metrics_by_run: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    names = labels(in_order(conditions))
    for result, condition in zip(finished, conditions, strict=True):
        metrics_by_run.setdefault((names[condition], result.scenario), []).append(result.metrics)
    tasks = {name: load_task(task_files()[name]) for name in {scenario for _, scenario in metrics_by_run}}
    order = list(names.values())
    return [
        TaskRuns(agent, scenario, task.k_depth, task.file.category, metrics, bool(unproved(task.file)))
        for (agent, scenario), metrics in sorted(
            metrics_by_run.items(), key=lambda entry: (order.index(entry[0][0]), entry[0][1])
        )
        for task in [tasks[scenario]]
    ]
