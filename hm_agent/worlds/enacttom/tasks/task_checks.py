"""Turns a task file into a task, and says in one line what is wrong with one that can't be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.mechanics import (
    HouseMechanics,
    InverseState,
    LimitedBandwidth,
    RemoteControl,
    RestrictedCommunication,
    RoomRestriction,
    StateMirroring,
)
from hm_agent.worlds.enacttom.tasks.pddl import (
    PddlError,
    PddlProblem,
    Stated,
    TaskError,
    read_expressions,
    read_problem,
    read_proposition,
)
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT,
    AGENT_IN_ROOM,
    FURNITURE,
    HAND_EMPTY,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    MECHANIC,
    OBJECT,
    PHYSICAL,
    ROOM,
    WANTED,
    Claim,
    Proposition,
    wanted,
)
from hm_agent.worlds.enacttom.tasks.task import MIXED, HouseholdTask, TaskFile

_NAMED = re.compile(r"\b[a-z][a-z_]*_\d+\b")
_LEAST_AGENTS, _MOST_AGENTS = 2, 4
_PLACES = (IS_ON_TOP, IS_INSIDE, IS_HELD_BY, IS_ON_FLOOR)
Facts = Mapping[str, tuple[Proposition, ...]]


def check_task(file: TaskFile) -> HouseholdTask:
    """What a task file means; raises TaskError with one line for the first thing that is wrong with it."""
    problem = read_problem(file.problem_pddl)
    plan = _floor_plan(problem, file)
    mechanics = _mechanics(file, plan)
    stated = [(one.claim.proposition, one.line) for one in problem.init]
    init = _init(stated, plan, mechanics)
    _check_spawns(file, init)
    owned = {agent: tuple(one.claim for one in claims) for agent, claims in problem.owned.items()}
    _check_goals(file, problem, plan, mechanics)
    goal = tuple(dict.fromkeys(one.claim for one in problem.goal))
    public, known = _knowledge(file, problem, mechanics, init, goal, owned)
    _check_sentences(file, problem.objects)
    return HouseholdTask(file, plan, mechanics, init, goal, owned, public, known)


# The floor plan


def _floor_plan(problem: PddlProblem, file: TaskFile) -> FloorPlan:
    named = {kind: tuple(one for one, its in problem.objects.items() if its == kind) for kind in (AGENT, ROOM, OBJECT)}
    if not _LEAST_AGENTS <= len(named[AGENT]) <= _MOST_AGENTS:
        raise TaskError(f"there are {len(named[AGENT])} agents: a task has {_LEAST_AGENTS} to {_MOST_AGENTS}")
    if odd := sorted(set(file.agent_spawns) ^ set(named[AGENT])):
        raise TaskError(f"agent_spawns and :objects don't name the same agents: {', '.join(odd)}")
    rooms: dict[str, str] = {}
    openable: dict[str, int] = {}
    for stated in problem.init:
        one = stated.claim.proposition
        is_furniture = one.predicate == IS_IN_ROOM and problem.objects[one.arguments[0]] == FURNITURE
        if is_furniture and rooms.setdefault(one.arguments[0], one.arguments[1]) != one.arguments[1]:
            raise PddlError(stated.line, f"{one.arguments[0]} is in {rooms[one.arguments[0]]} already")
        if one.predicate in (IS_OPEN, IS_CLOSED):
            if one.arguments[0] in openable:
                raise PddlError(stated.line, f"the state of {one.arguments[0]} is stated twice")
            openable[one.arguments[0]] = stated.line
    furniture = [one for one, kind in problem.objects.items() if kind == FURNITURE]
    if homeless := [one for one in furniture if one not in rooms]:
        raise TaskError(f"{homeless[0]} is in no room: state (is_in_room {homeless[0]} ROOM) in :init")
    return FloorPlan(
        named[AGENT],
        named[ROOM],
        {one: rooms[one] for one in furniture},
        tuple(one for one in furniture if one in openable),
        named[OBJECT],
    )


# Mechanics


def _mechanics(file: TaskFile, plan: FloorPlan) -> HouseMechanics:
    bound = {binding.mechanic_type for binding in file.mechanic_bindings}
    if odd := sorted(bound ^ set(file.active_mechanics)):
        where = "mechanic_bindings" if odd[0] in file.active_mechanics else "active_mechanics"
        raise TaskError(f"{odd[0]} is missing in {where}")
    for binding in file.mechanic_bindings:
        what = binding.mechanic_type
        if isinstance(binding, RoomRestriction):
            _check_known(what, binding.restricted_rooms, plan.rooms, "room")
            _check_known(what, binding.for_agents, plan.agents, "agent")
        elif isinstance(binding, LimitedBandwidth):
            _check_known(what, binding.message_limits, plan.agents, "agent")
        elif isinstance(binding, RestrictedCommunication):
            _check_known(what, binding.allowed_targets, plan.agents, "agent")
            for agent, targets in binding.allowed_targets.items():
                _check_known(what, targets, [one for one in plan.agents if one != agent], "other agent")
        elif isinstance(binding, InverseState):
            _check_known(what, [binding.trigger_object], plan.openable, "furniture that opens")
        elif isinstance(binding, RemoteControl | StateMirroring):
            _check_known(what, [binding.trigger_object, binding.target_object], plan.openable, "furniture that opens")
            if binding.trigger_object == binding.target_object:
                raise TaskError(f"{what}: {binding.trigger_object} is bound to itself")
    limits = (one.message_limits for one in file.mechanic_bindings if isinstance(one, LimitedBandwidth))
    reached = (one.allowed_targets for one in file.mechanic_bindings if isinstance(one, RestrictedCommunication))
    _check_once("limited_bandwidth", limits)
    _check_once("restricted_communication", reached)
    return HouseMechanics(plan.agents, file.mechanic_bindings)


def _check_once(what: str, bound: Iterable[Iterable[str]]) -> None:
    counts = Counter(name for names in bound for name in names)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise TaskError(f"{what}: {twice[0]} is bound in {counts[twice[0]]} bindings")


def _check_known(what: str, names: Iterable[str], known: Iterable[str], kind: str) -> None:
    for name in names:
        if name not in tuple(known):
            raise TaskError(f"{what}: {name} is no {kind} of this household")


# The initial state


def _init(
    stated: Sequence[tuple[Proposition, int]], plan: FloorPlan, mechanics: HouseMechanics
) -> frozenset[Proposition]:
    for one, line in stated:
        if one.predicate in MECHANIC and one not in mechanics.propositions:
            raise PddlError(line, f"{one.pddl} is bound by no mechanic: say so in mechanic_bindings")
    physical = {
        one: line
        for one, line in stated
        if one.predicate in PHYSICAL and not (one.predicate == IS_IN_ROOM and one.arguments[0] in plan.furniture)
    }
    _check_agents(physical, plan, mechanics)
    _check_mirrors(physical, mechanics)
    rooms = {one: _room_of(one, physical, plan) for one in plan.objects}
    hands = Counter(one.arguments[1] for one in physical if one.predicate == IS_HELD_BY)
    if full := [agent for agent, count in hands.items() if count > 1]:
        raise TaskError(f":init puts {hands[full[0]]} objects into the one hand of {full[0]}")
    lying = {Proposition(IS_IN_ROOM, (one, room)) for one, room in rooms.items() if room}
    empty = {Proposition(HAND_EMPTY, (agent,)) for agent in plan.agents if agent not in hands}
    return frozenset(physical.keys() | lying | empty)


def _check_agents(physical: Mapping[Proposition, int], plan: FloorPlan, mechanics: HouseMechanics) -> None:
    for agent in plan.agents:
        rooms = [one for one in physical if one.predicate == AGENT_IN_ROOM and one.arguments[0] == agent]
        if len(rooms) != 1:
            raise TaskError(f":init puts {agent} into {len(rooms)} rooms: state (agent_in_room {agent} ROOM) once")
        if not mechanics.may_enter(*rooms[0].arguments):
            raise PddlError(physical[rooms[0]], f"{agent} begins in {rooms[0].arguments[1]}, which it cannot enter")


def _check_mirrors(physical: Mapping[Proposition, int], mechanics: HouseMechanics) -> None:
    for binding in mechanics.bindings:
        if isinstance(binding, StateMirroring):
            pair = (binding.trigger_object, binding.target_object)
            if len({Proposition(IS_OPEN, (one,)) in physical for one in pair}) > 1:
                raise TaskError(f"{pair[0]} and {pair[1]} mirror each other, but :init has one open and one closed")


def _room_of(name: str, physical: Mapping[Proposition, int], plan: FloorPlan) -> str | None:
    """The room where an object lies; None if it is held. Raises TaskError if its place is unclear."""
    places = [one for one in physical if one.predicate in _PLACES and one.arguments[0] == name]
    said = [one for one in physical if one.predicate == IS_IN_ROOM and one.arguments[0] == name]
    if len(places) != 1:
        where = " and ".join(one.pddl for one in places) or "nowhere"
        raise TaskError(f":init has {name} {where}: an object is in one place")
    place, line = places[0], physical[places[0]]
    if place.predicate == IS_INSIDE and place.arguments[1] not in plan.openable:
        raise PddlError(line, f"{place.arguments[1]} has no inside: state whether it is_open or is_closed")
    if place.predicate == IS_ON_FLOOR:
        if len(said) != 1:
            raise PddlError(line, f"{name} lies on the floor of {len(said)} rooms: state (is_in_room {name} ROOM) once")
        return said[0].arguments[1]
    room = None if place.predicate == IS_HELD_BY else plan.furniture[place.arguments[1]]
    for one in said:
        if one.arguments[1] != room:
            raise PddlError(physical[one], f"{one.pddl} contradicts {place.pddl}")
    return room


def _check_spawns(file: TaskFile, init: frozenset[Proposition]) -> None:
    for agent, spawn in file.agent_spawns.items():
        if Proposition(AGENT_IN_ROOM, (agent, spawn.room)) not in init:
            raise TaskError(f"agent_spawns puts {agent} into {spawn.room}, but :init elsewhere")


# Goals


def _check_goals(file: TaskFile, problem: PddlProblem, plan: FloorPlan, mechanics: HouseMechanics) -> None:
    if not problem.goal:
        raise TaskError("the goal is empty")
    if (file.category == MIXED) != bool(problem.owned):
        raise TaskError("a mixed task has private goals in :goal-owners, a cooperative one has none")
    for stated in (*problem.goal, *(one for claims in problem.owned.values() for one in claims)):
        _check_goal(stated, plan, mechanics)
    _check_together(problem.goal, plan)
    for owned in problem.owned.values():
        _check_together((*problem.goal, *owned), plan)


def _check_goal(stated: Stated, plan: FloorPlan, mechanics: HouseMechanics) -> None:
    one, line = stated.claim.proposition, stated.line
    if one.predicate in (IS_OPEN, IS_CLOSED) and one.arguments[0] not in plan.openable:
        raise PddlError(line, f"{one.arguments[0]} does not open: :init states neither is_open nor is_closed")
    if one.predicate == IS_INSIDE and one.arguments[1] not in plan.openable:
        raise PddlError(line, f"{one.arguments[1]} has no inside: :init states neither is_open nor is_closed")
    if one.predicate == IS_IN_ROOM and one.arguments[0] in plan.furniture:
        raise PddlError(line, f"{one.pddl} is no goal: furniture does not move")
    if one.predicate == AGENT_IN_ROOM and not mechanics.may_enter(*one.arguments):
        raise PddlError(line, f"{one.pddl} is impossible: {one.arguments[0]} cannot enter {one.arguments[1]}")


def _check_together(goal: Iterable[Stated], plan: FloorPlan) -> None:
    """Raises PddlError for two conjuncts that can't hold at once; what is known has to be so, too."""
    stated = list(goal)
    if pair := exclusive([one.claim.proposition for one in stated], plan):
        line = next(one.line for one in stated if one.claim.proposition == pair[1])
        raise PddlError(line, f"{pair[1].pddl} and {pair[0].pddl} can't both hold")


