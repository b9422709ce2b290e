"""Compiles a household and a goal with K operators into a problem of classical planning.

Knowledge becomes bits, seeing becomes rules that need co-location, telling becomes actions that spend message tokens.
All of it comes from `Household`, as the runtime's does; the compiler adds the tokens and the variant that is asked
about, and leaves out what can't matter. It is sound and complete for the rules of knowledge.py, at any depth of the
goal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hm_agent.worlds.enacttom.house.commands import NAVIGATE, ON, PICK, PLACE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household, SightRule, TellRule
from hm_agent.worlds.enacttom.house.knowledge import common_knowledge
from hm_agent.worlds.enacttom.tasks.propositions import (
    IS_HELD_BY,
    IS_INSIDE,
    IS_ON_TOP,
    Claim,
    Proposition,
    wanted,
)


@dataclass(frozen=True)
class Variant:
    """What is asked of a task: a goal, and under which conditions.

    is_knowing: an agent brings about what is wanted only if it knows that something of it is. is_public: everyone
    knows all public and secret facts and goals from the start. is_silent: nobody sends a message. idle: agents that
    only wait; they see and are told things.
    """

    goal: tuple[Claim, ...]
    is_knowing: bool = True
    is_public: bool = False
    is_silent: bool = False
    idle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PlanAction:
    """An action that a plan may take. tells: for a message, what it may say; it says whatever its sender knows.

    group: for a message, sender and addressees as bits of agents; 0 for other actions.
    """

    agent: int
    command: HouseCommand
    needs: int
    adds: int
    deletes: int
    tells: tuple[TellRule, ...] = ()
    group: int = 0

    @property
    def key(self) -> tuple[int, HouseCommand, int]:
        """Tells an action from all others of a problem, also after irrelevant tells were left out."""
        return self.agent, self.command, self.needs

    def after(self, state: int) -> int:
        """The state that follows, before anyone looks."""
        found = state & ~self.deletes | self.adds
        for rule in self.tells:
            if state & rule.needs == rule.needs:
                found |= rule.adds
        return found


@dataclass(frozen=True)
class PlanningProblem:
    """A variant of a task for a planner. Bits beyond the household's count the messages that agents have left."""

    household: Household
    variant: Variant
    start: int
    goal: int
    actions: tuple[PlanAction, ...]
    sights: tuple[SightRule, ...]
    tokens: tuple[str, ...]

    def look(self, state: int) -> int:
        """The state once everyone has looked around."""
        for rule in self.sights:
            if state & rule.needs == rule.needs:
                state |= rule.adds
        return state

    def name(self, bit: int) -> str:
        """What a bit stands for, in PDDL."""
        number = bit.bit_length() - 1
        names = self.household.names
        return names[number].pddl if number < len(names) else self.tokens[number - len(names)]


def compile_task(household: Household, variant: Variant, *, start: int | None = None) -> PlanningProblem:
    """The whole problem: every action of the household. start: the state to plan from, if not the task's."""
    tokens = _Tokens(household)
    actions = [*_physical(household, variant), *_messages(household, variant, tokens)]
    start = (household.start if start is None else start) | tokens.start
    if variant.is_public:
        start |= _all_public(household)
    sights = tuple(household.sight_rules)
    return PlanningProblem(
        household, variant, start, household.goal_mask(variant.goal), tuple(actions), sights, tuple(tokens.names)
    )


def _all_public(household: Household) -> int:
    """What is known once every secret and every goal is common knowledge."""
    facts = {fact for known in household.task.known.values() for fact in known} | household.task.goal_facts
    found = 0
    for fact in facts:
        found |= household.mask(common_knowledge(household.agents, fact, household.claims))
    return found


def _physical(household: Household, variant: Variant) -> Iterator[PlanAction]:
    goals = [wanted(one.proposition) for one in variant.goal if not one.depth]
    reached = household.mask(fact.goal for fact in goals)
    seen: set[int] = set()
    for operators in household.operators.values():
        for one in operators:
            if household.agents[one.agent] in variant.idle or id(one) in seen:
                continue
            seen.add(id(one))
            reasons = household.knowing_preconditions(one, goals) if variant.is_knowing and one.adds & reached else []
            for reason in reasons or [0]:
                yield PlanAction(one.agent, one.command, one.needs | reason, one.adds, one.deletes)


class _Tokens:
    """Bits that count messages: exactly one bit of an agent with a limit is set, that of the number it has left."""

    def __init__(self, household: Household) -> None:
        self.names: list[str] = []
        self.left: list[list[int]] = []
        self.start = 0
        first = len(household.names)
        for agent in household.agents:
            limit = household.mechanics.message_limit(agent)
            bits = []
            if limit is not None:
                bits = [1 << first + len(self.names) + count for count in range(limit + 1)]
                self.names += [f"(messages_left {agent} {count})" for count in range(limit + 1)]
                self.start |= bits[-1]
            self.left.append(bits)


