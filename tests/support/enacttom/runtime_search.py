"""A slow reference for plans in which one agent acts at a time: every command, through the runtime."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations

from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.verification.planning_problem import Variant


def can_reach(household: Household, variant: Variant, most_states: int) -> bool | None:
    """Returns whether the goal of a variant can hold with no secret leaked; None if there are too many states."""
    first, goal = HouseRuntime(household), household.goal_mask(variant.goal)
    waiting, seen = deque([first]), {_key(first)}
    while waiting:
        runtime = waiting.popleft()
        if runtime.leaked:
            continue
        if runtime.holds(goal):
            return True
        if len(seen) > most_states:
            return None
        for agent, command in _moves(runtime, variant):
            after = runtime.copy()
            after.step([command if other == agent else IDLE for other in range(len(household.agents))])
            if _key(after) not in seen:
                seen.add(_key(after))
                waiting.append(after)
    return False


def _key(runtime: HouseRuntime) -> object:
    limits = map(runtime.household.mechanics.message_limit, runtime.household.agents)
    left = zip(limits, runtime.messages_left, strict=True)
    return runtime.state, tuple(count for limit, count in left if limit is not None)


def _moves(runtime: HouseRuntime, variant: Variant) -> Iterator[tuple[int, HouseCommand]]:
    """Yields every command that can succeed now, with its agent's number."""
    household = runtime.household
    for (agent, _, _), operators in household.operators.items():
        yield from ((agent, one.command) for one in operators if one.needs & ~runtime.state == 0)
    for agent, name in enumerate(household.agents):
        targets = household.mechanics.targets(name)
        if variant.is_silent or not runtime.messages_left[agent]:
            continue
        known = [claim for claim in household.sayable if household.known_bit(agent, claim) & runtime.state]
        for length in range(1, min(len(known), household.mechanics.most_facts or len(known)) + 1):
            for count in range(len(targets) if variant.is_broadcast else 1, len(targets) + 1):
                for addressees in combinations(targets, count):
                    yield from ((agent, tell(claims, addressees)) for claims in combinations(known, length))
