"""Decides whether to keep a proposed task; checks the cheap proofs first and refuses it for the first fault."""

from __future__ import annotations

from collections.abc import Iterator

from hm_agent.worlds.enacttom.author.drafts import TaskRequest
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from hm_agent.worlds.enacttom.verification.verifier import TaskProof

MOST_NODES = 250
"""The most states that the planner expands for one question about a proposal; if they don't suffice, it is refused."""

DONE, WISH_DONE = "a goal holds before anyone acts", "a private goal holds before anyone acts"
OTHER_DEPTH, OTHER_HOPS = "K depth is not the one wanted", "knowledge travels another number of hops"
BY_SIGHT, NO_PLAN, NO_BASELINE = "deepest K can be had by sight", "no plan", "no plan with all secrets public"
NO_MESSAGE, SPARE_AGENT = "solved without a message", "an agent is not needed"
WISH_EXCLUDED, UNDECIDED = "a private goal excludes the shared one", "the planner stopped without a proof"
NOT_READ = "the loader refuses it"
UNKNOWABLE = ": it has to be seen by somebody, and who sees it has to be able to tell its agents"
REASONS = (
    NOT_READ, DONE, WISH_DONE, OTHER_DEPTH, OTHER_HOPS, BY_SIGHT, NO_PLAN, NO_BASELINE, NO_MESSAGE, SPARE_AGENT,
    WISH_EXCLUDED, UNDECIDED,
)  # fmt: skip


def quick_proof(task: HouseholdTask) -> TaskProof:
    """A proof of a proposal in which no question takes more than MOST_NODES states."""
    return TaskProof(task, most_nodes=MOST_NODES)


def refusal(proof: TaskProof, request: TaskRequest) -> str | None:
    """Returns one of REASONS if a task is not of the kind requested; None if it is."""
    task, household, start = proof.task, proof.household, proof.household.start
    if any(start & household.bits[proposition] for proposition in task.physical_goal):
        return DONE
    if any(start & household.goal_mask([claim]) for claims in task.private_goals.values() for claim in claims):
        return WISH_DONE
    if task.k_depth != request.k_depth:
        return OTHER_DEPTH
    if proof.relay_depth != request.k_depth:
        return OTHER_HOPS
    return next((why for why in _refusals(proof) if why), None)


def _refusals(proof: TaskProof) -> Iterator[str | None]:
    """For each question to the planner, the quick ones first, a reason to refuse the task; None if it passes."""
    if proof.task.k_depth:
        yield _refusal_unless(proof, "sight", "unsolvable", BY_SIGHT)
    if proof.task.file.needs_communication:
        yield _refusal_unless(proof, "silent", "unsolvable", NO_MESSAGE)
    for agent in proof.task.agents:
        yield _refusal_unless(proof, f"without {agent}", "unsolvable", SPARE_AGENT)
    yield _refusal_unless(proof, "baseline", "solved", NO_BASELINE)
    yield _refusal_unless(proof, "task", "solved", NO_PLAN)
    for agent in proof.task.private_goals:
        yield _refusal_unless(proof, f"private {agent}", "solved", WISH_EXCLUDED)
    if "private" in proof.variants:  # all private goals together may be reachable or not, but it has to be proved
        yield UNDECIDED if proof.status("private") == "unknown" else None


def _refusal_unless(proof: TaskProof, question: str, status: str, otherwise: str) -> str | None:
    """None if a question has this status; UNDECIDED if it is unknown, else the reason `otherwise`."""
    answer = proof.status(question)
    if answer == status:
        return None
    return UNDECIDED if answer == "unknown" else otherwise


def explanation(proof: TaskProof, request: TaskRequest, why: str) -> list[str]:
    """Explains a refusal to the model that proposed the task, one line for each conjunct concerned; maybe none."""
    task, household, start = proof.task, proof.household, proof.household.start
    if why == DONE:
        done = [proposition for proposition in task.physical_goal if start & household.bits[proposition]]
        return [f"{proposition.pddl} holds before anyone acts" for proposition in done]
    if why == WISH_DONE:
        return [
            f"{claim.pddl} of {agent} holds before anyone acts"
            for agent, claims in task.private_goals.items()
            for claim in claims
            if start & household.goal_mask([claim])
        ]
    if why == OTHER_HOPS:
        return _hops_lines(proof, request.k_depth)
    if why in (NO_BASELINE, NO_PLAN):
        return _unreachable_lines(proof, is_public=why == NO_BASELINE)
    return []


def _hops_lines(proof: TaskProof, depth: int) -> list[str]:
    lines = [
        f"{goal.pddl}: messages, one after the other, from an agent that knows that it is wanted to one that can bring "
        f"it about: {'no way' if hops is None else hops}"
        for goal, hops in proof.goal_hops.items()
    ]
    return [*lines, f"wanted: {depth} for at least one conjunct, and more for none"]


def _unreachable_lines(proof: TaskProof, *, is_public: bool) -> list[str]:
    """A line for each shared conjunct that has no plan even alone. is_public: True if all secrets are public."""
    unsolvable = []
    for conjunct in proof.task.goal:
        variant = Variant((conjunct,), is_knowing=not is_public, is_public=is_public)
        result = solve(compile_task(proof.household, variant), most_nodes=proof.most_nodes)
        if result.status == "unsolvable":
            unsolvable.append(conjunct)
    if not unsolvable:
        return ["each conjunct has a plan alone, but not all together"]
    return [f"{conjunct.pddl} has no plan even alone{UNKNOWABLE if conjunct.depth else ''}" for conjunct in unsolvable]