def _messages(household: Household, variant: Variant, tokens: _Tokens) -> Iterator[PlanAction]:
    """For each agent and number of messages left, one message to all whom it may reach.

    It says all that the sender knows. Nothing is lost by that: every goal is about knowing, and whoever hears more, or
    hears it together with more others, knows no less.
    """
    for number, agent in enumerate(household.agents):
        targets = household.mechanics.targets(agent)
        if variant.is_silent or agent in variant.idle or not targets:
            continue
        group = household.group(number, targets)
        others = [said for said in household.sayable if said.knowers[:1] != (agent,)]  # what it knows says no more
        rules = [household.tell_rule(number, group, said) for said in others]
        tells = tuple(rule for rule in rules if rule)
        command = tell([], targets)
        left = tokens.left[number]
        if not left:
            yield PlanAction(number, command, 0, 0, 0, tells, group)
        for count in range(1, len(left)):
            yield PlanAction(number, command, left[count], left[count - 1], left[count], tells, group)


# Leaving out what can't matter


def without_irrelevant(problem: PlanningProblem) -> PlanningProblem:
    """The problem without actions that no plan needs: it has a plan if and only if the whole problem has one.

    1. Objects that no goal speaks of are never moved, unless someone holds one at the start. Take a plan and leave out
       all that it does with such an object: hands are then empty wherever they were, and nothing else changes.
    2. An object is put only where a goal wants it, and on one piece of furniture in each room that stands for all
       others. Furniture holds any number of objects, and what lies on top is at least as visible and as easy to take.
    3. An action is left out if nothing of what it adds is needed, directly or not. Between rooms every agent goes
       straight, so that having been in a room matters only if something else is needed of being there.
    """
    moved = {thing: _surfaces(problem, thing) for thing in _moved_objects(problem)}
    kept = [one for one in problem.actions if _may_matter(one.command, moved)]
    return _relevant(replace(problem, actions=tuple(kept)))


def _may_matter(command: HouseCommand, moved: Mapping[str, Collection[tuple[str, ...]]]) -> bool:
    """moved: the objects that matter, with the places for each."""
    if command.verb == PICK:
        return command.arguments[0] in moved
    return command.verb != PLACE or command.arguments[1:] in moved.get(command.arguments[0], ())


def _moved_objects(problem: PlanningProblem) -> set[str]:
    house = problem.household
    held = {
        one.arguments[0] for one in house.physical if one.predicate == IS_HELD_BY and problem.start & house.bits[one]
    }
    return held | {one.proposition.things[0] for one in problem.variant.goal}


def _surfaces(problem: PlanningProblem, thing: str) -> set[tuple[str, ...]]:
    """Where a moved object may be put, as (relation, furniture)."""
    plan = problem.household.plan
    named = {one.proposition for one in problem.variant.goal}
    found: set[tuple[str, ...]] = set()
    for furniture in plan.furniture_by_room.values():
        free = [one for one in furniture if Proposition(IS_ON_TOP, (thing, one)) not in named]
        if free:
            found.add((ON, free[0]))
        for one in furniture:
            if Proposition(IS_ON_TOP, (thing, one)) in named:
                found.add((ON, one))
            if not free or Proposition(IS_INSIDE, (thing, one)) in named:
                found.add(("within", one))
    return found


def _relevant(problem: PlanningProblem) -> PlanningProblem:
    """Without actions and sights that are out of reach, then without those whose effects nobody needs."""
    reached = reachable(problem)
    actions = [one for one in problem.actions if one.needs & ~reached == 0]
    sights = [one for one in problem.sights if one.needs & ~reached == 0]
    needed, before = problem.goal, 0
    used: dict[int, PlanAction] = {}
    seen: dict[int, SightRule] = {}
    while needed != before:
        before = needed
        for number, action in enumerate(actions):
            if number not in used and _effects(action) & needed:
                used[number] = action
                needed |= _needs_beside_rooms(problem, action)
            if number in used:
                for rule in action.tells:
                    needed |= rule.needs if rule.adds & needed else 0
        for number, sight in enumerate(sights):
            if number not in seen and sight.adds & needed:
                seen[number] = sight
                needed |= sight.needs
    kept = [
        replace(action, tells=tuple(rule for rule in action.tells if rule.adds & needed and rule.needs & ~reached == 0))
        for _, action in sorted(used.items())
    ]
    return replace(problem, actions=tuple(kept), sights=tuple(sight for _, sight in sorted(seen.items())))


def _needs_beside_rooms(problem: PlanningProblem, action: PlanAction) -> int:
    """What an action needs, but for the room that an agent leaves: it could come from any other."""
    left = problem.household.position_masks[action.agent] if action.command.verb == NAVIGATE else 0
    return action.needs & ~left


def _effects(action: PlanAction) -> int:
    """All bits that an action may add."""
    found = action.adds
    for rule in action.tells:
        found |= rule.adds
    return found


def reachable(problem: PlanningProblem) -> int:
    """Every bit that could ever be set if nothing were ever deleted."""
    return closure(problem.start, list(problem.actions), problem.sights)


def closure(state: int, actions: Sequence[PlanAction], sights: Iterable[SightRule]) -> int:
    """All bits that actions and sights can add one after another, without deleting any."""
    waiting: list[tuple[int, int]] = [(one.needs, one.adds) for one in actions]
    waiting += [(one.needs | rule.needs, rule.adds) for one in actions for rule in one.tells]
    waiting += [(one.needs, one.adds) for one in sights]
    before = -1
    while before != state:
        before, left = state, []
        for pair in waiting:
            if pair[0] & ~state:
                left.append(pair)
            else:
                state |= pair[1]
        waiting = left
    return state
