"""Whom something concerns: who could bring it about, and over whom messages get there."""

from __future__ import annotations

from collections.abc import Collection

from hm_agent.worlds.enacttom.house.views import Briefing
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    CAN_COMMUNICATE,
    CONTROLS,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_ON_FLOOR,
    IS_RESTRICTED,
    MIRRORS,
    Proposition,
)


class Routes:
    """What one agent knows of who may go where and who can message whom; what nobody told it, it takes to be free."""

    def __init__(self, told: Briefing) -> None:
        self._told = told
        public = told.public_facts
        self._barred = {one.arguments for one in public if one.predicate == IS_RESTRICTED}
        links = {one.arguments for one in public if one.predicate == CAN_COMMUNICATE}
        others = [one for one in told.plan.agents if one != told.agent]
        self._targets = {
            one: {to for to in told.plan.agents if to != one and (not links or (one, to) in links)} for one in others
        }
        self._targets[told.agent] = set(told.targets)

    def doers(self, goal: Proposition, facts: Collection[Proposition]) -> set[str]:
        """The others that could bring a goal about, for all that this agent knows."""
        others = [one for one in self._told.plan.agents if one != self._told.agent]
        if goal.predicate in (AGENT_IN_ROOM, IS_HELD_BY):
            who = goal.arguments[0 if goal.predicate == AGENT_IN_ROOM else 1]
            return {who} & set(others)
        if goal.predicate == IS_ON_FLOOR:
            return set()
        where = {goal.arguments[1]} if goal.predicate == IS_IN_ROOM else self._rooms(goal.arguments[-1], facts)
        return {one for one in others if any((one, room) not in self._barred for room in where)}

    def _rooms(self, furniture: str, facts: Collection[Proposition]) -> set[str]:
        """The room of some furniture, and those of handles that are known to set it."""
        found = {furniture}
        for one in facts:
            if one.predicate in (CONTROLS, MIRRORS) and one.arguments[1] == furniture:
                found.add(one.arguments[0])
            if one.predicate == MIRRORS and one.arguments[0] == furniture:
                found.add(one.arguments[1])
        return {self._told.plan.furniture[one] for one in found}

    def towards(self, goals: Collection[str], most: int, others: Collection[str]) -> list[str]:
        """The agents to message so that each of some others is reached with the fewest messages, at most so many.

        others: who knows of it, too, and did not leave it to this one. Of those who need as few messages the first by
        name is to send one.
        """
        found: set[str] = set()
        for goal in goals:
            hops = {one: self._hops(one, goal) for one in self._told.targets}
            least = min((count for count in hops.values() if count is not None), default=most)
            if not any(self._is_before(one, goal, least + 1) for one in others):
                found |= {one for one, count in hops.items() if count == least and count < most}
        return [one for one in self._told.targets if one in found]

    def _is_before(self, other: str, goal: str, mine: int) -> bool:
        """True if another agent needs fewer messages than this one, or as few and comes first by name."""
        hops = self._hops(other, goal)
        return hops is not None and (hops, other) < (mine, self._told.agent)

    def _hops(self, start: str, goal: str) -> int | None:
        """How many messages it takes from one other agent to another, not over this one; None for no way."""
        reached, count, border = {start, self._told.agent}, 0, {start}
        while border:
            if goal in border:
                return count
            border = {to for one in border for to in self._targets[one]} - reached
            reached |= border
            count += 1
        return None
