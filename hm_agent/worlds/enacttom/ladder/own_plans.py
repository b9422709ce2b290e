"""What an agent can do by itself for what it knows to be wanted: plans over its beliefs, and the search for objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.commands import CLOSE_IT, OPEN_IT, HouseCommand, close_it, navigate, open_it
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.views import Briefing
from hm_agent.worlds.enacttom.ladder.beliefs import HouseBeliefs
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    FurnitureState,
    HouseMechanics,
    InverseState,
    RemoteControl,
    RoomRestriction,
    StateMirroring,
)
from hm_agent.worlds.enacttom.tasks.propositions import (
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
)
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.verification.compiler import PlanAction, Variant, compile_task
from hm_agent.worlds.enacttom.verification.planner import solve

MOST_NODES = 300
"""How many states a plan may take to find; what takes more counts as out of reach."""
_Key = tuple[tuple[str, ...], tuple[Binding, ...], int, tuple[Proposition, ...]]


@dataclass(frozen=True)
class OwnPlan:
    """command: the plan's first, None if nothing is left to do. goals: those that hold when the plan is done."""

    command: HouseCommand | None
    goals: frozenset[Proposition]


class OwnPlanner:
    """Plans in the house as one agent believes it to be, in which it is alone."""

    def __init__(self, briefing: Briefing) -> None:
        self._told = briefing
        self._houses: dict[tuple[tuple[str, ...], tuple[Binding, ...]], Household] = {}
        self._plans: dict[_Key, OwnPlan] = {}

    def plan(self, beliefs: HouseBeliefs, facts: Collection[Proposition], goals: Sequence[Proposition]) -> OwnPlan:
        """A plan for as many of the goals as can be had together, the earlier ones first.

        What is known of handles is taken from facts. Furniture of unknown state counts as not yet being as wanted.
        """
        objects, bindings = beliefs.objects(), bindings_of(self._told, facts, goals)
        house = self._house(objects, bindings)
        start = _start(self._told, house, beliefs, goals)
        key = (objects, bindings, start, tuple(goals))
        if key not in self._plans:
            self._remember(key, house)
        return self._plans[key]

    def whole(
        self, beliefs: HouseBeliefs, facts: Collection[Proposition], goals: Sequence[Proposition]
    ) -> tuple[tuple[HouseCommand, ...], frozenset[Proposition]]:
        """All commands of such a plan, and the goals that hold when it is done."""
        house = self._house(beliefs.objects(), bindings_of(self._told, facts, goals))
        kept, actions = _most(house, _start(self._told, house, beliefs, goals), goals)
        return tuple(action.command for action in actions), kept

    def _remember(self, key: _Key, house: Household) -> None:
        """Plans, and notes what is then to be done at each state on the way."""
        objects, bindings, state, goals = key
        kept, actions = _most(house, state, goals)
        for action in actions:
            self._plans.setdefault((objects, bindings, state, goals), OwnPlan(action.command, kept))
            state = action.after(state)
        self._plans.setdefault((objects, bindings, state, goals), OwnPlan(None, kept))

    def _house(self, objects: tuple[str, ...], bindings: tuple[Binding, ...]) -> Household:
        if (objects, bindings) not in self._houses:
            self._houses[objects, bindings] = _imagined(self._told, objects, bindings)
        return self._houses[objects, bindings]


def _most(
    house: Household, start: int, goals: Sequence[Proposition]
) -> tuple[frozenset[Proposition], tuple[PlanAction, ...]]:
    """As many goals as one plan reaches, and the plan."""
    kept: list[Claim] = []
    actions: tuple[PlanAction, ...] = ()
    for goal in goals:
        if goal not in house.bits:
            continue
        variant = Variant((*kept, Claim((), goal)), is_knowing=False, is_silent=True)
        found = solve(compile_task(house, variant, start=start), most_nodes=MOST_NODES)
        if found.status == "solved":
            kept.append(Claim((), goal))
            actions = found.actions
    return frozenset(one.proposition for one in kept), actions


def bindings_of(told: Briefing, facts: Collection[Proposition], goals: Collection[Proposition]) -> tuple[Binding, ...]:
    """The mechanics that an agent knows of. Facts don't say what a remote control sets: as wanted, else open."""
    found: list[Binding] = []
    if told.barred:
        found.append(RoomRestriction(restricted_rooms=told.barred, for_agents=(told.agent,)))
    ordered = sorted(facts, key=lambda one: one.pddl)
    found += [InverseState(trigger_object=one.arguments[0]) for one in ordered if one.predicate == IS_INVERSE]
    pairs = dict.fromkeys(tuple(sorted(one.arguments)) for one in ordered if one.predicate == MIRRORS)
    found += [StateMirroring(trigger_object=one, target_object=other) for one, other in pairs]
    for trigger, target in (one.arguments for one in ordered if one.predicate == CONTROLS):
        closes = Proposition(IS_CLOSED, (target,)) in goals
        state: FurnitureState = "closed" if closes else "open"
        found.append(RemoteControl(trigger_object=trigger, target_object=target, target_state=state))
    return tuple(found)


