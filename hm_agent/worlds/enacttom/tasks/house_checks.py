"""Checks the house of a task: floor plan, mechanics and initial state."""

from __future__ import annotations

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
from hm_agent.worlds.enacttom.tasks.pddl import PddlError, PddlProblem, TaskError
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT,
    FURNITURE,
    MECHANIC,
    OBJECT,
    PHYSICAL,
    ROOM,
    Is,
    Proposition,
)
from hm_agent.worlds.enacttom.tasks.task import TaskFile

_LEAST_AGENTS, _MOST_AGENTS = 2, 4


def checked_plan(problem: PddlProblem, file: TaskFile) -> FloorPlan:
    """Checks agents and furniture, and makes the floor plan. Furniture opens if :init states its state."""
    names = {
        kind: tuple(name for name, its_kind in problem.objects.items() if its_kind == kind)
        for kind in (AGENT, ROOM, OBJECT)
    }
    if not _LEAST_AGENTS <= len(names[AGENT]) <= _MOST_AGENTS:
        raise TaskError(f"there are {len(names[AGENT])} agents: a task has {_LEAST_AGENTS} to {_MOST_AGENTS}")
    if unmatched := sorted(set(file.agent_spawns) ^ set(names[AGENT])):
        raise TaskError(f"agent_spawns and :objects don't name the same agents: {', '.join(unmatched)}")
    rooms: dict[str, str] = {}
    openable: set[str] = set()
    for stated in problem.init:
        fact = stated.claim.proposition
        is_furniture = fact.predicate == Is.IN_ROOM and problem.objects[fact.arguments[0]] == FURNITURE
        if is_furniture and rooms.setdefault(fact.arguments[0], fact.arguments[1]) != fact.arguments[1]:
            raise PddlError(stated.line, f"{fact.arguments[0]} is in {rooms[fact.arguments[0]]} already")
        if fact.predicate in Is.STATES:
            if fact.arguments[0] in openable:
                raise PddlError(stated.line, f"the state of {fact.arguments[0]} is stated twice")
            openable.add(fact.arguments[0])
    furniture = [name for name, kind in problem.objects.items() if kind == FURNITURE]
    if homeless := [name for name in furniture if name not in rooms]:
        raise TaskError(f"{homeless[0]} is in no room: state (is_in_room {homeless[0]} ROOM) in :init")
    return FloorPlan(
        names[AGENT],
        names[ROOM],
        {name: rooms[name] for name in furniture},
        tuple(name for name in furniture if name in openable),
        names[OBJECT],
    )


def checked_mechanics(file: TaskFile, plan: FloorPlan) -> HouseMechanics:
    """Checks the bindings of a task, and makes its mechanics."""
    bound = {binding.mechanic_type for binding in file.mechanic_bindings}
    if mismatched := sorted(bound ^ set(file.active_mechanics)):
        where = "mechanic_bindings" if mismatched[0] in file.active_mechanics else "active_mechanics"
        raise TaskError(f"{mismatched[0]} is missing in {where}")
    for binding in file.mechanic_bindings:
        mechanic = binding.mechanic_type
        if isinstance(binding, RoomRestriction):
            check_known(mechanic, binding.restricted_rooms, plan.rooms, "room")
            check_known(mechanic, binding.for_agents, plan.agents, "agent")
        elif isinstance(binding, LimitedBandwidth):
            check_known(mechanic, binding.message_limits, plan.agents, "agent")
        elif isinstance(binding, RestrictedCommunication):
            check_known(mechanic, binding.allowed_targets, plan.agents, "agent")
            for agent, targets in binding.allowed_targets.items():
                check_known(mechanic, targets, [other for other in plan.agents if other != agent], "other agent")
        elif isinstance(binding, InverseState):
            check_known(mechanic, [binding.trigger_object], plan.openable, "furniture that opens")
        elif isinstance(binding, RemoteControl | StateMirroring):
            check_known(
                mechanic, [binding.trigger_object, binding.target_object], plan.openable, "furniture that opens"
            )
            if binding.trigger_object == binding.target_object:
                raise TaskError(f"{mechanic}: {binding.trigger_object} is bound to itself")
    limits = (binding.message_limits for binding in file.mechanic_bindings if isinstance(binding, LimitedBandwidth))
    reachable = (
        binding.allowed_targets for binding in file.mechanic_bindings if isinstance(binding, RestrictedCommunication)
    )
    _check_once("limited_bandwidth", limits)
    _check_once("restricted_communication", reachable)
    return HouseMechanics(plan.agents, file.mechanic_bindings)


