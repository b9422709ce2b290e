"""Compiles a household and a goal with K operators into a problem of classical planning.

Knowledge becomes bits, seeing becomes rules that need co-location, telling becomes actions that spend message tokens.
All of these come from `Household`, which the runtime uses, too. The compiler adds the tokens and the conditions of a
variant, and leaves out what can't matter. It is sound and complete for the rules of knowledge.py, at any depth of the
goal.

Of hard tasks it knows short messages, message limits and claims that must never hold; where there are such claims,
plans have one agent act at a time. Characters are agents that do what a plan says (`hard_mechanics.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hm_agent.worlds.enacttom.house.commands import ON, WITHIN, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household, SightRule, union
from hm_agent.worlds.enacttom.house.knowledge import common_knowledge
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition, wanted
from hm_agent.worlds.enacttom.verification.hard_mechanics import (
    short_messages,
    with_relaxed_characters,
    with_secrets_kept,
)
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem, Variant


def compile_task(household: Household, variant: Variant, *, start: int | None = None) -> PlanningProblem:
    """Compiles a variant with every action of the household. start: the state to plan from, if not the task's."""
    tokens = _Tokens(household)
    actions = [*_physical_actions(household, variant), *_message_actions(household, variant, tokens)]
    start = (household.start if start is None else start) | tokens.start
    if variant.is_public:
        start |= _all_public(household)
    goal, sights = household.goal_mask(variant.goal), tuple(household.sight_rules)
    problem = PlanningProblem(household, variant, start, goal, tuple(actions), sights, tuple(tokens.names))
    if variant.is_relaxed:
        return with_relaxed_characters(problem)
    return with_secrets_kept(problem) if household.hidden_mask else problem


def _all_public(household: Household) -> int:
    """Returns the bits that are set once all secrets and all goals are common knowledge."""
    facts = {fact for known in household.task.known.values() for fact in known} | household.task.goal_facts
    return union(household.mask(common_knowledge(household.agents, fact, household.claims)) for fact in facts)


def _physical_actions(household: Household, variant: Variant) -> Iterator[PlanAction]:
    """Yields the actions of agents that are not idle, one for each way in which the agent may know of its goals."""
    goals = [wanted(conjunct.proposition) for conjunct in variant.goal if not conjunct.depth]
    reached = household.mask(fact.goal for fact in goals)
    seen: set[int] = set()
    for operators in household.operators.values():
        for operator in operators:
            if household.agents[operator.agent] in variant.idle or id(operator) in seen:
                continue
            seen.add(id(operator))
            preconditions = (
                household.knowing_preconditions(operator, goals)
                if variant.is_knowing and operator.adds & reached
                else []
            )
            for precondition in preconditions or [0]:
                yield PlanAction(
                    operator.agent, operator.command, operator.needs | precondition, operator.adds, operator.deletes
                )


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


def _message_actions(household: Household, variant: Variant, tokens: _Tokens) -> Iterator[PlanAction]:
    """Yields for each agent and number of messages left one message to all agents that it can reach.

    It says all that the sender knows. No plan is lost by that: goals only ask for knowledge, and an agent that hears
    more, or hears it together with more others, knows no less. `short_messages` where that is not so.
    """
    mechanics = household.mechanics
    is_exact = mechanics.most_facts is not None or household.hidden_mask
    for number, agent in enumerate(household.agents):
        targets = mechanics.targets(agent)
        if variant.is_silent or agent in variant.idle or not targets:
            continue
        sayable = [
            claim for claim in household.sayable if claim.knowers[:1] != (agent,)
        ]  # "I know p" says no more than p
        if is_exact:
            yield from short_messages(household, variant, number, sayable, tokens.left[number])
            continue
        group = household.group(number, targets)
        rules = [household.tell_rule(number, group, claim) for claim in sayable]
        tells = tuple(rule for rule in rules if rule)
        command = tell([], targets)
        count_bits = tokens.left[number]
        if not count_bits:
            yield PlanAction(number, command, 0, 0, 0, tells, group)
        for count in range(1, len(count_bits)):
            yield PlanAction(number, command, count_bits[count], count_bits[count - 1], count_bits[count], tells, group)


# Leaving out what can't matter


