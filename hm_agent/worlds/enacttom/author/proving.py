"""Decides on a proposed task: kept, or refused for the first thing that is wrong, the cheap proofs first."""

from __future__ import annotations

from collections.abc import Iterator

from hm_agent.worlds.enacttom.author.drafts import TaskRequest
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.compiler import Variant, compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.verifier import TaskProof

MOST_NODES = 250
"""States that the planner may expand for one question about a proposal; it is refused if they don't suffice."""

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
    """Answers questions about a proposal within MOST_NODES."""
    return TaskProof(task, most_nodes=MOST_NODES)


def refusal(proof: TaskProof, request: TaskRequest) -> str | None:
    """Why a task is not of the kind that is wanted, one of REASONS; None if it is."""
    task, household, start = proof.task, proof.household, proof.household.start
    if any(start & household.bits[one] for one in task.physical_goal):
        return DONE
    if any(start & household.goal_mask([one]) for claims in task.private_goals.values() for one in claims):
        return WISH_DONE
    if task.k_depth != request.k_depth:
        return OTHER_DEPTH
    if proof.relay_depth != request.k_depth:
        return OTHER_HOPS
    return next((why for why in _unproved(proof) if why), None)


def _unproved(proof: TaskProof) -> Iterator[str | None]:
    """For each question to the planner, what its answer means for the task; the quick ones come first."""
    if proof.task.k_depth:
        yield _needs(proof, "sight", "unsolvable", BY_SIGHT)
    if proof.task.file.needs_communication:
        yield _needs(proof, "silent", "unsolvable", NO_MESSAGE)
    for agent in proof.task.agents:
        yield _needs(proof, f"without {agent}", "unsolvable", SPARE_AGENT)
    yield _needs(proof, "baseline", "solved", NO_BASELINE)
    yield _needs(proof, "task", "solved", NO_PLAN)
    for agent in proof.task.private_goals:
        yield _needs(proof, f"private {agent}", "solved", WISH_EXCLUDED)
    if "private" in proof.variants:  # all wishes together may be had or not, but it should be known
        yield UNDECIDED if proof.status("private") == "unknown" else None


def _needs(proof: TaskProof, question: str, status: str, otherwise: str) -> str | None:
    found = proof.status(question)
    if found == status:
        return None
    return UNDECIDED if found == "unknown" else otherwise


def explanation(proof: TaskProof, request: TaskRequest, why: str) -> list[str]:
    """What `refusal` met, for who proposed the task: a line for each conjunct that it is about."""
    task, household, start = proof.task, proof.household, proof.household.start
    if why == DONE:
        return [f"{one.pddl} holds before anyone acts" for one in task.physical_goal if start & household.bits[one]]
    if why == WISH_DONE:
        return [
            f"{one.pddl} of {agent} holds before anyone acts"
            for agent, claims in task.private_goals.items()
            for one in claims
            if start & household.goal_mask([one])
        ]
    if why == OTHER_HOPS:
        return _hops_told(proof, request.k_depth)
    if why in (NO_BASELINE, NO_PLAN):
        return _out_of_reach(proof, is_public=why == NO_BASELINE)
    return []


def _hops_told(proof: TaskProof, depth: int) -> list[str]:
    lines = [
        f"{goal.pddl}: messages, one after the other, from an agent that knows that it is wanted to one that can bring "
        f"it about: {'no way' if hops is None else hops}"
        for goal, hops in proof.goal_hops.items()
    ]
    return [*lines, f"wanted: {depth} for at least one conjunct, and more for none"]


def _out_of_reach(proof: TaskProof, *, is_public: bool) -> list[str]:
    """The shared conjuncts that have no plan even alone. is_public: with all secrets public."""

    def is_unsolvable(one: Claim) -> bool:
        variant = Variant((one,), is_knowing=not is_public, is_public=is_public)
        return solve(compile_task(proof.household, variant), most_nodes=proof.most_nodes).status == "unsolvable"

    alone = [one for one in proof.task.goal if is_unsolvable(one)]
    if not alone:
        return ["each conjunct has a plan alone, but not all together"]
    return [f"{one.pddl} has no plan even alone{UNKNOWABLE if one.depth else ''}" for one in alone]
