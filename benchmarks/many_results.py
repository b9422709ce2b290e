"""The time and memory that reports, tables and a resumed command take with 10,000 episodes in one folder."""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.recording.result import FILE
from hm_agent.reporting.index import write_index
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.writing import write_report

EPISODES = 10_000
STEPS = 100
REPORT_SECONDS, RESUME_SECONDS, MOST_MEMORY = 20.0, 5.0, 1_000_000_000


def _grid(out: Path, episodes: int) -> Experiment:
    agents = ("hypothetical_minds", "oracle", "react")
    scenarios = find_scenarios(["rws_repeated_?"])
    options = {"bots": "scripted"}
    return Experiment(scenarios, agents, episodes=episodes, max_steps=STEPS, options=options, out=out)


def _multiply(played: Path, out: Path, times: int) -> None:
    """Copies each episode `times` times with other seeds and values; files other than the result are hard links."""
    stream = random.Random(0)
    for folder in sorted(played.glob("*/*/*/episode-0")):
        fields = json.loads((folder / FILE).read_bytes())
        for number in range(times):
            copy = out / folder.relative_to(played).parent / f"episode-{number}"
            copy.mkdir(parents=True)
            changed = {"episode": number, "seed": stream.randrange(2**31), "reward": fields["reward"] + stream.gauss()}
            metrics = {name: value + stream.gauss() for name, value in fields["metrics"].items()}
            (copy / FILE).write_text(json.dumps({**fields, **changed, "metrics": metrics}, indent=2))
            for path in folder.iterdir():
                if path.name != FILE:
                    os.link(path, copy / path.name)


def _report(out: Path) -> None:
    runs = read_runs((out,))
    write_summary(out, runs)
    write_index(out, write_report(runs, out / "report"), runs)


def _resume(out: Path) -> None:
    """All that a resumed command does before its first missing episode, apart from starting and importing."""
    grid = _grid(out, times(out) + 1)
    grid.check()
    grid.survey()  # to count the episodes that are there
    next(grid.survey().episodes())  # again, as after the folder is locked


def times(out: Path) -> int:
    return len(list(next(out.glob("*/*/*")).glob("episode-*")))


def _load(out: Path) -> None:
    hm_agent.load(out)


def _measured(work: Callable[[Path], None], out: Path) -> tuple[float, float, int]:
    """Does some work; returns wall-clock seconds, processor seconds and the process's peak memory in bytes."""
    started, used = time.perf_counter(), time.process_time()
    work(out)
    seconds, of_processor = time.perf_counter() - started, time.process_time() - used
    # Not getrusage(2), whose peak includes the memory that the process had before exec.
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return seconds, of_processor, int(peak) * 1024


LIMITS: Mapping[str, tuple[Callable[[Path], None], float]] = {
    "summary, report and index": (_report, REPORT_SECONDS),
    "a resumed command, once started, until it plays": (_resume, RESUME_SECONDS),
    "hm_agent.load": (_load, REPORT_SECONDS),
}


def main() -> None:
    with TemporaryDirectory() as folder:
        played, out = Path(folder) / "played", Path(folder) / "out"
        conditions = len(run(_grid(played, 1), NoProgress()))
        _multiply(played, out, EPISODES // conditions)
        measured: dict[str, Any] = {}
        for name, (work, _) in LIMITS.items():
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                measured[name] = process.submit(_measured, work, out).result()
    print(f"{EPISODES // conditions * conditions:,} episodes of {STEPS} steps\n")
    print("| what | seconds, at most | seconds | of the processor | MB, at most | MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (seconds, used, peak) in measured.items():
        print(
            f"| {name} | {LIMITS[name][1]:g} | {seconds:.1f} | {used:.1f} | {MOST_MEMORY / 1e6:g} | {peak / 1e6:.0f} |"
        )
    if any(used > LIMITS[name][1] or peak > MOST_MEMORY for name, (_, used, peak) in measured.items()):
        sys.exit("too long, or too much memory")
