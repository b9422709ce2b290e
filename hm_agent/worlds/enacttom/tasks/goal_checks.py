"""Checks the goals of a task: each one is possible, and all that count together are."""

from __future__ import annotations

from collections.abc import Iterable

from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.mechanics import HouseMechanics
from hm_agent.worlds.enacttom.tasks.pddl import PddlError, PddlProblem, Stated, TaskError
from hm_agent.worlds.enacttom.tasks.propositions import FLOOR_SLOT, SLOTS, Is, Proposition
from hm_agent.worlds.enacttom.tasks.task import MIXED, TaskFile


def check_goals(file: TaskFile, problem: PddlProblem, plan: FloorPlan, mechanics: HouseMechanics) -> None:
    """Raises TaskError for the first fault of the shared goal or of a private one."""
    if not problem.goal:
        raise TaskError("the goal is empty")
    is_published = file.as_published is not None
    if (file.category == MIXED) != bool(problem.owned) and not is_published:
        raise TaskError("a mixed task has private goals in :goal-owners, a cooperative one has none")
    private = [conjunct for claims in problem.owned.values() for conjunct in claims]
    denied = [conjunct for conjunct in (*problem.goal, *private) if conjunct.is_denied]
    if denied and (file.characters is None or denied[0] in private):
        known = denied[0].claim.pddl
        raise PddlError(denied[0].line, f"'not' is only supported of is_open and is_closed, not of {known}")
    for stated in (*problem.goal, *private):
        _check_goal(stated, plan, mechanics)
    shared = [conjunct for conjunct in problem.goal if not conjunct.is_denied]
    _check_compatible(shared, plan)
    for owned in problem.owned.values():
        _check_compatible(owned if is_published else (*shared, *owned), plan)


def _check_goal(stated: Stated, plan: FloorPlan, mechanics: HouseMechanics) -> None:
    goal, line = stated.claim.proposition, stated.line
    if goal.predicate in (Is.OPEN, Is.CLOSED) and goal.arguments[0] not in plan.openable:
        raise PddlError(line, f"{goal.arguments[0]} does not open: :init states neither is_open nor is_closed")
    if goal.predicate == Is.INSIDE and goal.arguments[1] not in plan.openable:
        raise PddlError(line, f"{goal.arguments[1]} has no inside: :init states neither is_open nor is_closed")
    if goal.predicate == Is.IN_ROOM and goal.arguments[0] in plan.furniture:
        raise PddlError(line, f"{goal.pddl} is no goal: furniture does not move")
    if goal.predicate == Is.AGENT_IN_ROOM and not mechanics.may_enter(*goal.arguments):
        raise PddlError(line, f"{goal.pddl} is impossible: {goal.arguments[0]} cannot enter {goal.arguments[1]}")


def _check_compatible(goal: Iterable[Stated], plan: FloorPlan) -> None:
    """Raises PddlError if two conjuncts can't hold at once; one with K counts like its proposition, which must hold."""
    stated = list(goal)
    if pair := exclusive([conjunct.claim.proposition for conjunct in stated], plan):
        line = next(conjunct.line for conjunct in stated if conjunct.claim.proposition == pair[1])
        raise PddlError(line, f"{pair[1].pddl} and {pair[0].pddl} can't both hold")


def exclusive(goal: Iterable[Proposition], plan: FloorPlan) -> tuple[Proposition, Proposition] | None:
    """Returns the first two propositions that can't both hold in any state, e.g. two places of an object, or None."""
    seen: dict[tuple[str, str], tuple[str, Proposition]] = {}
    for proposition in goal:
        for slot, value in _slots(proposition, plan).items():
            taken_value, earlier = seen.setdefault(slot, (value, proposition))
            if taken_value != value:
                return earlier, proposition
    return None


def _slots(proposition: Proposition, plan: FloorPlan) -> dict[tuple[str, str], str]:
    """The attributes that a proposition determines, with their values; an attribute has one value at a time.

    E.g. the place of an object and the room where it lies, what a hand holds, whether furniture is open.
    """
    name, other, slot = proposition.arguments[0], proposition.arguments[-1], SLOTS[proposition.predicate]
    slots = {(slot, name): other if slot == FLOOR_SLOT else proposition.pddl}
    if proposition.predicate == Is.HELD_BY:
        return slots | {(FLOOR_SLOT, name): "", ("hand", other): name}
    if proposition.predicate in (Is.ON_TOP, Is.INSIDE):
        return slots | {(FLOOR_SLOT, name): plan.furniture[other]}
    return slots