def exclusive(goal: Iterable[Proposition], plan: FloorPlan) -> tuple[Proposition, Proposition] | None:
    """The first two propositions that can't both hold in any state, as a thing is in one place and in one state."""
    seen: dict[tuple[str, str], tuple[str, Proposition]] = {}
    for one in goal:
        for slot, value in _slots(one, plan).items():
            taken, by = seen.setdefault(slot, (value, one))
            if taken != value:
                return by, one
    return None


def _slots(one: Proposition, plan: FloorPlan) -> dict[tuple[str, str], str]:
    """What a proposition says of slots with one value at a time: a thing's place and room, a hand, a door."""
    what, name = one.arguments, one.arguments[0]
    if one.predicate in (IS_OPEN, IS_CLOSED):
        return {("state", name): one.predicate}
    if one.predicate == AGENT_IN_ROOM:
        return {("room", name): what[1]}
    if one.predicate == IS_IN_ROOM:
        return {("lies in", name): what[1]}
    if one.predicate == IS_HELD_BY:
        return {("place", name): one.pddl, ("lies in", name): "", ("hand", what[1]): name}
    if one.predicate in (IS_ON_TOP, IS_INSIDE):
        return {("place", name): one.pddl, ("lies in", name): plan.furniture[what[1]]}
    return {("place", name): one.pddl}


