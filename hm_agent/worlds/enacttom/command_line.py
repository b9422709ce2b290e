"""`hm-agent verify`, `export enacttom` and `browse enacttom`: proves tasks, writes their PDDL, and shows them."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError, data_folder
from hm_agent.flags.fields import flag_field
from hm_agent.process.workers import calls_in_workers
from hm_agent.storage.files import write_whole
from hm_agent.wording import counted, listed
from hm_agent.worlds.enacttom.tasks.certificate import Status
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task, task_text
from hm_agent.worlds.enacttom.verification.fast_downward import SECONDS, ask_fast_downward, planner_folder
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import PlanningProblem
from hm_agent.worlds.enacttom.verification.plans import steps_of, strips_plan
from hm_agent.worlds.enacttom.verification.strips import to_strips
from hm_agent.worlds.enacttom.verification.verifier import (
    TaskProof,
    Verdict,
    certified,
    is_current,
    misstated,
    over_budget,
    verify,
)

VERIFY_USAGE = """Proves EnactToM tasks: that they can be solved, need every agent and, where they say so, a message,
and that their K depth is no less than they claim; of hard tasks, what docs/enacttom_hard.md says. Says what is wrong
with the others, a line for each fault.

    hm-agent verify DIR                                 the tasks of a folder, or those that come with the package
    hm-agent verify FILE                                one task, also in the form of the paper's authors
    hm-agent verify DIR --planner=fast_downward         ask Fast Downward, too; needs the extra hm_agent[planners]
    hm-agent verify DIR --write                         write certificates and budgets into the files
"""
EXPORT_USAGE = """Writes the PDDL of EnactToM tasks: the problem with K operators, the compiled STRIPS domain and
problem, and the plan in their actions.

    hm-agent export enacttom DIR --out=pddl
"""
BROWSE_USAGE = """Writes one page to browse EnactToM tasks: a list with filters by category, K depth, agents and
mechanics, and each task with its household, secrets, goal, plan and proofs.

    hm-agent browse enacttom                            the tasks that come with the package
    hm-agent browse enacttom DIR --page=tasks.html      those of a folder
"""
OWN, FAST_DOWNWARD = "own", "fast_downward"
FAULTY = 1


@dataclass(frozen=True)
class VerifyFlags:
    planner: str = flag_field(OWN, "The planner to ask beside the built-in one.", choices=(OWN, FAST_DOWNWARD))
    seconds: float = flag_field(SECONDS, "The seconds after which another planner is stopped.", lower=0.1)
    write: bool = flag_field(False, "Write certificates and budgets into the files.")
    workers: int = flag_field(1, "How many tasks to prove at once.", lower=1)

    def ask(self, problem: PlanningProblem) -> Status:
        if self.planner == FAST_DOWNWARD:
            return ask_fast_downward(to_strips(problem), seconds=self.seconds)[0]
        return solve(problem).status


@dataclass(frozen=True)
class PddlFlags:
    out: Path = flag_field("pddl", "The folder to write PDDL to.")


@dataclass(frozen=True)
class TaskPageFlags:
    page: Path = flag_field("enacttom_tasks.html", "The page to write.")


VERIFY = WorldCommand("hm-agent verify", VERIFY_USAGE, {"Flags": VerifyFlags})
EXPORT = WorldCommand("hm-agent export enacttom", EXPORT_USAGE, {"Flags": PddlFlags})
BROWSE = WorldCommand("hm-agent browse enacttom", BROWSE_USAGE, {"Flags": TaskPageFlags})


def _read_folder(command: WorldCommand, arguments: Sequence[str]) -> Path | None:
    """The folder that a command line names, by default that of the tasks that ship; None if it asks for help."""
    words = command.read(arguments, takes_words=True)
    if words is None:
        return None
    if len(words) > 1:
        raise ConfigError(f"one folder or file at a time, not {len(words)}")
    return Path(words[0]) if words else data_folder("scenarios") / "enacttom"


def _task_files(folder: Path) -> list[Path]:
    """Lists the task files of a folder, or one file; raises ConfigError if there are none."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder, nor a file")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise ConfigError(f"{folder} has no task (*.json)")
    return paths


# verify


def verify_command(arguments: Sequence[str]) -> int:
    """Runs `hm-agent verify`; returns 1 if a task has a fault."""
    if (folder := _read_folder(VERIFY, arguments)) is None:
        return 0
    request = VERIFY.values(VerifyFlags)
    if request.planner != FAST_DOWNWARD:
        VERIFY.refuse(["seconds"], f"it is for --planner={FAST_DOWNWARD}")
    else:
        planner_folder()  # it may not be installed
    faulty = count = 0
    with closing(_verify_all(_task_files(folder), request)) as verified:
        for path, lines, faults in verified:
            count += 1
            faulty += bool(faults)
            print(f"{path.stem}: {lines}", flush=True)
            for fault in faults:
                print(f"{path.stem}: {fault}", file=sys.stderr)
    print(f"{count - faulty} of {count} tasks are proved.")
    return FAULTY if faulty else 0


def _verify_all(paths: Sequence[Path], request: VerifyFlags) -> Generator[tuple[Path, str, Sequence[str]]]:
    if request.workers == 1:
        yield from (_verify_one(request, path) for path in paths)
        return
    with calls_in_workers(request.workers, _verify_one, ((request, path) for path in paths)) as verified:
        yield from (one.result() for one in verified)


