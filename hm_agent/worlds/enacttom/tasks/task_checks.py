"""Checks task files: makes a `HouseholdTask` of a valid one, and says in one line what is wrong with any other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hm_agent.worlds.enacttom.tasks.characters import BLANK
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.house_checks import check_known, checked_mechanics, checked_plan, initial_facts
from hm_agent.worlds.enacttom.tasks.knowledge_checks import checked_mind, initial_knowledge, read_fact, read_known_facts
from hm_agent.worlds.enacttom.tasks.mechanics import HouseMechanics
from hm_agent.worlds.enacttom.tasks.pddl import PddlError, PddlProblem, Stated, TaskError, read_problem
from hm_agent.worlds.enacttom.tasks.propositions import FLOOR_SLOT, SLOTS, Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.published_tasks import completed
from hm_agent.worlds.enacttom.tasks.task import MIXED, HouseholdTask, TaskFile

_NUMBERED_NAME = re.compile(r"\b[a-z][a-z_]*_\d+\b")


def check_task(file: TaskFile) -> HouseholdTask:
    """Checks a task file and returns its task; raises TaskError for the first fault.

    A task as published (published_tasks.py) may also begin with an agent in a room that it can't enter, have private
    goals that contradict the shared one, name things in its texts that its PDDL lacks, and tell goals in prose alone.
    """
    problem = read_problem(file.problem_pddl)
    is_published = file.as_published is not None
    if is_published:
        problem = completed(problem, file.mechanic_bindings)
    plan = checked_plan(problem, file)
    mechanics = checked_mechanics(file, plan)
    stated = [(fact.claim.proposition, fact.line) for fact in problem.init]
    init = initial_facts(stated, plan, mechanics, may_begin_barred=is_published)
    _check_spawns(file, init)
    owned = {agent: tuple(conjunct.claim for conjunct in claims) for agent, claims in problem.owned.items()}
    check_goals(file, problem, plan, mechanics)
    goal = tuple(dict.fromkeys(conjunct.claim for conjunct in problem.goal if not conjunct.is_denied))
    hidden = tuple(dict.fromkeys(conjunct.claim for conjunct in problem.goal if conjunct.is_denied))
    public, known = initial_knowledge(file, problem, mechanics, init, goal, owned)
    check_known("agent_secrets", file.agent_secrets, file.agent_spawns, "agent")
    if not is_published:
        _check_names_in_texts(file, problem.objects)
    characters = {agent: checked_mind(agent, one, problem, plan) for agent, one in (file.characters or {}).items()}
    unsure = {
        agent: read_known_facts(f"unsure of {agent}", texts, problem, init)
        for agent, texts in (file.unsure or {}).items()
    }
    slots = tuple(
        tuple(read_fact("slots", text, problem) for text in (slot.fact, *slot.instead)) for slot in file.slots or ()
    )
    task = HouseholdTask(file, plan, mechanics, init, goal, owned, public, known, characters, hidden, unsure, slots)
    if file.characters is not None:
        _check_hard(task)
    return task


def _check_hard(task: HouseholdTask) -> None:
    """Checks what holds of every task with characters."""
    if not task.characters or not task.seats:
        raise TaskError("characters: name at least one agent, and leave at least one to the agent under test")
    if task.mechanics.most_facts is None or task.file.max_turns is None:
        raise TaskError("a task with characters states max_turns and has the mechanic short_messages")
    check_known("unsure", task.unsure, task.characters, "character")
    if task.file.task.count(BLANK) != len(task.slots):
        raise TaskError(f"task: it has {task.file.task.count(BLANK)} blanks {BLANK} for {len(task.slots)} slots")
    for fact, *_ in task.slots:
        if fact not in task.init or not any(fact in task.known[agent] for agent in task.characters):
            raise TaskError(f"slots: {fact.pddl} has to hold at the start, and a character has to know it")
    for seat in task.seats:
        places = {fact for fact in task.init if fact.predicate in Is.PLACES}
        told = {*places.difference(fact for fact, *_ in task.slots), *(wanted(goal) for goal in task.physical_goal)}
        if untold := sorted(fact.pddl for fact in told - set(task.known[seat])):
            raise TaskError(f"secret_facts of {seat}: {untold[0]} is missing: it is told all places and goals")


def _check_spawns(file: TaskFile, init: frozenset[Proposition]) -> None:
    for agent, spawn in file.agent_spawns.items():
        if Proposition(Is.AGENT_IN_ROOM, (agent, spawn.room)) not in init:
            raise TaskError(f"agent_spawns puts {agent} into {spawn.room}, but :init elsewhere")


def _check_names_in_texts(file: TaskFile, objects: Mapping[str, str]) -> None:
    texts = [("task", file.task)]
    texts += [(f"agent_secrets of {agent}", text) for agent, secrets in file.agent_secrets.items() for text in secrets]
    for where, text in texts:
        for name in _NUMBERED_NAME.findall(text):
            if name not in objects:
                raise TaskError(f"{where}: names {name}, which is not in this household")


# Goals


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
    if goal.predicate in Is.STATES and goal.arguments[0] not in plan.openable:
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
    if proposition.predicate in Is.ON_FURNITURE:
        return slots | {(FLOOR_SLOT, name): plan.furniture[other]}
    return slots
