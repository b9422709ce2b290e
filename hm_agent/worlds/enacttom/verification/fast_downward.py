"""Asks Fast Downward (Helmert, 2006) about a STRIPS problem, in a process of its own; needs the extra `planners`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.worlds.enacttom.certificate import Status
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem

PACKAGE = "up_fast_downward"
SEARCH = "eager_greedy([ff()])"
"""It ends only with a plan or once every reachable state was looked at: `ff` calls no state hopeless that isn't."""
SECONDS = 60.0
_STATUSES: dict[int, Status] = {0: "solved", 10: "unsolvable", 11: "unsolvable", 12: "unsolvable"}
"""Exit codes (fast-downward.org/ExitCodes). 12 is a search that ended without a plan, which is a proof for this one."""


def is_installed() -> bool:
    return find_spec(PACKAGE) is not None


def ask_fast_downward(problem: StripsProblem, *, seconds: float = SECONDS) -> tuple[Status, tuple[StripsAction, ...]]:
    """What it says of a problem, with its plan if it has one; `unknown` if it was too slow, failed, or was killed.

    After `seconds` it and all processes that it started are killed. Raises ConfigError if it is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="hm_agent_fd_") as name:
        folder = Path(name)
        (folder / "domain.pddl").write_text(problem.domain_pddl)
        (folder / "problem.pddl").write_text(problem.problem_pddl)
        code = _run(folder, seconds)
        status: Status = _STATUSES.get(code, "unknown") if code is not None else "unknown"
        plan = folder / "plan"
        if status != "solved" or not plan.is_file():
            return ("unknown" if status == "solved" else status), ()
        lines = [line.strip("()\n ") for line in plan.read_text().splitlines() if not line.startswith(";")]
        return status, tuple(problem.by_name[line] for line in lines)


def _run(folder: Path, seconds: float) -> int | None:
    """Its exit code; None if it was killed because the time was used up."""
    process = subprocess.Popen(
        [sys.executable, str(_script()), "--plan-file", "plan", "domain.pddl", "problem.pddl", "--search", SEARCH],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _script() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError("Fast Downward is not installed: pip install 'hm_agent[planners]'")
    return Path(spec.origin).parent / "downward" / "fast-downward.py"
