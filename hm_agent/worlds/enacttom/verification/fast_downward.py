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
from hm_agent.worlds.enacttom.tasks.certificate import Status
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem, bits

PACKAGE = "up_fast_downward"
PLAN, INPUT = "plan", "translated.sas"
SEARCH = "eager_greedy([ff()])"
"""Ends only with a plan or after every reachable state: `ff` never takes a solvable state for a dead end."""
ABSTRACTING = "eager_greedy([ff(), cegar(max_states=10000)])"
"""The same search; it also prunes states from which an abstraction has no plan (Seipp and Helmert, 2018)."""
SECONDS = 60.0
_STATUSES: dict[int, Status] = {0: "solved", 10: "unsolvable", 11: "unsolvable", 12: "unsolvable"}
"""Exit codes (fast-downward.org/ExitCodes). 12: a search ended without a plan, which is a proof here."""


def is_installed() -> bool:
    return find_spec(PACKAGE) is not None


Answer = tuple[Status, tuple[StripsAction, ...]]
"""The status of a problem, and a plan if it is solved."""


def ask_fast_downward(problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """Asks Fast Downward to solve a problem in PDDL; `unknown` if it is too slow, fails, or is killed.

    After `seconds`, it and all processes that it started are killed. Raises ConfigError if it is not installed.
    """
    files = {"domain.pddl": problem.domain_pddl, "problem.pddl": problem.problem_pddl}
    driver = [sys.executable, str(_folder() / "fast-downward.py"), "--plan-file", PLAN]
    return _ask(problem, files, [*driver, *files, "--search", SEARCH], seconds)


def ask_its_search(problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """Asks Fast Downward's search without its translator, which takes far longer than the search of a small problem.

    Half of the time is for a second search, in case the first does not end.
    """
    command = [str(_folder() / "builds" / "release" / "bin" / "downward"), "--internal-plan-file", PLAN]
    files = {INPUT: translated(problem)}
    answer = _ask(problem, files, [*command, "--search", SEARCH], seconds / 2)
    return answer if answer[0] != "unknown" else _ask(problem, files, [*command, "--search", ABSTRACTING], seconds / 2)


def _ask(problem: StripsProblem, files: Mapping[str, str], command: Sequence[str], seconds: float) -> Answer:
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
    translated_problem = folder / INPUT
    with translated_problem.open() if translated_problem.is_file() else nullcontext() as source:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
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


def translated(problem: StripsProblem) -> str:
    """Writes a problem as the output of Fast Downward's translator (fast-downward.org/TranslatorOutputFormat).

    A group of atoms of which one holds at any time is one variable, with a value for each; any other atom is a variable
    of its own, 0 for true and 1 for false. A goal of two values of one variable can't be written: the translator, and
    this function, write an unsolvable problem without actions instead.
    """
    variables = _Variables(problem)
    if not variables.can_hold(problem.goal):
        return _WITHOUT_A_PLAN
    goal = variables.values(problem.goal)
    useful = (action for action in problem.actions if action.adds & ~action.needs or action.deletes & ~action.adds)
    actions = [_action_lines(action, variables) for action in useful if variables.can_hold(action.needs)]
    parts = [
        *("begin_version", "3", "end_version", "begin_metric", "0", "end_metric", str(len(variables.atoms))),
        *(line for number in range(len(variables.atoms)) for line in variables.lines(number)),
        *("0", "begin_state", *variables.start(), "end_state", "begin_goal", *_counted(goal), "end_goal"),
        *(str(len(actions)), *(line for action in actions for line in action), "0", ""),
    ]
    return "\n".join(parts)


_WITHOUT_A_PLAN = """begin_version
3
end_version
begin_metric
0
end_metric
1
begin_variable
var0
-1
2
Atom reached()
NegatedAtom reached()
end_variable
0
begin_state
1
end_state
begin_goal
1
0 0
end_goal
0
0
"""


class _Variables:
    """The variables of a problem and their values. atoms: the bit of each value of each variable."""

    def __init__(self, problem: StripsProblem) -> None:
        self.problem = problem
        grouped = sum(problem.groups)
        single = (number for number in range(len(problem.atoms)) if not grouped >> number & 1)
        self.atoms = [*(tuple(bits(group)) for group in problem.groups), *((number,) for number in single)]
        self._value = {
            atom: (place, value) for place, atoms in enumerate(self.atoms) for value, atom in enumerate(atoms)
        }

    def values(self, mask: int) -> list[tuple[int, int]]:
        """Returns the variable and the value that each atom of a mask stands for."""
        return [self._value[number] for number in bits(mask)]

    def can_hold(self, mask: int) -> bool:
        """False if a mask has two values of one variable."""
        return all((mask & group).bit_count() <= 1 for group in self.problem.groups)

    def start(self) -> list[str]:
        """Returns the value of each variable at the start."""
        values = dict(self.values(self.problem.start))
        return [str(values.get(number, 1)) for number in range(len(self.atoms))]

    def is_single(self, variable: int) -> bool:
        """True for a variable of one atom, which is true or false."""
        return len(self.atoms[variable]) == 1

    def lines(self, variable: int) -> list[str]:
        """Writes a variable: its number, no axiom layer (-1), and its values."""
        values = [f"Atom {self.problem.atoms[number]}()" for number in self.atoms[variable]]
        values += [f"NegatedAtom {self.problem.atoms[number]}()" for number in self.atoms[variable] if len(values) == 1]
        return ["begin_variable", f"var{variable}", "-1", str(len(values)), *values, "end_variable"]


def _action_lines(action: StripsAction, variables: _Variables) -> list[str]:
    """Writes an action. A line of an effect: 0 conditions, variable, value before (-1 for any), value after."""
    needed = dict(variables.values(action.needs))
    effects = dict(variables.values(action.adds & ~action.needs))
    deleted = variables.values(action.deletes & ~action.adds)
    effects |= {variable: 1 for variable, _ in deleted if variables.is_single(variable)}
    kept = [(variable, value) for variable, value in needed.items() if variable not in effects]
    lines = [f"0 {variable} {needed.get(variable, -1)} {value}" for variable, value in effects.items()]
    return ["begin_operator", action.name, *_counted(kept), str(len(lines)), *lines, "1", "end_operator"]


def _counted(values: Sequence[tuple[int, int]]) -> list[str]:
    """Returns the number of values, then a line for each."""
    return [str(len(values)), *(f"{variable} {value}" for variable, value in values)]


def _folder() -> Path:
    """Finds the folder of Fast Downward; raises ConfigError if it is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError("Fast Downward is not installed: pip install 'hm_agent[planners]'")
    return Path(spec.origin).parent / "downward"
