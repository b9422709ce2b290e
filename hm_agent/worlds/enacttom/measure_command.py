"""`hm-agent depths`: computes the paper's measures of EnactToM from folders of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hm_agent.catalogue.registry import register_scenarios
from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import conditions_of, in_order, labels
from hm_agent.reporting.runs import read_runs
from hm_agent.worlds.enacttom.measures import PAPER_RUNS, TaskRuns, study
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.proofs import unproved
from hm_agent.worlds.enacttom.tasks.task_files import load_task

USAGE = """Shows functional success and literal probes of EnactToM by agent, K depth and category: Avg, Pass@k, Pass^k.
It plays nothing.

    hm-agent depths runs/house
    hm-agent depths runs/house runs/more --k=5
    hm-agent depths runs/own --scenarios_dir=sets/seven
"""


@dataclass(frozen=True)
class DepthFlags:
    k: int = flag_field(
        PAPER_RUNS, "The number of runs of which one (Pass@k), or all (Pass^k), are to succeed.", lower=1
    )
    scenarios_dir: tuple[str, ...] = flag_field((), "Folders of tasks of your own, as in play, with commas.")


COMMAND = WorldCommand("hm-agent depths", USAGE, {"Flags": DepthFlags})


def main(arguments: Sequence[str]) -> int:
    """Runs `hm-agent depths`."""
    words = COMMAND.read(arguments, takes_words=True)
    if words is None:
        return 0
    folders, said = [Path(word) for word in words], COMMAND.values(DepthFlags)
    if not folders:
        raise ConfigError("name the folders of runs; see --help")
    if missing := next((folder for folder in folders if not folder.is_dir()), None):
        raise ConfigError(f"{missing}: no such folder")
    for folder in said.scenarios_dir:
        register_scenarios(folder)
    print(study(runs_by_task(read_runs(folders).results), k=said.k))
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
