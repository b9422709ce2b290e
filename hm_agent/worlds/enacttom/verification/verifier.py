"""Proves that a task is what it claims to be, and lists what it is not, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version

from hm_agent.worlds.enacttom.house.commands import Verb
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.tasks.certificate import Certificate, Status
from hm_agent.worlds.enacttom.tasks.mechanics import Channels
from hm_agent.worlds.enacttom.tasks.proofs import PROSE, failed_proof, missing_proofs
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task, reachable
from hm_agent.worlds.enacttom.verification.planner import MOST_NODES, PlanResult, solve
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem, Variant
from hm_agent.worlds.enacttom.verification.plans import JointTurn, in_turns, steps_of
from hm_agent.worlds.enacttom.verification.strips import StripsProblem, to_strips

SOLVER = f"hm_agent {version('hm_agent')}, best-first"
PROVED = (
    "status",
    "k_depth",
    "relay_depth",
    "without_agent",
    "without_communication",
    "deepest_by_sight",
    "baseline",
    "private_goals",
    "all_private_goals",
)
"""The fields of a certificate that are the same in every proof of the same file."""
BUDGET_FACTOR = 2
"""An episode gets twice the baseline's turns and messages (section 5)."""

OtherPlanner = Callable[[StripsProblem], Status]


@dataclass(frozen=True)
class Verdict:
    """The result of a verification.

    faults: what is wrong, a line each; none for a task that may be shipped. turns: those of its plan. spare: agents
    without which the physical goal can be reached, which is all that the metric asks for.
    """

    certificate: Certificate
    faults: tuple[str, ...]
    turns: tuple[JointTurn, ...]
    spare: tuple[str, ...] = ()


def variants(task: HouseholdTask) -> dict[str, Variant]:
    """Returns the questions about a task that its certificate answers, by name.

    Where only prose tells of the goals, everyone counts as knowing them.
    """
    ask = partial(Variant, is_knowing=task.tells_goals)
    questions = {
        "task": ask(task.goal),
        "silent": ask(task.goal, is_silent=True),
        "baseline": Variant(task.goal, is_knowing=False, is_public=True),
    }
    questions |= {f"without {agent}": ask(task.goal, idle=frozenset([agent])) for agent in task.agents}
    if task.k_depth:
        deepest = tuple(conjunct for conjunct in task.goal if conjunct.depth == task.k_depth)
        questions["sight"] = Variant(deepest, is_knowing=False, is_silent=True)
    for agent, claims in task.private_goals.items():
        questions[f"private {agent}"] = ask(_joined(task.goal, claims))
    if len(task.private_goals) > 1:
        private = tuple(conjunct for claims in task.private_goals.values() for conjunct in claims)
        questions["private"] = ask(_joined(task.goal, private))
    return questions


def physical_variants(task: HouseholdTask) -> dict[str, Variant]:
    """Returns the questions whether the physical goal can be reached in silence, and while one agent only waits."""
    goal = tuple(conjunct for conjunct in task.goal if not conjunct.depth)
    ask = partial(Variant, goal, is_knowing=task.tells_goals)
    questions = {"physical silent": ask(is_silent=True)}
    return questions | {f"physical without {agent}": ask(idle=frozenset([agent])) for agent in task.agents}


def _joined(first: Sequence[Claim], second: Sequence[Claim]) -> tuple[Claim, ...]:
    return tuple(dict.fromkeys((*first, *second)))


