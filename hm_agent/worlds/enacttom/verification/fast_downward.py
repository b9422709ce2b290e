"""Asks Fast Downward (Helmert, 2006) about a STRIPS problem, in a process of its own; needs the extra `planners`."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.worlds.enacttom.certificate import Status
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem, bits

PACKAGE = "up_fast_downward"
PLAN, INPUT = "plan", "translated.sas"
SEARCH = "eager_greedy([ff()])"
"""It ends only with a plan or once every reachable state was looked at: `ff` calls no state hopeless that isn't."""
SECONDS = 60.0
_STATUSES: dict[int, Status] = {0: "solved", 10: "unsolvable", 11: "unsolvable", 12: "unsolvable"}
"""Exit codes (fast-downward.org/ExitCodes). 12 is a search that ended without a plan, which is a proof for this one."""


def is_installed() -> bool:
    return find_spec(PACKAGE) is not None


Answer = tuple[Status, tuple[StripsAction, ...]]
"""What it says, and its plan if it has one."""


def ask_fast_downward(problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """What it says of a problem in PDDL; `unknown` if it was too slow, failed, or was killed.

    After `seconds` it and all processes that it started are killed. Raises ConfigError if it is not installed.
    """
    files = {"domain.pddl": problem.domain_pddl, "problem.pddl": problem.problem_pddl}
    driver = [sys.executable, str(_folder() / "fast-downward.py"), "--plan-file", PLAN]
    return _asked(problem, files, [*driver, *files, "--search", SEARCH], seconds)


def ask_its_search(problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """The same, but past its translator, which takes far longer than the search of a small problem."""
    binary = _folder() / "builds" / "release" / "bin" / "downward"
    command = [str(binary), "--search", SEARCH, "--internal-plan-file", PLAN]
    return _asked(problem, {INPUT: translated(problem)}, command, seconds)


def _asked(problem: StripsProblem, files: Mapping[str, str], command: Sequence[str], seconds: float) -> Answer:
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
    """The exit code; None if it was killed because the time was used up."""
    text = folder / INPUT
    with text.open() if text.is_file() else nullcontext() as source:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        most = ceil(seconds) + 1  # of processor time, so that it also ends where nobody is left to kill it
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (most, most))
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):  # also what outlives a driver that somebody else killed
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def translated(problem: StripsProblem) -> str:
    """The problem as its translator would pass it on (fast-downward.org/TranslatorOutputFormat).

    Each atom is a variable of two values, 0 for true; an effect begins with 0 conditions, the variable, and its value
    before, -1 for any.
    """
    atoms = problem.atoms
    lines = ["begin_version", "3", "end_version", "begin_metric", "0", "end_metric", str(len(atoms))]
    for number, atom in enumerate(atoms):
        lines += ["begin_variable", f"var{number}", "-1", "2", f"Atom {atom}()", f"NegatedAtom {atom}()"]
        lines.append("end_variable")
    start = [str(1 - (problem.start >> number & 1)) for number in range(len(atoms))]
    lines += ["0", "begin_state", *start, "end_state", "begin_goal", *_counted(problem.goal), "end_goal"]
    actions = [_translated_action(one) for one in problem.actions if one.adds & ~one.needs or one.deletes & ~one.adds]
    lines.append(str(len(actions)))
    return "\n".join([*lines, *(line for action in actions for line in action), "0", ""])


def _translated_action(one: StripsAction) -> list[str]:
    added, deleted = one.adds & ~one.needs, one.deletes & ~one.adds
    effects = [f"0 {number} -1 0" for number in bits(added)]
    effects += [f"0 {number} {0 if one.needs >> number & 1 else -1} 1" for number in bits(deleted)]
    kept = _counted(one.needs & ~deleted)
    return ["begin_operator", one.name, *kept, str(len(effects)), *effects, "1", "end_operator"]


def _counted(mask: int) -> list[str]:
    """How many atoms there are, and a line for each that it is true."""
    return [str(mask.bit_count()), *(f"{number} 0" for number in bits(mask))]


def _folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError("Fast Downward is not installed: pip install 'hm_agent[planners]'")
    return Path(spec.origin).parent / "downward"
