"""Asks Fast Downward (Helmert, 2006) about a STRIPS problem, in a process of its own; needs the extra `planners`."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.worlds.enacttom.tasks.certificate import Status
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem

PACKAGE = "up_fast_downward"
PLAN = "plan"
SEARCH = "eager_greedy([ff()])"
"""Ends only with a plan or after every reachable state: `ff` never takes a solvable state for a dead end."""
SECONDS = 60.0
_STATUSES: dict[int, Status] = {0: "solved", 10: "unsolvable", 11: "unsolvable", 12: "unsolvable"}
"""Exit codes (fast-downward.org/ExitCodes). 12: a search ended without a plan, which is a proof here."""


Answer = tuple[Status, tuple[StripsAction, ...]]
"""The status of a problem, and a plan if it is solved."""


def ask_fast_downward(problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """Asks Fast Downward to solve a problem in PDDL; `unknown` if it is too slow, fails, or is killed.

    After `seconds`, it and all processes that it started are killed. Raises ConfigError if it is not installed.
    """
    files = {"domain.pddl": problem.domain_pddl, "problem.pddl": problem.problem_pddl}
    driver = [sys.executable, str(planner_folder() / "fast-downward.py"), "--plan-file", PLAN]
    return run_planner(problem, files, [*driver, *files, "--search", SEARCH], seconds)


def run_planner(problem: StripsProblem, files: Mapping[str, str], command: Sequence[str], seconds: float) -> Answer:
    """Runs a command in a folder with these files, and reads the plan that it writes. files: texts by name."""
    with tempfile.TemporaryDirectory(prefix="hm_agent_fd_") as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).write_text(text)
        code = _run(command, folder, seconds)
        status: Status = _STATUSES.get(code, "unknown") if code is not None else "unknown"
        plan = folder / PLAN
        if status != "solved" or not plan.is_file():
            return ("unknown" if status == "solved" else status), ()
        lines = [line.strip("()\n ") for line in plan.read_text().splitlines() if not line.startswith(";")]
        return status, tuple(problem.by_name[line] for line in lines)


def _run(command: Sequence[str], folder: Path, seconds: float) -> int | None:
    """Runs a command in a folder and returns its exit code; None if it was killed after `seconds`."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    most_seconds = ceil(seconds) + 1  # of processor time: ends it even if this process is killed first
    try:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (most_seconds, most_seconds))
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):  # the whole group: children may outlive their driver
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def planner_folder() -> Path:
    """Finds the folder of Fast Downward; raises ConfigError if it is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError("Fast Downward is not installed: pip install 'hm_agent[planners]'")
    return Path(spec.origin).parent / "downward"