class TaskProof:
    """The answers to all questions about a task; each is solved once, when it is first asked for."""

    def __init__(self, task: HouseholdTask, *, most_nodes: int = MOST_NODES) -> None:
        self.task, self.most_nodes = task, most_nodes
        self.household = Household(task)
        self.variants = variants(task) | physical_variants(task)
        self._solved: dict[str, tuple[PlanningProblem, PlanResult]] = {}

    def problem(self, name: str) -> PlanningProblem:
        return self._answer(name)[0]

    def status(self, name: str) -> Status:
        return self._answer(name)[1].status

    def actions(self, name: str) -> tuple[PlanAction, ...]:
        """The plan as the planner found it; empty without one."""
        return self._answer(name)[1].actions

    def turns(self, name: str) -> tuple[JointTurn, ...]:
        """The plan in turns; empty without one."""
        problem, result = self._answer(name)
        return tuple(in_turns(problem, steps_of(problem, result.actions))) if result.status == "solved" else ()

    def _answer(self, name: str) -> tuple[PlanningProblem, PlanResult]:
        if name not in self._solved:
            problem = compile_task(self.household, self.variants[name])
            self._solved[name] = (problem, solve(problem, most_nodes=self.most_nodes))
        return self._solved[name]

    @cached_property
    def plan(self) -> tuple[JointTurn, ...]:
        return self.turns("task")

    @cached_property
    def relay_depth(self) -> int | None:
        """The least number of messages, one after another, until all shared physical goals can be brought about.

        None if a goal is out of reach. No knowing plan has fewer: agents learn of goals only from secrets and messages.
        """
        hops = self.goal_hops.values()
        reached = [count for count in hops if count is not None]
        return max(reached, default=0) if len(reached) == len(hops) else None

    @cached_property
    def goal_hops(self) -> Mapping[Proposition, int | None]:
        """For each shared physical goal, the least number of messages, one after another, until it can be reached.

        They lead from an agent that knows of it at first, or of another goal that the same action reaches, to an agent
        that could ever carry out that action. None if no messages lead from one to the other.
        """
        household = self.household
        goals = [wanted(goal) for goal in self.task.physical_goal]
        physical = tuple(Claim((), goal.goal) for goal in goals)
        reached = reachable(compile_task(household, Variant(physical, is_knowing=False, is_silent=True)))
        channels = Channels({agent: household.mechanics.targets(agent) for agent in household.agents})
        hops_by_goal: dict[Proposition, int | None] = {}
        for goal in goals:
            hops = [
                channels.hops([agent for agent in household.agents if fact in self.task.known[agent]], [actor])
                for operators in household.operators.values()
                for operator in operators
                if operator.adds & household.bits[goal.goal] and operator.needs & ~reached == 0
                for actor in [household.agents[operator.agent]]
                for fact in goals
                if operator.adds & household.bits[fact.goal]
            ]
            hops_by_goal[goal.goal] = min((count for count in hops if count is not None), default=None)
        return hops_by_goal


def verify(
    task: HouseholdTask, *, most_nodes: int = MOST_NODES, planners: Mapping[str, OtherPlanner] | None = None
) -> Verdict:
    """Proves what a task claims. planners: others, by name, that are asked whether it can be solved."""
    if task.file.max_turns is not None or task.file.max_messages is not None:
        # Budgets come from earlier proofs, on which this one must not depend.
        task = check_task(task.file.model_copy(update={"max_turns": None, "max_messages": None}))
    return verdict(TaskProof(task, most_nodes=most_nodes), planners)


def verdict(proof: TaskProof, planners: Mapping[str, OtherPlanner] | None = None) -> Verdict:
    """Answers the questions that the proof of a task without budgets leaves open, and makes the certificate."""
    task = proof.task
    strips = to_strips(proof.problem("task"))
    checked_by = {name: ask_planner(strips) for name, ask_planner in (planners or {}).items()}
    agents, goal_owners, baseline = task.agents, tuple(task.private_goals), proof.turns("baseline")
    certificate = Certificate(
        task_hash=task.file.hash,
        strips_hash=strips.hash,
        solver=SOLVER,
        status=proof.status("task"),
        checked_by=checked_by,
        k_depth=task.k_depth,
        relay_depth=proof.relay_depth,
        plan=tuple({agent: str(command) for agent, command in turn.items()} for turn in proof.plan),
        messages=_message_count(proof.plan),
        without_agent={agent: proof.status(f"without {agent}") for agent in agents},
        without_communication=proof.status("silent"),
        deepest_by_sight=proof.status("sight") if task.k_depth else None,
        baseline=proof.status("baseline"),
        baseline_turns=len(baseline) if baseline else None,
        baseline_messages=_message_count(baseline) if baseline else None,
        private_goals={agent: proof.status(f"private {agent}") for agent in goal_owners},
        all_private_goals=proof.status("private") if len(goal_owners) > 1 else None,
    )
    faults = tuple(_faults(proof, certificate))
    spare = tuple(agent for agent in agents if proof.status(f"physical without {agent}") == "solved")
    return Verdict(certificate.model_copy(update={"faults": faults or None}), faults, proof.plan, spare)


def _message_count(turns: Sequence[JointTurn]) -> int:
    return sum(command.verb == Verb.COMMUNICATE for turn in turns for command in turn.values())


def _faults(proof: TaskProof, certificate: Certificate) -> list[str]:
    """Lists what is wrong with a task, a line each."""
    return [
        *_wrong_goals(proof, certificate),
        *_missing_proofs(proof, certificate),
        *_disagreements(certificate),
        *_private_goals_met(proof),
    ]