def _check_once(mechanic: str, names_by_binding: Iterable[Iterable[str]]) -> None:
    """Raises TaskError if several bindings of a mechanic name the same agent."""
    counts = Counter(name for names in names_by_binding for name in names)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise TaskError(f"{mechanic}: {repeated[0]} is bound in {counts[repeated[0]]} bindings")


def check_known(where: str, names: Iterable[str], known: Iterable[str], kind: str) -> None:
    """Raises TaskError for a name that is not among the known ones, which are of one kind."""
    for name in names:
        if name not in tuple(known):
            raise TaskError(f"{where}: {name} is no {kind} of this household")


def initial_facts(
    stated: Sequence[tuple[Proposition, int]], plan: FloorPlan, mechanics: HouseMechanics, *, may_begin_barred: bool
) -> frozenset[Proposition]:
    """Checks :init, given as facts with their lines, and returns the physical facts that it states or implies."""
    for fact, line in stated:
        if fact.predicate in MECHANIC and fact not in mechanics.propositions:
            raise PddlError(line, f"{fact.pddl} follows from no mechanic: bind one in mechanic_bindings")
    physical = {
        fact: line
        for fact, line in stated
        if fact.predicate in PHYSICAL and not (fact.predicate == Is.IN_ROOM and fact.arguments[0] in plan.furniture)
    }
    _check_agents(physical, plan, HouseMechanics(plan.agents) if may_begin_barred else mechanics)
    _check_mirrors(physical, mechanics)
    rooms = {thing: _room_of(thing, physical, plan) for thing in plan.objects}
    held_counts = Counter(fact.arguments[1] for fact in physical if fact.predicate == Is.HELD_BY)
    if overloaded := [agent for agent, count in held_counts.items() if count > 1]:
        raise TaskError(f":init puts {held_counts[overloaded[0]]} objects into the one hand of {overloaded[0]}")
    lying = {Proposition(Is.IN_ROOM, (thing, room)) for thing, room in rooms.items() if room}
    empty = {Proposition(Is.HAND_EMPTY, (agent,)) for agent in plan.agents if agent not in held_counts}
    return frozenset(physical.keys() | lying | empty)


def _check_agents(physical: Mapping[Proposition, int], plan: FloorPlan, mechanics: HouseMechanics) -> None:
    """Raises TaskError unless each agent begins in one room, and may enter it by these mechanics."""
    for agent in plan.agents:
        rooms = [fact for fact in physical if fact.predicate == Is.AGENT_IN_ROOM and fact.arguments[0] == agent]
        if len(rooms) != 1:
            raise TaskError(f":init puts {agent} into {len(rooms)} rooms: state (agent_in_room {agent} ROOM) once")
        if not mechanics.may_enter(*rooms[0].arguments):
            raise PddlError(physical[rooms[0]], f"{agent} begins in {rooms[0].arguments[1]}, which it cannot enter")


def _check_mirrors(physical: Mapping[Proposition, int], mechanics: HouseMechanics) -> None:
    for binding in mechanics.bindings:
        if isinstance(binding, StateMirroring):
            pair = (binding.trigger_object, binding.target_object)
            if len({Proposition(Is.OPEN, (furniture,)) in physical for furniture in pair}) > 1:
                raise TaskError(f"{pair[0]} and {pair[1]} mirror each other, but :init has one open and one closed")


def _room_of(name: str, physical: Mapping[Proposition, int], plan: FloorPlan) -> str | None:
    """The room where an object lies; None if it is held. Raises TaskError unless its place is stated once."""
    places = [fact for fact in physical if fact.predicate in Is.PLACES and fact.arguments[0] == name]
    stated_rooms = [fact for fact in physical if fact.predicate == Is.IN_ROOM and fact.arguments[0] == name]
    if len(places) != 1:
        where = " and ".join(fact.pddl for fact in places) or "nowhere"
        raise TaskError(f":init has {name} {where}: an object is in one place")
    place, line = places[0], physical[places[0]]
    if place.predicate == Is.INSIDE and place.arguments[1] not in plan.openable:
        raise PddlError(line, f"{place.arguments[1]} has no inside: state whether it is_open or is_closed")
    if place.predicate == Is.ON_FLOOR:
        if len(stated_rooms) != 1:
            raise PddlError(
                line, f"{name} lies on the floor of {len(stated_rooms)} rooms: state (is_in_room {name} ROOM) once"
            )
        return stated_rooms[0].arguments[1]
    room = None if place.predicate == Is.HELD_BY else plan.furniture[place.arguments[1]]
    for fact in stated_rooms:
        if fact.arguments[1] != room:
            raise PddlError(physical[fact], f"{fact.pddl} contradicts {place.pddl}")
    return room
