"""Checks task files: makes a `HouseholdTask` of a valid one, and says in one line what is wrong with any other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from hm_agent.worlds.enacttom.tasks.characters import BLANK, GOSSIP, RELAY, SILENT, CharacterMind, CharacterRule
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
    FLOOR_SLOT,
    FURNITURE,
    HAND_EMPTY,
    MECHANIC,
    MOST_DEPTH,
    OBJECT,
    PHYSICAL,
    ROOM,
    SLOTS,
    WANTED,
    Claim,
    Is,
    Proposition,
    wanted,
)
from hm_agent.worlds.enacttom.tasks.published_tasks import completed
from hm_agent.worlds.enacttom.tasks.task import MIXED, HouseholdTask, TaskFile

_NUMBERED_NAME = re.compile(r"\b[a-z][a-z_]*_\d+\b")
_LEAST_AGENTS, _MOST_AGENTS = 2, 4
_PLACES = (Is.ON_TOP, Is.INSIDE, Is.HELD_BY, Is.ON_FLOOR)
Facts = Mapping[str, tuple[Proposition, ...]]
"""The facts that each agent knows."""


def check_task(file: TaskFile) -> HouseholdTask:
    """Checks a task file and returns its task; raises TaskError for the first fault.

    A task as published (published_tasks.py) may also begin with an agent in a room that it can't enter, have private
    goals that contradict the shared one, name things in its texts that its PDDL lacks, and tell goals in prose alone.
    """
    problem = read_problem(file.problem_pddl)
    is_published = file.as_published is not None
    if is_published:
        problem = completed(problem, file.mechanic_bindings)
    plan = _floor_plan(problem, file)
    mechanics = _mechanics(file, plan)
    stated = [(fact.claim.proposition, fact.line) for fact in problem.init]
    init = _initial_facts(stated, plan, mechanics, may_begin_barred=is_published)
    _check_spawns(file, init)
    owned = {agent: tuple(conjunct.claim for conjunct in claims) for agent, claims in problem.owned.items()}
    _check_goals(file, problem, plan, mechanics)
    goal = tuple(dict.fromkeys(conjunct.claim for conjunct in problem.goal if not conjunct.is_denied))
    hidden = tuple(dict.fromkeys(conjunct.claim for conjunct in problem.goal if conjunct.is_denied))
    public, known = _knowledge(file, problem, mechanics, init, goal, owned)
    _check_known("agent_secrets", file.agent_secrets, file.agent_spawns, "agent")
    if not is_published:
        _check_names_in_texts(file, problem.objects)
    characters = {agent: _mind(agent, one, problem, plan) for agent, one in (file.characters or {}).items()}
    unsure = {
        agent: _read_facts(f"unsure of {agent}", texts, problem, init) for agent, texts in (file.unsure or {}).items()
    }
    slots = tuple(
        tuple(_read_proposition("slots", text, problem) for text in (slot.fact, *slot.instead))
        for slot in file.slots or ()
    )
    task = HouseholdTask(file, plan, mechanics, init, goal, owned, public, known, characters, hidden, unsure, slots)
    if file.characters is not None:
        _check_hard(task)
    return task


# Characters


def _mind(agent: str, character: CharacterRule, problem: PddlProblem, plan: FloorPlan) -> CharacterMind:
    """Checks the rule of one character."""
    where = f"characters: {agent}"
    _check_known("characters", [agent], plan.agents, "agent")
    _check_known(f"{where} tells", character.tells, [other for other in plan.agents if other != agent], "other agent")
    _check_known(f"{where} unless", character.unless, plan.agents, "agent")
    if any(one == other for one, other in pairwise((agent, *character.unless))):
        raise TaskError(f"{where}: unless names an agent that follows itself: K_a K_a p is K_a p")
    if len(character.unless) >= MOST_DEPTH:
        raise TaskError(f"{where}: unless is {len(character.unless)} deep; at most {MOST_DEPTH - 1} is supported")
    if character.kind in (GOSSIP, RELAY) and not character.tells:
        raise TaskError(f"{where}: a {character.kind} tells somebody: name agents in tells")
    if character.kind == SILENT and character.tells:
        raise TaskError(f"{where}: a silent one tells nobody, but tells names {', '.join(character.tells)}")
    wants, believes = (
        tuple(_read_proposition(f"{where} {field}", text, problem) for text in texts)
        for field, texts in (("wants", character.wants), ("believes", character.believes))
    )
    if strange := next((want for want in wants if want.predicate in (Is.IN_ROOM, Is.ON_FLOOR)), None):
        raise TaskError(f"{where}: it can't want {strange.pddl}: name furniture, a hand, or open and closed")
    if character.cues and len(character.cues) != len(wants):
        raise TaskError(f"{where}: there are {len(character.cues)} cues for {len(wants)} wants")
    _check_known(f"{where} cues", character.cues, plan.objects, "object")
    return CharacterMind(
        character.kind, wants, character.cues, character.tells, character.announces, character.unless, believes
    )


def _check_hard(task: HouseholdTask) -> None:
    """Checks what holds of every task with characters."""
    if not task.characters or not task.seats:
        raise TaskError("characters: name at least one agent, and leave at least one to the agent under test")
    if task.mechanics.most_facts is None or task.file.max_turns is None:
        raise TaskError("a task with characters states max_turns and has the mechanic short_messages")
    _check_known("unsure", task.unsure, task.characters, "character")
    if task.file.task.count(BLANK) != len(task.slots):
        raise TaskError(f"task: it has {task.file.task.count(BLANK)} blanks {BLANK} for {len(task.slots)} slots")
    for fact, *_ in task.slots:
        if fact not in task.init or not any(fact in task.known[agent] for agent in task.characters):
            raise TaskError(f"slots: {fact.pddl} has to hold at the start, and a character has to know it")
    for seat in task.seats:
        places = {fact for fact in task.init if fact.predicate in _PLACES}
        told = {*places.difference(fact for fact, *_ in task.slots), *(wanted(goal) for goal in task.physical_goal)}
        if untold := sorted(fact.pddl for fact in told - set(task.known[seat])):
            raise TaskError(f"secret_facts of {seat}: {untold[0]} is missing: it is told all places and goals")


def _read_proposition(
    where: str, text: str, problem: PddlProblem, allowed: Mapping[str, tuple[tuple[str, ...], ...]] = PHYSICAL
) -> Proposition:
    """Reads a fact of a field. allowed: see `read_proposition`. Raises TaskError that names the field, `where`."""
    try:
        (expression,) = read_expressions(text)
        return read_proposition(expression, problem.objects, allowed)
    except TaskError as error:
        raise TaskError(f"{where}: {str(error).removeprefix('problem_pddl, line 1: ')}") from None
    except ValueError:
        raise TaskError(f"{where}: {text!r} is not one proposition") from None


# The floor plan


def _floor_plan(problem: PddlProblem, file: TaskFile) -> FloorPlan:
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
        if fact.predicate in (Is.OPEN, Is.CLOSED):
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


# Mechanics


def _mechanics(file: TaskFile, plan: FloorPlan) -> HouseMechanics:
    """Checks the bindings of a task, and makes its mechanics."""
    bound = {binding.mechanic_type for binding in file.mechanic_bindings}
    if mismatched := sorted(bound ^ set(file.active_mechanics)):
        where = "mechanic_bindings" if mismatched[0] in file.active_mechanics else "active_mechanics"
        raise TaskError(f"{mismatched[0]} is missing in {where}")
    for binding in file.mechanic_bindings:
        mechanic = binding.mechanic_type
        if isinstance(binding, RoomRestriction):
            _check_known(mechanic, binding.restricted_rooms, plan.rooms, "room")
            _check_known(mechanic, binding.for_agents, plan.agents, "agent")
        elif isinstance(binding, LimitedBandwidth):
            _check_known(mechanic, binding.message_limits, plan.agents, "agent")
        elif isinstance(binding, RestrictedCommunication):
            _check_known(mechanic, binding.allowed_targets, plan.agents, "agent")
            for agent, targets in binding.allowed_targets.items():
                _check_known(mechanic, targets, [other for other in plan.agents if other != agent], "other agent")
        elif isinstance(binding, InverseState):
            _check_known(mechanic, [binding.trigger_object], plan.openable, "furniture that opens")
        elif isinstance(binding, RemoteControl | StateMirroring):
            _check_known(
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


def _check_known(where: str, names: Iterable[str], known: Iterable[str], kind: str) -> None:
    """Raises TaskError for a name that is not among the known ones, which are of one kind."""
    for name in names:
        if name not in tuple(known):
            raise TaskError(f"{where}: {name} is no {kind} of this household")


# The initial state


def _initial_facts(
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
    empty = {Proposition(HAND_EMPTY, (agent,)) for agent in plan.agents if agent not in held_counts}
    return frozenset(physical.keys() | lying | empty)


def _check_agents(physical: Mapping[Proposition, int], plan: FloorPlan, mechanics: HouseMechanics) -> None:
    """Raises TaskError unless each agent begins in one room, and may enter it by these mechanics."""
    for agent in plan.agents:
        rooms = [fact for fact in physical if fact.predicate == AGENT_IN_ROOM and fact.arguments[0] == agent]
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
    places = [fact for fact in physical if fact.predicate in _PLACES and fact.arguments[0] == name]
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


def _check_spawns(file: TaskFile, init: frozenset[Proposition]) -> None:
    for agent, spawn in file.agent_spawns.items():
        if Proposition(AGENT_IN_ROOM, (agent, spawn.room)) not in init:
            raise TaskError(f"agent_spawns puts {agent} into {spawn.room}, but :init elsewhere")


# Goals


def _check_goals(file: TaskFile, problem: PddlProblem, plan: FloorPlan, mechanics: HouseMechanics) -> None:
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
    if goal.predicate == AGENT_IN_ROOM and not mechanics.may_enter(*goal.arguments):
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


# What agents know from the start


def _knowledge(
    file: TaskFile,
    problem: PddlProblem,
    mechanics: HouseMechanics,
    init: frozenset[Proposition],
    goal: tuple[Claim, ...],
    owned: Mapping[str, tuple[Claim, ...]],
) -> tuple[tuple[Proposition, ...], Facts]:
    """Returns the public facts, and all facts that each agent knows from the start."""
    shared = [wanted(conjunct.proposition) for conjunct in goal if conjunct.depth == 0]
    private = {
        agent: [wanted(conjunct.proposition) for conjunct in claims if conjunct.depth == 0]
        for agent, claims in owned.items()
    }
    possible = init | mechanics.propositions | set(shared) | {fact for facts in private.values() for fact in facts}
    agents = tuple(file.agent_spawns)
    public = _read_facts("public_facts", file.public_facts, problem, possible)
    is_prose = file.as_published is not None and file.secret_facts is None
    if file.secret_facts is None and not is_prose:
        public = tuple(dict.fromkeys((*public, *shared)))
    _check_known("secret_facts", file.secret_facts or (), agents, "agent")
    secret = {
        agent: _read_facts(f"secret_facts of {agent}", texts, problem, possible)
        for agent, texts in (file.secret_facts or {}).items()
    }
    known = {
        agent: tuple(dict.fromkeys((*public, *secret.get(agent, ()), *private.get(agent, ())))) for agent in agents
    }
    for fact in () if is_prose else shared:
        if not any(fact in facts for facts in known.values()):
            raise TaskError(f"nobody knows that {fact.goal.pddl} is wanted: add {fact.pddl} to someone's secret_facts")
    return public, known


def _read_facts(
    where: str, texts: Iterable[str], problem: PddlProblem, possible: frozenset[Proposition]
) -> tuple[Proposition, ...]:
    facts = []
    for text in texts:
        fact = _read_proposition(where, text, problem, PHYSICAL | MECHANIC)
        if fact not in possible:
            why = (
                "the goal has no such conjunct without K"
                if fact.predicate == WANTED
                else "it does not hold at the start"
            )
            raise TaskError(f"{where}: {fact.pddl} can't be known: {why}")
        facts.append(fact)
    return tuple(facts)


def _check_names_in_texts(file: TaskFile, objects: Mapping[str, str]) -> None:
    texts = [("task", file.task)]
    texts += [(f"agent_secrets of {agent}", text) for agent, secrets in file.agent_secrets.items() for text in secrets]
    for where, text in texts:
        for name in _NUMBERED_NAME.findall(text):
            if name not in objects:
                raise TaskError(f"{where}: names {name}, which is not in this household")
