"""What an agent knows about others' knowledge, as deep as its order allows, and how it learned what it knows."""

from __future__ import annotations

from collections.abc import Collection

from hm_agent.worlds.enacttom.house.knowledge import follows_among, nested_knowers
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, normalised_claim


class ClaimNotes:
    """The claims that one agent knows: p, K_b p, K_b K_c p ..., without itself as the outermost knower.

    order: the greatest number of nested K operators that it can handle, its own included: an agent of order 2 can know
    that b knows p, and nothing deeper. An agent of order 0 ignores what it hears.

    An agent passes on as p what it saw or was told beforehand, and as K_b p what b said. So passing on a proposition
    once more takes one more order. This is a rule of these agents, not of the world. vouches: True for an agent that
    passes on as p what others said, too, as if it had seen it.
    """

    def __init__(self, me: str, agents: Collection[str], order: int, *, vouches: bool = False) -> None:
        self.order, self._vouches = order, vouches
        self._me = me
        self._chains = tuple(nested_knowers(agents, max(0, order - 1), below=me))
        self._claims: set[Claim] = set()
        self._sources: dict[Proposition, Claim] = {}
        self._common: dict[Proposition, set[tuple[frozenset[str], Claim]]] = {}
        self._exchanged: set[tuple[str, Claim]] = set()
        self._said: set[Claim] = set()
        self._tellers: dict[Proposition, dict[str, None]] = {}

    def __contains__(self, claim: Claim) -> bool:
        return claim in self._claims

    def witness(self, proposition: Proposition, group: Collection[str]) -> None:
        """Notes a proposition that a group, the agent among it, saw together or was told beforehand."""
        self._sources[proposition] = Claim((), proposition)
        self._learn(group, Claim((), proposition))

    def hear(self, sender: str, group: Collection[str], claim: Claim) -> bool:
        """Notes a claim that a message said to a group; ignores it and returns False if it is too deep."""
        if claim.depth >= self.order:
            return False
        hearsay = normalised_claim((sender, *claim.knowers), claim.proposition)
        self._tellers.setdefault(claim.proposition, {})[sender] = None
        known_source, source = self._sources.get(claim.proposition), claim if self._vouches else hearsay
        if known_source is None or source.depth < known_source.depth:
            self._sources[claim.proposition] = source
        self._note_exchange(group, claim)
        self._note_exchange(group, hearsay)
        self._learn(group, claim)
        return True

    def say(self, group: Collection[str], claim: Claim) -> None:
        """Notes a claim that the agent itself said to a group."""
        self._said.add(claim)
        self._note_exchange(group, claim)
        self._learn(group, claim)

    def passed_on(self, proposition: Proposition) -> bool:
        """True if the agent passed on a proposition as hearsay."""
        return any(claim.proposition == proposition and claim.depth for claim in self._said)

    def _note_exchange(self, group: Collection[str], claim: Claim) -> None:
        """Notes that all of a group said or heard a claim."""
        self._exchanged |= {(agent, claim) for agent in group}

    def _learn(self, group: Collection[str], claim: Claim) -> None:
        """Notes all claims that follow from common knowledge of a claim in a group."""
        learned_before = self._common.setdefault(claim.proposition, set())
        if (key := (frozenset(group), claim)) in learned_before:
            return
        learned_before.add(key)
        for chain in self._chains:
            learned_claim = normalised_claim(chain, claim.proposition)
            if learned_claim not in self._claims and follows_among(
                group, claim, normalised_claim((self._me, *chain), claim.proposition)
            ):
                self._claims.add(learned_claim)

    def forget(self, proposition: Proposition) -> None:
        """Drops all notes on a proposition that no longer holds."""
        self._claims = {claim for claim in self._claims if claim.proposition != proposition}
        self._said = {claim for claim in self._said if claim.proposition != proposition}
        self._exchanged = {(agent, claim) for agent, claim in self._exchanged if claim.proposition != proposition}
        self._sources.pop(proposition, None)
        self._common.pop(proposition, None)
        self._tellers.pop(proposition, None)

    def sayable(self, proposition: Proposition) -> Claim | None:
        """Returns the claim by which the agent would tell a proposition; None if unknown, or hearsay too deep."""
        source = self._sources.get(proposition)
        return source if source and source.depth < self.order else None

    def tellers(self, proposition: Proposition) -> tuple[str, ...]:
        return tuple(self._tellers.get(proposition, ()))

    def lacks(self, agent: str, claim: Claim) -> bool:
        """True if another agent may not know a claim, as far as this one can tell."""
        if agent in claim.knowers or (agent, claim) in self._exchanged:
            return False
        return normalised_claim((agent, *claim.knowers), claim.proposition) not in self._claims

    def knowers(self, proposition: Proposition) -> set[str]:
        """Returns the other agents that are known to know a proposition."""
        return {claim.knowers[0] for claim in self._claims if claim.proposition == proposition and claim.depth == 1}