def _wrong_goals(proof: TaskProof, certificate: Certificate) -> Iterator[str]:
    task, mask = proof.task, proof.household.functional_mask
    if task.file.k_depth != certificate.k_depth:
        yield f"it claims K depth {task.file.k_depth}, but its goal has {certificate.k_depth}"
    if not task.physical_goal:
        yield "its goal has no conjunct without K, so that nothing has to be done"
    elif proof.household.start & mask == mask:
        yield "its physical goal holds before anyone acts"


def _missing_proofs(proof: TaskProof, certificate: Certificate) -> Iterator[str]:
    """Yields a line for each required proof that was refuted, or not found."""
    task = proof.task
    if not task.tells_goals:
        yield PROSE
    yield from missing_proofs(task.file, certificate)
    if task.file.needs_communication and certificate.without_communication == "unsolvable":
        refuted = "its physical goal, which alone is paid, can be reached without a message"
        yield from failed_proof(
            proof.status("physical silent"), "unsolvable", refuted, "its physical goal may need no message"
        )


def _disagreements(certificate: Certificate) -> list[str]:
    """Lists the other planners that contradict the own one; an unknown status contradicts none."""
    return [
        f"{name} says {status}, but the own planner {certificate.status}"
        for name, status in certificate.checked_by.items()
        if "unknown" not in (status, certificate.status) and status != certificate.status
    ]


def _private_goals_met(proof: TaskProof) -> list[str]:
    """Lists the private goals that hold at the start."""
    start = proof.household.start
    return [
        f"the private goal of {agent} holds before anyone acts"
        for agent, claims in proof.task.private_goals.items()
        if start & (mask := proof.household.goal_mask(claims)) == mask
    ]


def certified(file: TaskFile, verdict: Verdict) -> TaskFile:
    """Returns the file with its certificate and the budgets that follow.

    max_turns is twice the turns of the baseline or of the plan, whichever takes more. max_messages, which each agent
    may send, is twice the messages of all agents in the baseline or, if that is more, of the busiest agent in the plan.
    Answers of other planners to the same problem are kept, unless they were asked anew.
    """
    certificate, plan = verdict.certificate, verdict.turns
    if file.certificate and is_current(file) and file.certificate.strips_hash == certificate.strips_hash:
        certificate = certificate.model_copy(
            update={"checked_by": {**file.certificate.checked_by, **certificate.checked_by}}
        )
    if certificate.status != "solved" or certificate.baseline_turns is None or certificate.baseline_messages is None:
        return file.model_copy(update={"certificate": certificate, "max_turns": None, "max_messages": None})
    most = max((_sent_by(plan, agent) for agent in file.agent_spawns), default=0)
    budgets = {
        "max_turns": BUDGET_FACTOR * max(certificate.baseline_turns, len(plan), 1),
        "max_messages": BUDGET_FACTOR * max(certificate.baseline_messages, most),
    }
    return file.model_copy(update={"certificate": certificate, **budgets})


def _sent_by(turns: Sequence[JointTurn], agent: str) -> int:
    return sum(turn[agent].verb == Verb.COMMUNICATE for turn in turns if agent in turn)


def over_budget(task: HouseholdTask, plan: Sequence[JointTurn]) -> list[str]:
    """Lists where a plan exceeds the task's budgets, a line each."""
    faults = []
    if len(plan) > task.max_turns:
        faults.append(f"its plan takes {len(plan)} turns, but an episode has {task.max_turns}: --write sets budgets")
    for agent in task.agents:
        sent, most = _sent_by(plan, agent), task.message_budget(agent)
        if sent > most:
            faults.append(f"its plan has {agent} send {sent} messages, but it may send {most}: --write sets budgets")
    return faults


def misstated(file: TaskFile, certificate: Certificate) -> list[str]:
    """Lists the fields in which the file's certificate differs from the proof; none if it is not of this file.

    A certificate without relay depth is of an earlier version, and no fault.
    """
    recorded = file.certificate if is_current(file) else None
    if recorded is None:
        return []
    statements = [(name, getattr(recorded, name), getattr(certificate, name)) for name in PROVED]
    return [
        f"its certificate says {name.replace('_', ' ')} {_in_words(stated)}, but the proof finds {_in_words(proved)}: "
        "--write makes a new one"
        for name, stated, proved in statements
        if stated != proved and (name, stated) != ("relay_depth", None)
    ]


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {status}" for name, status in value.items()) or "of nobody"
    return "nothing" if value is None else str(value)


def is_current(file: TaskFile) -> bool:
    """True if the file's certificate was made for its present content."""
    return file.certificate is not None and file.certificate.task_hash == file.hash