def without_irrelevant(problem: PlanningProblem) -> PlanningProblem:
    """The problem without actions that no plan needs: it has a plan if and only if the whole problem has one.

    1. Objects that no goal is about are never moved, unless someone holds one at the start. Take a plan and leave out
       all that it does with such an object: hands are then empty wherever they were, and nothing else changes.
    2. An object is put only where a goal wants it, and on one piece of furniture in each room that stands for all
       others. Furniture holds any number of objects, and what lies on top is at least as visible and as easy to take.
    3. An action is left out if nothing that it adds is needed, directly or indirectly. Agents go straight from any room
       to any other, so that having been in a room matters only if something else there is needed.

    Only the last holds where a claim must never hold, since to carry something off may keep a secret, and of relaxed
    characters, which put things down where they want them alone.
    """
    if problem.household.hidden_mask or problem.variant.is_relaxed:
        return _relevant(problem)
    moved = {thing: _destinations(problem, thing) for thing in _moved_objects(problem)}
    actions = [action for action in problem.actions if _may_matter(action.command, moved)]
    return _relevant(replace(problem, actions=tuple(actions)))


def _may_matter(command: HouseCommand, moved: Mapping[str, Collection[tuple[str, ...]]]) -> bool:
    """False for a Pick or Place that no plan needs. moved: the objects that plans may move, with their places."""
    if command.verb == Verb.PICK:
        return command.arguments[0] in moved
    return command.verb != Verb.PLACE or command.arguments[1:] in moved.get(command.arguments[0], ())


def _moved_objects(problem: PlanningProblem) -> set[str]:
    """Returns the objects that are held at the start, and the first thing that each conjunct of the goal is about."""
    house = problem.household
    held = {
        fact.arguments[0]
        for fact in house.physical
        if fact.predicate == Is.HELD_BY and problem.start & house.bits[fact]
    }
    return held | {conjunct.proposition.things[0] for conjunct in problem.variant.goal}


def _destinations(problem: PlanningProblem, thing: str) -> set[tuple[str, ...]]:
    """Returns where a plan may put an object, as (relation, furniture)."""
    plan = problem.household.plan
    goals = {conjunct.proposition for conjunct in problem.variant.goal}
    places: set[tuple[str, ...]] = set()
    for furniture in plan.furniture_by_room.values():
        others = [piece for piece in furniture if Proposition(Is.ON_TOP, (thing, piece)) not in goals]
        if others:
            places.add((ON, others[0]))
        for piece in furniture:
            if Proposition(Is.ON_TOP, (thing, piece)) in goals:
                places.add((ON, piece))
            if not others or Proposition(Is.INSIDE, (thing, piece)) in goals:
                places.add((WITHIN, piece))
    return places


def _relevant(problem: PlanningProblem) -> PlanningProblem:
    """Leaves out actions and sights that are out of reach, and those whose effects the goal does not need."""
    reached = reachable(problem)
    actions = [action for action in problem.actions if action.needs & ~reached == 0]
    sights = [sight for sight in problem.sights if sight.needs & ~reached == 0]
    needed, before = problem.goal, 0
    used_actions: dict[int, PlanAction] = {}
    used_sights: dict[int, SightRule] = {}
    while needed != before:
        before = needed
        for number, action in enumerate(actions):
            if number not in used_actions and _effects(action) & needed:
                used_actions[number] = action
                needed |= _needs_without_origin(problem, action)
            if number in used_actions:
                for rule in action.tells:
                    needed |= rule.needs if rule.adds & needed else 0
        for number, sight in enumerate(sights):
            if number not in used_sights and sight.adds & needed:
                used_sights[number] = sight
                needed |= sight.needs
    slimmed = [
        replace(action, tells=tuple(rule for rule in action.tells if rule.adds & needed and rule.needs & ~reached == 0))
        for _, action in sorted(used_actions.items())
    ]
    return replace(problem, actions=tuple(slimmed), sights=tuple(sight for _, sight in sorted(used_sights.items())))


def _needs_without_origin(problem: PlanningProblem, action: PlanAction) -> int:
    """Returns what an action needs, without the room that an agent leaves: it could come from any other."""
    origins = problem.household.position_masks[action.agent] if action.command.verb == Verb.NAVIGATE else 0
    return action.needs & ~origins


def _effects(action: PlanAction) -> int:
    """Returns all bits that an action may add."""
    return action.adds | union(rule.adds for rule in action.tells)


def reachable(problem: PlanningProblem) -> int:
    """Returns every bit that could ever be set if nothing were ever deleted."""
    return closure(problem.start, list(problem.actions), problem.sights)


def closure(state: int, actions: Sequence[PlanAction], sights: Iterable[SightRule]) -> int:
    """Returns a state with all that actions and sights can add to it one after another, if nothing is deleted."""
    waiting: list[tuple[int, int]] = [(action.needs, action.adds) for action in actions]
    waiting += [(action.needs | rule.needs, rule.adds) for action in actions for rule in action.tells]
    waiting += [(sight.needs, sight.adds) for sight in sights]
    before = -1
    while before != state:
        before, blocked = state, []
        for pair in waiting:
            if pair[0] & ~state:
                blocked.append(pair)
            else:
                state |= pair[1]
        waiting = blocked
    return state