# What agents know from the start


def _knowledge(
    file: TaskFile,
    problem: PddlProblem,
    mechanics: HouseMechanics,
    init: frozenset[Proposition],
    goal: tuple[Claim, ...],
    owned: Mapping[str, tuple[Claim, ...]],
) -> tuple[tuple[Proposition, ...], Facts]:
    """The public facts, and all that each agent knows from the start."""
    shared = [wanted(one.proposition) for one in goal if one.depth == 0]
    private = {agent: [wanted(one.proposition) for one in claims if one.depth == 0] for agent, claims in owned.items()}
    possible = init | mechanics.propositions | set(shared) | {one for facts in private.values() for one in facts}
    agents = tuple(file.agent_spawns)
    public = _facts("public_facts", file.public_facts, problem, possible)
    if file.secret_facts is None:
        public = tuple(dict.fromkeys((*public, *shared)))
    _check_known("secret_facts", file.secret_facts or (), agents, "agent")
    secret = {
        agent: _facts(f"secret_facts of {agent}", texts, problem, possible)
        for agent, texts in (file.secret_facts or {}).items()
    }
    known = {
        agent: tuple(dict.fromkeys((*public, *secret.get(agent, ()), *private.get(agent, ())))) for agent in agents
    }
    for fact in shared:
        if not any(fact in facts for facts in known.values()):
            raise TaskError(f"nobody knows that {fact.goal.pddl} is wanted: add {fact.pddl} to someone's secret_facts")
    return public, known


