"""Whom a goal concerns: the agents that could reach it, and those through which messages get to them."""

from __future__ import annotations

from collections.abc import Collection

from hm_agent.worlds.enacttom.house.views import Briefing
from hm_agent.worlds.enacttom.tasks.mechanics import Channels
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition


class Routes:
    """What one agent knows of who may go where and who can message whom; without public facts on it, all may."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing
        public = briefing.public_facts
        self._barred = {fact.arguments for fact in public if fact.predicate == Is.RESTRICTED}
        links = {fact.arguments for fact in public if fact.predicate == Is.CAN_COMMUNICATE}
        self._others = [agent for agent in briefing.plan.agents if agent != briefing.agent]
        reached = {
            agent: tuple(other for other in self._others if other != agent and (not links or (agent, other) in links))
            for agent in self._others
        }
        self._past_me = Channels(reached)
        """Who can message whom, without this agent."""

    def doers(self, goal: Proposition, facts: Collection[Proposition]) -> set[str]:
        """Returns the other agents that could reach a goal, as far as this one knows."""
        if goal.predicate in (Is.AGENT_IN_ROOM, Is.HELD_BY):
            doer = goal.arguments[0 if goal.predicate == Is.AGENT_IN_ROOM else 1]
            return {doer} & set(self._others)
        if goal.predicate == Is.ON_FLOOR:
            return set()
        rooms = {goal.arguments[1]} if goal.predicate == Is.IN_ROOM else self._handle_rooms(goal.arguments[-1], facts)
        return {agent for agent in self._others if any((agent, room) not in self._barred for room in rooms)}

    def _handle_rooms(self, furniture: str, facts: Collection[Proposition]) -> set[str]:
        """Returns the room of a piece of furniture, and those of handles that are known to set it."""
        handles = {furniture}
        for fact in facts:
            if fact.predicate in (Is.CONTROLS, Is.MIRRORS) and fact.arguments[1] == furniture:
                handles.add(fact.arguments[0])
            if fact.predicate == Is.MIRRORS and fact.arguments[0] == furniture:
                handles.add(fact.arguments[1])
        return {self._briefing.plan.furniture[handle] for handle in handles}

    def towards(self, receivers: Collection[str], most: int, informed: Collection[str]) -> list[str]:
        """Returns the agents to message so that news gets to each receiver with the fewest messages, at most `most`.

        informed: other agents that know the news, and have not left it to this one by telling it. If one of them needs
        fewer messages, or as few and is first by name, sending is left to that one.
        """
        first_hops: set[str] = set()
        for receiver in receivers:
            hops = {target: self._past_me.hops([target], [receiver]) for target in self._briefing.targets}
            least = min((count for count in hops.values() if count is not None), default=most)
            if not any(self._sends_first(agent, receiver, least + 1) for agent in informed):
                first_hops |= {target for target, count in hops.items() if count == least and count < most}
        return [target for target in self._briefing.targets if target in first_hops]

    def _sends_first(self, other: str, receiver: str, own_count: int) -> bool:
        """True if another agent needs fewer messages than this one, or as few and comes first by name."""
        hops = self._past_me.hops([other], [receiver])
        return hops is not None and (hops, other) < (own_count, self._briefing.agent)