def _verify_one(request: VerifyFlags, path: Path) -> tuple[Path, str, Sequence[str]]:
    """Verifies one file; returns its path, a line of results, and a line for each fault."""
    try:
        task = load_task(path)
        if task.characters:
            return path, *_verify_hard(task, path, request)
    except TaskError as error:
        return path, "can't be read", [str(error)]
    planners = {FAST_DOWNWARD: lambda problem: ask_fast_downward(problem, seconds=request.seconds)[0]}
    verdict = verify(task, planners=planners if request.planner == FAST_DOWNWARD else {})
    if request.write:
        write_whole(path, task_text(certified(task.file, verdict)))
    faults = list(verdict.faults)
    if task.file.certificate and not (request.write or is_current(task.file)):
        faults.append("its certificate was made for another state of the file: --write makes a new one")
    if not request.write:
        faults += misstated(task.file, verdict.certificate)
        faults += over_budget(task, verdict.turns)
    unread = task.file.as_published.unread if task.file.as_published else ()
    return path, _result_line(verdict) + (f"; not read: {listed(unread)}" if unread else ""), faults


def _verify_hard(task: HouseholdTask, path: Path, request: VerifyFlags) -> tuple[str, Sequence[str]]:
    """Verifies a task with characters, with its twin in the same folder; returns a line of results, and the faults."""
    from hm_agent.worlds.enacttom.verification.hard_proof import prove, relaxed_answers

    twin_path = path.with_name(f"{path.stem[:-1]}{'b' if path.stem.endswith('a') else 'a'}.json")
    verdict = prove(task, load_task(twin_path) if task.file.pair and twin_path.exists() else None)
    faults = list(verdict.faults)
    anybody, broadcasters = relaxed_answers(task, request.ask)
    searched = verdict.certificate and (verdict.certificate.solvable, verdict.certificate.broadcasters)
    if searched and ("solved", "unsolvable") in zip(searched, (anybody, broadcasters), strict=True):
        faults.append(f"the search finds a plan, but the planner ({request.planner}) proves that there is none")
    if request.write:
        write_whole(path, task_text(task.file.model_copy(update={"hard_certificate": verdict.certificate})))
    elif task.file.hard_certificate and task.file.hard_certificate != verdict.certificate:
        faults.append("its certificate says otherwise: --write makes a new one")
    if verdict.certificate is None:
        return "no plan", faults
    plan = counted(len(verdict.certificate.plan), "command")
    proved = "; the planner proves, too, that broadcasters fail" if broadcasters == "unsolvable" else ""
    return f"solved with {plan}, needs order {task.file.needs_order}{proved}", faults


def _result_line(verdict: Verdict) -> str:
    certificate = verdict.certificate
    if certificate.status != "solved":
        return certificate.status
    other_planners = "".join(f"; {name}: {status}" for name, status in certificate.checked_by.items())
    relay = "" if certificate.relay_depth is None else f"relay depth {certificate.relay_depth}, "
    spare = f"; the physical goal does not need {listed(verdict.spare)}" if verdict.spare else ""
    return (
        f"solved in {counted(len(certificate.plan), 'turn')} with {counted(certificate.messages, 'message')}, "
        f"K depth {certificate.k_depth}, {relay}"
        f"baseline {counted(certificate.baseline_turns or 0, 'turn')}{spare}{other_planners}"
    )


# export


def export_command(arguments: Sequence[str]) -> int:
    """Runs `hm-agent export enacttom`: writes the files of each task (`exported_files`) to OUT/<file>/."""
    if (folder := _read_folder(EXPORT, arguments)) is None:
        return 0
    out = EXPORT.values(PddlFlags).out
    for path in _task_files(folder):
        task = load_task(path)
        if task.characters:
            raise ConfigError(f"{path}: a task with characters is no planning problem, so it has no PDDL of its proof")
        for name, text in exported_files(TaskProof(task)).items():
            (out / path.stem).mkdir(parents=True, exist_ok=True)
            write_whole(out / path.stem / name, text)
    print(f"PDDL: {out}")
    return 0


def exported_files(proof: TaskProof) -> dict[str, str]:
    """Returns the files to export by name: epistemic.pddl, domain.pddl, problem.pddl and, if it is solved, plan."""
    problem = proof.problem("task")
    strips = to_strips(problem)
    files = {
        "epistemic.pddl": proof.task.file.problem_pddl,
        "domain.pddl": strips.domain_pddl,
        "problem.pddl": strips.problem_pddl,
    }
    if proof.status("task") == "solved":
        steps = steps_of(problem, proof.actions("task"))
        files["plan"] = "".join(f"({action.name})\n" for action in strips_plan(problem, strips, steps))
    return files


# browse


def browse_command(arguments: Sequence[str]) -> int:
    """Runs `hm-agent browse enacttom`; raises TaskError for a task that can't be read."""
    from hm_agent.worlds.enacttom.viewer.task_pages import write_task_page

    if (folder := _read_folder(BROWSE, arguments)) is None:
        return 0
    page = BROWSE.values(TaskPageFlags).page
    if page.is_dir() or not page.name:
        raise ConfigError(f"--page={page}: this is a folder; name a file")
    write_task_page([load_task(path) for path in _task_files(folder)], page, folder.name)
    print(f"Page: {page}")
    return 0
