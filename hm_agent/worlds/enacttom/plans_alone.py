"""What one agent can do by itself about what it knows to be wanted, over what it believes.

It takes its beliefs for a household of its own, in which it is alone, and asks the verifier's planner. What it can't
bring about alone it looks for, or brings to where another agent can take it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.commands import HouseCommand, close_it, navigate, open_it
from hm_agent.worlds.enacttom.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.household import Household
from hm_agent.worlds.enacttom.mechanics import (
    Binding,
    FurnitureState,
    HouseMechanics,
    InverseState,
    RemoteControl,
    RoomRestriction,
    StateMirroring,
)
from hm_agent.worlds.enacttom.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    HAND_EMPTY,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    MIRRORS,
    Claim,
    Proposition,
    wanted,
)
from hm_agent.worlds.enacttom.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.verification.compiler import Variant, compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.plans import steps_of
from hm_agent.worlds.enacttom.view_beliefs import PLACES, Beliefs
from hm_agent.worlds.enacttom.views import Briefing

MOST_NODES = 2_000
"""How many states the planner looks at; what it has not found by then counts as out of reach."""


@dataclass(frozen=True)
class PlanAlone:
    """commands: to be carried out in order. reached: what is wanted and so after them. missing: what is not."""

    commands: tuple[HouseCommand, ...]
    reached: tuple[Proposition, ...]
    missing: tuple[Proposition, ...]


def plan_alone(briefing: Briefing, beliefs: Beliefs, wants: Sequence[Proposition] | None = None) -> PlanAlone:
    """The commands by which the agent brings about as much as it can by itself.

    wants: what is wanted, the most important first; all that the agent knows to be wanted by default. Of things that
    can't be so together it reaches the first.
    """
    wants = beliefs.wants if wants is None else tuple(wants)
    own = _OwnHouse(briefing, beliefs, wants)
    reached: list[Proposition] = []
    commands: tuple[HouseCommand, ...] = ()
    each = [one for one in wants if own.commands([one]) is not None]
    if each and (found := own.commands(each)) is not None:
        return PlanAlone(found, tuple(each), tuple(one for one in wants if one not in each))
    for one in each:
        if (found := own.commands([*reached, one])) is not None:
            commands, reached = found, [*reached, one]
    return PlanAlone(commands, tuple(reached), tuple(one for one in wants if one not in reached))


def search(briefing: Briefing, beliefs: Beliefs, wants: Iterable[Proposition]) -> tuple[HouseCommand, ...]:
    """A round for objects that are wanted somewhere and whose place is unknown; empty if all is looked at.

    First through rooms that the agent has not seen, then into furniture that it has not seen open.
    """
    if not any(_place_of(one.arguments[0], beliefs) is None for one in wants if one.predicate in PLACES):
        return ()
    plan, here = briefing.plan, _room(briefing, beliefs)
    rooms = [here, *(room for room in plan.rooms if room != here and room not in briefing.barred)]
    if unseen := [room for room in rooms if room not in beliefs.visited]:
        return tuple(map(navigate, unseen))
    found: list[HouseCommand] = []
    for room in rooms:
        closed = [one for one in plan.furniture_by_room[room] if Proposition(IS_CLOSED, (one,)) in beliefs.so]
        if new := [one for one in closed if one not in beliefs.looked_into]:
            found += [navigate(room)] if room != here else []
            found += [_opened(one, beliefs) for one in new]
    return tuple(found)


def _opened(furniture: str, beliefs: Beliefs) -> HouseCommand:
    """The command that opens furniture, as far as the agent knows its handle."""
    return close_it(furniture) if Proposition(IS_INVERSE, (furniture,)) in beliefs.facts else open_it(furniture)


def hand_over(
    briefing: Briefing, beliefs: Beliefs, wants: Iterable[Proposition]
) -> tuple[tuple[HouseCommand, ...], Proposition] | None:
    """How to bring an object, wanted where the agent can't bring it, to where another can take it; and where it lies.

    None if there is nothing left to bring, or if another agent may bring it all the way, for all that the agent knows.
    """
    here = _room(briefing, beliefs)
    for one in wants:
        target = _target_room(one, briefing)
        if target is None or one.arguments[0] in beliefs.placed:
            continue
        start = _room_of_thing(one.arguments[0], briefing, beliefs) or here
        if _takers(briefing, beliefs, start, target):
            continue
        for room in _meeting_rooms(briefing, beliefs, target):
            pieces = briefing.plan.furniture_by_room[room]
            if room != start and pieces:
                there = Proposition(IS_ON_TOP, (one.arguments[0], pieces[0]))
                if commands := _OwnHouse(briefing, beliefs, [there]).commands([there]):
                    return commands, there
    return None


def _target_room(one: Proposition, briefing: Briefing) -> str | None:
    """The room in which an object is wanted; None if it is not about an object."""
    if one.predicate in (IS_ON_TOP, IS_INSIDE):
        return briefing.plan.furniture.get(one.arguments[1])
    return one.arguments[1] if one.predicate == IS_IN_ROOM else None


def _takers(briefing: Briefing, beliefs: Beliefs, *rooms: str) -> list[str]:
    """The other agents that may enter all of these rooms, for all that the agent knows."""
    others = (agent for agent in briefing.plan.agents if agent != briefing.agent)
    return [agent for agent in others if all(beliefs.may_enter(agent, room) for room in rooms)]


def _meeting_rooms(briefing: Briefing, beliefs: Beliefs, target: str) -> list[str]:
    """The rooms that the agent may enter and another one, too, that may enter the target; where one is comes first."""
    others = {
        one.arguments[1] for one in beliefs.so if one.predicate == AGENT_IN_ROOM and one.arguments[0] != briefing.agent
    }
    mine = [room for room in briefing.plan.rooms if room not in briefing.barred]
    shared = [room for room in mine if _takers(briefing, beliefs, room, target)]
    return sorted(shared, key=lambda room: room not in others)


def _room(briefing: Briefing, beliefs: Beliefs) -> str:
    """Where the agent is."""
    return next(
        one.arguments[1] for one in beliefs.so if one.predicate == AGENT_IN_ROOM and one.arguments[0] == briefing.agent
    )


def _place_of(thing: str, beliefs: Beliefs) -> Proposition | None:
    """Where an object is believed to lie or who holds it; None if that is unknown."""
    exact = (IS_ON_TOP, IS_INSIDE, IS_ON_FLOOR, IS_HELD_BY)
    return next((one for one in beliefs.so if one.predicate in exact and one.arguments[0] == thing), None)


def _room_of_thing(thing: str, briefing: Briefing, beliefs: Beliefs) -> str | None:
    """The room in which an object lies, as far as it is believed to lie in one."""
    place = _place_of(thing, beliefs)
    if place and place.predicate in (IS_ON_TOP, IS_INSIDE):
        return briefing.plan.furniture.get(place.arguments[1])
    lying = (one.arguments[1] for one in beliefs.so if one.predicate == IS_IN_ROOM and one.arguments[0] == thing)
    return next(lying, None)


class _OwnHouse:
    """An agent's beliefs as a household in which it is alone."""

    def __init__(self, briefing: Briefing, beliefs: Beliefs, wants: Sequence[Proposition]) -> None:
        self._briefing, self._beliefs, self._wants = briefing, beliefs, wants
        me, plan = briefing.agent, briefing.plan
        moved = {one.arguments[0] for one in wants if one.predicate in PLACES}
        objects = tuple(sorted(thing for thing in moved if thing not in plan.furniture))
        held = (one.arguments[0] for one in beliefs.so if one.predicate == IS_HELD_BY and one.arguments[1] == me)
        objects = tuple(dict.fromkeys((*objects, *held)))
        alone = FloorPlan((me,), plan.rooms, plan.furniture, plan.openable, objects)
        mechanics = HouseMechanics((me,), tuple(self._bindings()))
        file = TaskFile(
            task_id="own", title="own", category="cooperative", task="own", agent_spawns={}, problem_pddl="", k_depth=0
        )
        goal = tuple(Claim((), one) for one in wants)
        init = frozenset(self._init(objects))
        self._house = Household(HouseholdTask(file, alone, mechanics, init, goal, {}, (), {}))
        self._start = self._house.mask(one for one in init if one in self._house.bits)

    def commands(self, goals: Sequence[Proposition]) -> tuple[HouseCommand, ...] | None:
        """The commands of a plan that ends in all of the goals; None if none is found."""
        if any(one not in self._house.bits for one in goals):
            return None
        variant = Variant(tuple(Claim((), one) for one in goals), is_knowing=False, is_silent=True)
        problem = compile_task(self._house, variant, start=self._start)
        result = solve(problem, most_nodes=MOST_NODES)
        if result.status != "solved":
            return None
        return tuple(step.command(self._house) for step in steps_of(problem, result.actions))

    def _init(self, objects: Sequence[str]) -> Iterator[Proposition]:
        """What is believed to be so; of furniture that nobody has told of, the contrary of what is wanted."""
        so, plan, me = self._beliefs.so, self._briefing.plan, self._briefing.agent
        yield from so
        if not any(one.predicate == IS_HELD_BY and one.arguments[1] == me for one in so):
            yield Proposition(HAND_EMPTY, (me,))
        for one in plan.openable:
            states = [Proposition(state, (one,)) for state in (IS_OPEN, IS_CLOSED)]
            if not set(states) & so:
                yield states[0] if states[1] in self._wants else states[1]
        for thing in objects:
            if room := _room_of_thing(thing, self._briefing, self._beliefs):
                yield Proposition(IS_IN_ROOM, (thing, room))

    def _bindings(self) -> Iterator[Binding]:
        """The mechanics that the agent knows of."""
        briefing = self._briefing
        if briefing.barred:
            yield RoomRestriction(restricted_rooms=briefing.barred, for_agents=(briefing.agent,))
        for fact in sorted(self._beliefs.facts, key=str):
            if not set(fact.things) <= set(briefing.plan.openable):
                continue
            if fact.predicate == IS_INVERSE:
                yield InverseState(trigger_object=fact.arguments[0])
            elif fact.predicate == MIRRORS:
                yield StateMirroring(trigger_object=fact.arguments[0], target_object=fact.arguments[1])
            elif fact.predicate == CONTROLS:
                trigger, target = fact.arguments
                state = self._state_set(trigger, target)
                yield RemoteControl(trigger_object=trigger, target_object=target, target_state=state)

    def _state_set(self, trigger: str, target: str) -> FurnitureState:
        """What a remote control does to its target: as a secret says it, else what is wanted of it, else open."""
        for secret in self._briefing.secrets:
            if said := re.search(rf"\bopening {trigger} (opens|closes) {target}\b", secret, re.IGNORECASE):
                return "open" if said[1].lower() == "opens" else "closed"
        return "closed" if wanted(Proposition(IS_CLOSED, (target,))) in self._beliefs.facts else "open"
