"""Decides on a proposed task: kept, or refused for the first thing that is wrong, the cheap proofs first."""

from __future__ import annotations

from collections.abc import Iterator

from hm_agent.worlds.enacttom.author.drafts import Channels, TaskRequest
from hm_agent.worlds.enacttom.propositions import Claim, wanted
from hm_agent.worlds.enacttom.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.compiler import Variant, compile_task, reachable
from hm_agent.worlds.enacttom.verification.verifier import TaskProof

MOST_NODES = 250
"""States that the planner may expand for one question about a proposal; it is refused if they don't suffice."""

DONE, WISH_DONE = "a goal holds before anyone acts", "a private goal holds before anyone acts"
OTHER_DEPTH, OTHER_HOPS = "K depth is not the one wanted", "knowledge need not travel that many hops"
BY_SIGHT, NO_PLAN, NO_BASELINE = "deepest K can be had by sight", "no plan", "no plan with all secrets public"
NO_MESSAGE, SPARE_AGENT = "solved without a message", "an agent is not needed"
WISH_EXCLUDED, UNDECIDED = "a private goal excludes the shared one", "the planner stopped without a proof"
NOT_READ = "the loader refuses it"
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
    if relay_depth(proof) != request.k_depth:
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


def relay_depth(proof: TaskProof) -> int | None:
    """How many messages, one after another, it takes at least until all shared physical goals can be brought about.

    For each goal: the least number of hops from an agent that knows of it at first, or of another goal that the same
    action reaches, to an agent that could ever bring it about. None if a goal is out of reach. It bounds all knowing
    plans from below: a goal is known of through secrets and messages alone.
    """
    household = proof.household
    goals = [wanted(one) for one in proof.task.physical_goal]
    physical = tuple(Claim((), one.goal) for one in goals)
    reached = reachable(compile_task(household, Variant(physical, is_knowing=False, is_silent=True)))
    channels = Channels({agent: household.mechanics.targets(agent) for agent in household.agents})
    deepest = 0
    for goal in goals:
        hops = [
            channels.hops([agent for agent in household.agents if fact in proof.task.known[agent]], [actor])
            for operators in household.operators.values()
            for one in operators
            if one.adds & household.bits[goal.goal] and one.needs & ~reached == 0
            for actor in [household.agents[one.agent]]
            for fact in goals
            if one.adds & household.bits[fact.goal]
        ]
        least = min((count for count in hops if count is not None), default=None)
        if least is None:
            return None
        deepest = max(deepest, least)
    return deepest