def _facts(
    where: str, texts: Iterable[str], problem: PddlProblem, possible: frozenset[Proposition]
) -> tuple[Proposition, ...]:
    found = []
    for text in texts:
        try:
            expressions = read_expressions(text)
            if len(expressions) != 1:
                raise TaskError(f"{text!r} is not one proposition")
            fact = read_proposition(expressions[0], problem.objects, PHYSICAL | MECHANIC)
        except TaskError as error:
            raise TaskError(f"{where}: {str(error).removeprefix('problem_pddl, line 1: ')}") from None
        if fact not in possible:
            why = "no conjunct of the goal says so without K" if fact.predicate == WANTED else "it is not so at first"
            raise TaskError(f"{where}: {fact.pddl} can't be known: {why}")
        found.append(fact)
    return tuple(found)


def _check_sentences(file: TaskFile, objects: Mapping[str, str]) -> None:
    _check_known("agent_secrets", file.agent_secrets, file.agent_spawns, "agent")
    texts = [("task", file.task)]
    texts += [(f"agent_secrets of {agent}", text) for agent, secrets in file.agent_secrets.items() for text in secrets]
    for where, text in texts:
        for name in _NAMED.findall(text):
            if name not in objects:
                raise TaskError(f"{where}: names {name}, which is not in this household")
