"""What an agent knows that others know, as deep as its order allows, and how it came by what it knows."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hm_agent.worlds.enacttom.house.knowledge import follows_among
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, normalised_claim


class ClaimNotes:
    """The claims that one agent knows: p, K_b p, K_b K_c p ..., without itself as the outermost knower.

    order: how many K operators it can think of at once, its own included; so an agent of order 2 knows that b knows p,
    and no more. An agent of order 0 takes in nothing that it hears.

    An agent vouches for what it saw or was told beforehand. Of hearsay it says whose it is: what b said to be so, it
    passes on as K_b p. So each time that something is passed on, one more order is needed. That is a rule of these
    agents; the world has none. vouches: True for an agent that passes on what it heard as if it had seen it.
    """

    def __init__(self, me: str, agents: Collection[str], order: int, *, vouches: bool = False) -> None:
        self.order, self._vouches = order, vouches
        self._me = me
        self._chains = tuple(_chains(me, agents, max(0, order - 1)))
        self._claims: set[Claim] = set()
        self._sources: dict[Proposition, Claim] = {}
        self._common: dict[Proposition, set[tuple[frozenset[str], Claim]]] = {}
        self._exchanged: set[tuple[str, Claim]] = set()
        self._said: set[Claim] = set()
        self._tellers: dict[Proposition, dict[str, None]] = {}

    def __contains__(self, one: Claim) -> bool:
        return one in self._claims

    def witness(self, one: Proposition, group: Collection[str]) -> None:
        """Notes what all of a group, the agent among them, saw together or were told beforehand."""
        self._sources[one] = Claim((), one)
        self._learn(group, Claim((), one))

    def hear(self, sender: str, group: Collection[str], said: Claim) -> bool:
        """Notes what a message said to a group; False if that is deeper than the agent can think."""
        if said.depth >= self.order:
            return False
        hearsay = normalised_claim((sender, *said.knowers), said.proposition)
        self._tellers.setdefault(said.proposition, {})[sender] = None
        known, source = self._sources.get(said.proposition), said if self._vouches else hearsay
        if known is None or source.depth < known.depth:
            self._sources[said.proposition] = source
        self._exchange(group, said)
        self._exchange(group, hearsay)
        self._learn(group, said)
        return True

    def say(self, group: Collection[str], said: Claim) -> None:
        """Notes what the agent itself said to a group."""
        self._said.add(said)
        self._exchange(group, said)
        self._learn(group, said)

    def passed_on(self, one: Proposition) -> bool:
        """True if the agent told others of something that it was told itself."""
        return any(said.proposition == one and said.depth for said in self._said)

    def _exchange(self, group: Collection[str], said: Claim) -> None:
        self._exchanged |= {(agent, said) for agent in group}

    def _learn(self, group: Collection[str], said: Claim) -> None:
        """What is said or seen is common knowledge in the group."""
        learned = self._common.setdefault(said.proposition, set())
        if (key := (frozenset(group), said)) in learned:
            return
        learned.add(key)
        for chain in self._chains:
            found = normalised_claim(chain, said.proposition)
            if found not in self._claims and follows_among(
                group, said, normalised_claim((self._me, *chain), said.proposition)
            ):
                self._claims.add(found)

    def forget(self, one: Proposition) -> None:
        """Drops all that was known of something that is no longer so."""
        self._claims = {known for known in self._claims if known.proposition != one}
        self._said = {said for said in self._said if said.proposition != one}
        self._exchanged = {(agent, said) for agent, said in self._exchanged if said.proposition != one}
        self._sources.pop(one, None)
        self._common.pop(one, None)
        self._tellers.pop(one, None)

    def sayable(self, one: Proposition) -> Claim | None:
        """How the agent would tell somebody of it; None if it knows nothing of it, or only by too much hearsay."""
        found = self._sources.get(one)
        return found if found and found.depth < self.order else None

    def tellers(self, one: Proposition) -> tuple[str, ...]:
        """Those who told the agent of something."""
        return tuple(self._tellers.get(one, ()))

    def lacks(self, agent: str, said: Claim) -> bool:
        """True if another agent may not know a claim, as far as this one can think of that."""
        if agent in said.knowers or (agent, said) in self._exchanged:
            return False
        return normalised_claim((agent, *said.knowers), said.proposition) not in self._claims

    def knowers(self, one: Proposition) -> set[str]:
        """The others that are known to know something."""
        return {known.knowers[0] for known in self._claims if known.proposition == one and known.depth == 1}


def _chains(me: str, agents: Collection[str], most: int) -> Iterator[tuple[str, ...]]:
    """Every sequence of at most so many knowers in which none stands next to itself, and the agent itself not first."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        chain = waiting.pop(0)
        yield chain
        if len(chain) < most:
            last = chain[-1] if chain else me
            waiting += [(*chain, agent) for agent in agents if agent != last]
