"""10,000 episodes in one folder: how long reports, tables and a resumed command take, and how much memory."""

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
from hm_agent.experiment import Experiment
from hm_agent.pool.run import run
from hm_agent.recording.result import FILE
from hm_agent.registry import find_scenarios
from hm_agent.reporting.index import write_index
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.writing import write_report
from hm_agent.testing.episodes import SilentProgress

EPISODES = 10_000
STEPS = 100
REPORT_SECONDS, RESUME_SECONDS, MOST_MEMORY = 20.0, 5.0, 1_000_000_000


def _grid(out: Path, episodes: int) -> Experiment:
    agents = ("hypothetical_minds", "oracle", "react")
    scenarios = find_scenarios(["rws_repeated_?"])
    options = {"bots": "scripted"}
    return Experiment(scenarios, agents, episodes=episodes, max_steps=STEPS, options=options, out=out)


def _multiply(played: Path, out: Path, times: int) -> None:
    """Copies each episode with other numbers; the files of a real episode stay linked to it."""
    stream = random.Random(0)
    for folder in sorted(played.glob("*/*/*/episode-0")):
        said = json.loads((folder / FILE).read_bytes())
        for number in range(times):
            copy = out / folder.relative_to(played).parent / f"episode-{number}"
            copy.mkdir(parents=True)
            changed = {"episode": number, "seed": stream.randrange(2**31), "reward": said["reward"] + stream.gauss()}
            metrics = {name: value + stream.gauss() for name, value in said["metrics"].items()}
            (copy / FILE).write_text(json.dumps({**said, **changed, "metrics": metrics}, indent=2))
            for path in folder.iterdir():
                if path.name != FILE:
                    os.link(path, copy / path.name)


def _report(out: Path) -> None:
    runs = read_runs((out,))
    write_summary(out, runs)
    write_index(out, write_report(runs, out / "report"), runs)


def _resume(out: Path) -> None:
    """What comes before the first episode that is missing, without the start of the process and its imports."""
    grid = _grid(out, times(out) + 1)
    grid.check()
    grid.survey()  # to tell how many are there
    next(grid.survey().episodes())  # again, once the folder is locked


def times(out: Path) -> int:
    return len(list(next(out.glob("*/*/*")).glob("episode-*")))


def _load(out: Path) -> None:
    hm_agent.load(out)


def _measured(work: Callable[[Path], None], out: Path) -> tuple[float, float, int]:
    """Seconds by the clock and of the processor, and the most bytes that the process held."""
    started, used = time.perf_counter(), time.process_time()
    work(out)
    seconds, of_processor = time.perf_counter() - started, time.process_time() - used
    # Not getrusage(2), which goes on counting what the process was before it became another program.
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
        conditions = len(run(_grid(played, 1), SilentProgress()))
        _multiply(played, out, EPISODES // conditions)
        found: dict[str, Any] = {}
        for name, (work, _) in LIMITS.items():
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                found[name] = process.submit(_measured, work, out).result()
    print(f"{EPISODES // conditions * conditions:,} episodes of {STEPS} steps\n")
    print("| what | seconds, at most | seconds | of the processor | MB, at most | MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (seconds, used, peak) in found.items():
        print(
            f"| {name} | {LIMITS[name][1]:g} | {seconds:.1f} | {used:.1f} | {MOST_MEMORY / 1e6:g} | {peak / 1e6:.0f} |"
        )
    if any(used > LIMITS[name][1] or peak > MOST_MEMORY for name, (_, used, peak) in found.items()):
        sys.exit("too long, or too much memory")