def _imagined(told: Briefing, objects: tuple[str, ...], bindings: tuple[Binding, ...]) -> Household:
    """The house with one agent in it. Its task has no goal: plans say what they are for."""
    me, public = told.agent, told.plan
    plan = FloorPlan((me,), public.rooms, public.furniture, public.openable, objects)
    file = TaskFile(
        task_id="imagined",
        title="What an agent believes",
        category="cooperative",
        task=told.text,
        agent_spawns={me: AgentSpawn(room=public.rooms[0])},
        problem_pddl="",
        k_depth=0,
    )
    return Household(HouseholdTask(file, plan, HouseMechanics((me,), bindings), frozenset(), (), {}, (), {me: ()}))


def _start(told: Briefing, house: Household, beliefs: HouseBeliefs, goals: Collection[Proposition]) -> int:
    """The state that is believed, with a guess where furniture's state is not known."""
    found = [one for one in beliefs.all() if one.predicate in (IS_ON_TOP, IS_INSIDE, IS_ON_FLOOR, IS_HELD_BY)]
    lying = ((thing, beliefs.room_of(thing)) for thing in beliefs.objects())
    found += [Proposition(IS_IN_ROOM, (thing, room)) for thing, room in lying if room]
    here = [one for one in beliefs.all() if one.predicate == AGENT_IN_ROOM and one.arguments[0] == told.agent]
    if not any(one.predicate == IS_HELD_BY and one.arguments[1] == told.agent for one in found):
        found.append(Proposition(HAND_EMPTY, (told.agent,)))
    doors = (
        Proposition(IS_OPEN if _is_open(one, house, beliefs, goals) else IS_CLOSED, (one,))
        for one in told.plan.openable
    )
    return house.mask(one for one in (*found, *here, *doors) if one in house.bits)


def _is_open(furniture: str, house: Household, beliefs: HouseBeliefs, goals: Collection[Proposition]) -> bool:
    known = beliefs.holds(Proposition(IS_OPEN, (furniture,)))
    if known is not None:
        return known
    for binding in house.mechanics.bindings:
        if isinstance(binding, StateMirroring) and furniture in (binding.trigger_object, binding.target_object):
            twin = binding.target_object if furniture == binding.trigger_object else binding.trigger_object
            twins = beliefs.holds(Proposition(IS_OPEN, (twin,)))
            if twins is not None:
                return twins
    return Proposition(IS_CLOSED, (furniture,)) in goals


# Looking for things


def search(told: Briefing, room: str, beliefs: HouseBeliefs, facts: Collection[Proposition]) -> HouseCommand | None:
    """The next step to find what may be anywhere: into rooms not seen yet, then into closed furniture, here first.

    None if the agent has seen all that it can.
    """
    rooms = [room, *(one for one in told.plan.rooms if one != room and one not in told.barred)]
    new = next((one for one in rooms if one not in beliefs.visited), None)
    if new:
        return navigate(new)
    for one in rooms:
        for furniture in _unseen_insides(told, one, beliefs):
            return open_command(furniture, facts) if one == room else navigate(one)
    return None


def _unseen_insides(told: Briefing, room: str, beliefs: HouseBeliefs) -> Iterator[str]:
    for furniture in told.plan.furniture_by_room[room]:
        if furniture in told.plan.openable and furniture not in beliefs.looked_into:
            yield furniture


def open_command(furniture: str, facts: Collection[Proposition]) -> HouseCommand:
    return close_it(furniture) if Proposition(IS_INVERSE, (furniture,)) in facts else open_it(furniture)


def close_command(furniture: str, facts: Collection[Proposition]) -> HouseCommand:
    return open_it(furniture) if Proposition(IS_INVERSE, (furniture,)) in facts else close_it(furniture)


def set_by(told: Briefing, command: HouseCommand, bindings: tuple[Binding, ...]) -> Mapping[str, str]:
    """What an Open or Close sets, as far as the agent knows, by furniture; empty for other commands."""
    if command.verb not in (OPEN_IT, CLOSE_IT):
        return {}
    mechanics = HouseMechanics(told.plan.agents, bindings)
    return mechanics.settings(command.arguments[0], mechanics.state_after(command.verb, command.arguments[0]))
