"""What an agent thinks of the house, and what it can tell of what others think of it, from its views alone.

A thought is what somebody saw or was told last of a thing; it may be wrong by now. What agents see together in a room,
or what a message says to its sender and addressees, each of them thinks, and thinks that the others think, and so on.
What an agent sees alone changes nothing of what it thinks that others think.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from hm_agent.worlds.enacttom.house.knowledge import follows_among, nested_knowers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.beliefs import HouseBeliefs
from hm_agent.worlds.enacttom.tasks.propositions import SLOTS, Claim, Proposition

Minds = tuple[str, ...]
"""Whose thoughts, from the outside in: (b, c) for what b thinks that c thinks; empty for the agent's own."""


class NestedThoughts:
    """The thoughts of one agent, its own and those of others as far as it can tell.

    views: all its views so far. depth: how many minds may be nested, its own included. reads: False for an agent that
    reads no messages. said: each claim of the messages that it got or sent, with the group of sender and addressees.
    met: the agents that it was ever in a room with; here: those that it is with now.
    """

    def __init__(self, views: Sequence[HouseView], depth: int, *, reads: bool = True) -> None:
        briefing = views[0].briefing
        self.me, self._reads = briefing.agent, reads
        nested = nested_knowers(briefing.plan.agents, depth - 1, below=self.me)
        self._beliefs = {minds: HouseBeliefs(briefing) for minds in nested}
        self._facts: dict[Minds, set[Proposition]] = {minds: set() for minds in self._beliefs}
        self.said: list[tuple[frozenset[str], Claim]] = []
        self.met: frozenset[str] = frozenset()
        self.here: frozenset[str] = frozenset()
        for fact in briefing.facts:
            self._share(briefing.plan.agents if fact in briefing.public_facts else (self.me,), Claim((), fact))
        for view in views:
            self._perceive(view)

    def _perceive(self, view: HouseView) -> None:
        """Takes in a view: first the messages, then what it sees."""
        for message in filter(None, (view.sent, *view.messages)) if self._reads else ():
            group = frozenset((message.sender, *message.addressees))
            for claim in message.claims:
                self.said.append((group, claim))
                self._share(group, claim)
        self.here = view.present
        self.met |= self.here
        for minds, beliefs in self._beliefs.items():
            if self.here.issuperset(minds):
                beliefs.look(view)

    def _share(self, group: Collection[str], claim: Claim) -> None:
        """Takes in that a claim has become common to a group."""
        proposition = claim.proposition
        for minds, beliefs in self._beliefs.items():
            if follows_among(group, claim, Claim((self.me, *minds), proposition)):
                if proposition.predicate in SLOTS:
                    beliefs.take(proposition)
                else:
                    self._facts[minds].add(proposition)

    def holds(self, minds: Minds, proposition: Proposition) -> bool | None:
        """Returns whether these minds take a proposition to hold; None if they think nothing about it.

        Minds nested deeper than `depth` allows lose the outer ones: an agent that can't tell what b thinks that c
        thinks goes by what c thinks, and one that can't tell what c thinks goes by what it thinks itself.
        """
        while minds not in self._beliefs:
            minds = minds[1:]
        if proposition.predicate in SLOTS:
            return self._beliefs[minds].holds(proposition)
        return True if proposition in self._facts[minds] else None

    def own(self) -> Iterator[Proposition]:
        """What the agent itself thinks to hold."""
        yield from self._beliefs[()].all()
        yield from self._facts[()]
