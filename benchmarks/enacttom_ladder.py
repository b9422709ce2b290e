"""EnactToM's agents without a model on all shipped tasks: functional success and literal probes by K depth.

`python -m benchmarks.enacttom_ladder RUNS OUT` plays every task RUNS times and writes OUT/ladder.md and OUT/ladder.csv.
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from hm_agent.catalogue.registry import scenario_named
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.storage.files import write_whole
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.enacttom.measures import PAPER_RUNS, TaskRuns, study
from hm_agent.worlds.enacttom.own_agents import FLOOD, LADDER
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.task_files import load_task

AGENTS = ("random", *(name for name, _, _ in LADDER), FLOOD, "planner")
METRICS = (
    "functional_success", "literal_success", "literal_passed_all", "literal_right", "literal_always_yes",
    "literal_always_no", "literal_by_secrets", "known_share", "messages", "turns",
)  # fmt: skip


def play(agent: str, scenario: ScenarioInfo, run: int) -> Mapping[str, float]:
    """Plays one episode; returns the world's metrics. run: its number, which seeds the agents with the task's name."""
    seed = episode_seed(scenario, run)
    world, agents = set_up(scenario, agent, seed=seed)
    play_out(world, agents, seed=seed)
    return world.metrics()


def episode_seed(scenario: ScenarioInfo, run: int) -> int:
    """The seed of an episode, drawn from the task's name and the number of the run."""
    return Random(f"{scenario.name}/{run}").getrandbits(32)


def played(runs: int) -> list[TaskRuns]:
    """Plays every agent on every shipped task."""
    tasks = []
    for agent in AGENTS:
        started = time.perf_counter()
        for name, path in task_files().items():
            task, scenario = load_task(path), scenario_named(name)
            metrics = [play(agent, scenario, run) for run in range(runs)]
            tasks.append(TaskRuns(agent, task.name, task.k_depth, task.file.category, metrics))
        print(f"{agent}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return tasks


def sheet(tasks: Sequence[TaskRuns]) -> str:
    """CSV with a line for each agent, task and run."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["agent", "task", "k_depth", "category", "run", *METRICS])
    for task in tasks:
        for run, metrics in enumerate(task.metrics):
            values = [f"{metrics[name]:.6g}" if name in metrics else "" for name in METRICS]
            rows.writerow([task.agent, task.task, task.k_depth, task.category, run, *values])
    return text.getvalue()


def main(runs: int = PAPER_RUNS, out: str = "") -> None:
    tasks = played(runs)
    words = study(tasks, k=min(runs, PAPER_RUNS))
    print(words)
    if out:
        Path(out).mkdir(parents=True, exist_ok=True)
        note = f"`python -m benchmarks.enacttom_ladder {runs} {out}` writes this page.\n\n"
        write_whole(Path(out) / "ladder.md", f"# The ladder on the shipped tasks\n\n{note}{words}")
        write_whole(Path(out) / "ladder.csv", sheet(tasks))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else PAPER_RUNS, sys.argv[2] if sys.argv[2:] else "")
