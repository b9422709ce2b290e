"""What an agent can do alone for goals that it knows: plans over its beliefs, and the search for objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.commands import HouseCommand, close_it, navigate, open_it
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
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, Variant

MOST_NODES = 300
"""The greatest number of states to expand for a plan; a goal that takes more counts as out of reach."""
_Key = tuple[tuple[str, ...], tuple[Binding, ...], int, tuple[Proposition, ...]]
"""What a plan depends on: the known objects, the bindings, the state and the goals."""


@dataclass(frozen=True)
class OwnPlan:
    """command: the plan's first; None if nothing is left to do. goals: those that hold at the end of the plan."""

    command: HouseCommand | None
    goals: frozenset[Proposition]


class OwnPlanner:
    """Plans in the house as one agent believes it to be, with no other agent in it."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing
        self._houses: dict[tuple[tuple[str, ...], tuple[Binding, ...]], Household] = {}
        self._plans: dict[_Key, OwnPlan] = {}

    def plan(self, beliefs: HouseBeliefs, facts: Collection[Proposition], goals: Sequence[Proposition]) -> OwnPlan:
        """Plans for as many of the goals as can be reached together, the earlier ones first.

        facts: for what the agent knows of handles. Furniture of unknown state is assumed not to be as a goal wants it.
        """
        objects, bindings = beliefs.objects(), bindings_of(self._briefing, facts, goals)
        house = self._house(objects, bindings)
        start = _believed_state(self._briefing, house, beliefs, goals)
        key = (objects, bindings, start, tuple(goals))
        if key not in self._plans:
            self._cache_plan(key, house)
        return self._plans[key]

    def whole(
        self, beliefs: HouseBeliefs, facts: Collection[Proposition], goals: Sequence[Proposition]
    ) -> tuple[tuple[HouseCommand, ...], frozenset[Proposition]]:
        """Returns all commands of such a plan, and the goals that hold at its end."""
        house = self._house(beliefs.objects(), bindings_of(self._briefing, facts, goals))
        reached, actions = _plan_for_most(house, _believed_state(self._briefing, house, beliefs, goals), goals)
        return tuple(action.command for action in actions), reached

    def _cache_plan(self, key: _Key, house: Household) -> None:
        """Makes a plan, and caches what it does next in each state on its way."""
        objects, bindings, state, goals = key
        reached, actions = _plan_for_most(house, state, goals)
        for action in actions:
            self._plans.setdefault((objects, bindings, state, goals), OwnPlan(action.command, reached))
            state = action.after(state)
        self._plans.setdefault((objects, bindings, state, goals), OwnPlan(None, reached))

    def _house(self, objects: tuple[str, ...], bindings: tuple[Binding, ...]) -> Household:
        if (objects, bindings) not in self._houses:
            self._houses[objects, bindings] = _imagined_house(self._briefing, objects, bindings)
        return self._houses[objects, bindings]


def _plan_for_most(
    house: Household, start: int, goals: Sequence[Proposition]
) -> tuple[frozenset[Proposition], tuple[PlanAction, ...]]:
    """Returns as many goals as one plan reaches, the earlier ones first, and the plan."""
    reached: list[Claim] = []
    actions: tuple[PlanAction, ...] = ()
    for goal in goals:
        if goal not in house.bits:
            continue
        variant = Variant((*reached, Claim((), goal)), is_knowing=False, is_silent=True)
        result = solve(compile_task(house, variant, start=start), most_nodes=MOST_NODES)
        if result.status == "solved":
            reached.append(Claim((), goal))
            actions = result.actions
    return frozenset(claim.proposition for claim in reached), actions


def bindings_of(
    briefing: Briefing, facts: Collection[Proposition], goals: Collection[Proposition]
) -> tuple[Binding, ...]:
    """Returns the mechanics that an agent knows.

    Facts don't say what a remote control sets: it is taken to close its target if that is a goal, else to open it.
    """
    bindings: list[Binding] = []
    if briefing.barred:
        bindings.append(RoomRestriction(restricted_rooms=briefing.barred, for_agents=(briefing.agent,)))
    ordered = sorted(facts, key=lambda fact: fact.pddl)
    bindings += [InverseState(trigger_object=fact.arguments[0]) for fact in ordered if fact.predicate == Is.INVERSE]
    pairs = dict.fromkeys(tuple(sorted(fact.arguments)) for fact in ordered if fact.predicate == Is.MIRRORS)
    bindings += [StateMirroring(trigger_object=trigger, target_object=target) for trigger, target in pairs]
    for trigger, target in (fact.arguments for fact in ordered if fact.predicate == Is.CONTROLS):
        closes = Proposition(Is.CLOSED, (target,)) in goals
        state: FurnitureState = "closed" if closes else "open"
        bindings.append(RemoteControl(trigger_object=trigger, target_object=target, target_state=state))
    return tuple(bindings)


def _imagined_house(briefing: Briefing, objects: tuple[str, ...], bindings: tuple[Binding, ...]) -> Household:
    """Makes the house with one agent in it. Its task has no goal, since each plan brings its own."""
    me, public = briefing.agent, briefing.plan
    plan = FloorPlan((me,), public.rooms, public.furniture, public.openable, objects)
    file = TaskFile(
        task_id="imagined",
        title="What an agent believes",
        category="cooperative",
        task=briefing.text,
        agent_spawns={me: AgentSpawn(room=public.rooms[0])},
        problem_pddl="",
        k_depth=0,
    )
    return Household(HouseholdTask(file, plan, HouseMechanics((me,), bindings), frozenset(), (), {}, (), {me: ()}))


def _believed_state(briefing: Briefing, house: Household, beliefs: HouseBeliefs, goals: Collection[Proposition]) -> int:
    """Returns the mask of the believed state, with guesses for furniture whose state is unknown."""
    facts = [fact for fact in beliefs.all() if fact.predicate in Is.PLACES]
    lying = ((thing, beliefs.room_of(thing)) for thing in beliefs.objects())
    facts += [Proposition(Is.IN_ROOM, (thing, room)) for thing, room in lying if room]
    here = [
        fact for fact in beliefs.all() if fact.predicate == Is.AGENT_IN_ROOM and fact.arguments[0] == briefing.agent
    ]
    if not any(fact.predicate == Is.HELD_BY and fact.arguments[1] == briefing.agent for fact in facts):
        facts.append(Proposition(Is.HAND_EMPTY, (briefing.agent,)))
    doors = (
        Proposition(Is.OPEN if _is_open(furniture, house, beliefs, goals) else Is.CLOSED, (furniture,))
        for furniture in briefing.plan.openable
    )
    return house.mask(fact for fact in (*facts, *here, *doors) if fact in house.bits)


def _is_open(furniture: str, house: Household, beliefs: HouseBeliefs, goals: Collection[Proposition]) -> bool:
    """Returns the believed state of furniture, else of its mirror; without either, True if a goal wants it closed."""
    is_open = beliefs.holds(Proposition(Is.OPEN, (furniture,)))
    if is_open is not None:
        return is_open
    for binding in house.mechanics.bindings:
        if isinstance(binding, StateMirroring) and furniture in (binding.trigger_object, binding.target_object):
            twin = binding.target_object if furniture == binding.trigger_object else binding.trigger_object
            twin_is_open = beliefs.holds(Proposition(Is.OPEN, (twin,)))
            if twin_is_open is not None:
                return twin_is_open
    return Proposition(Is.CLOSED, (furniture,)) in goals


# Looking for things


def search(
    briefing: Briefing, here: str, beliefs: HouseBeliefs, facts: Collection[Proposition], *, in_closed: bool = False
) -> Iterator[HouseCommand]:
    """Yields the commands of a search for objects: to rooms not visited or, once all are, into furniture not seen open.

    The agent's room comes first. Nothing if it has looked everywhere that it can. in_closed: leaves out furniture that
    it believes to be open, though it was not there.
    """
    rooms = [here, *(room for room in briefing.plan.rooms if room != here and room not in briefing.barred)]
    if unvisited := [room for room in rooms if room not in beliefs.visited]:
        yield from map(navigate, unvisited)
        return
    for room in rooms:
        unseen = [piece for piece in briefing.plan.furniture_by_room[room] if piece not in beliefs.looked_into]
        inside = [piece for piece in unseen if piece in briefing.plan.openable]
        if in_closed:
            inside = [piece for piece in inside if beliefs.holds(Proposition(Is.CLOSED, (piece,)))]
        if inside and room != here:
            yield navigate(room)
        yield from (open_command(piece, facts) for piece in inside)


def open_command(furniture: str, facts: Collection[Proposition]) -> HouseCommand:
    return close_it(furniture) if Proposition(Is.INVERSE, (furniture,)) in facts else open_it(furniture)


def close_command(furniture: str, facts: Collection[Proposition]) -> HouseCommand:
    return open_it(furniture) if Proposition(Is.INVERSE, (furniture,)) in facts else close_it(furniture)
