"""The rules of knowledge: agents gain it by seeing something together and by being told.

Both the runtime and the verifier's compiler follow these rules:

- Only what holds can be known. When a proposition ceases to hold, nobody knows it any more; once it holds again, it has
  to be seen or told again.
- Agents in the same room see what is visible there, and see each other see it: it is common knowledge among them.
- A message reaches all its addressees at once, and names them. Whatever its sender knows and says is from then on
  common knowledge among the sender and the addressees. One message may say any number of claims.
- Agents infer nothing: not that somebody must have passed on a message, nor what a handle must have done elsewhere.
- An agent that knows K_a K_b p also knows K_a p, K_b p and p.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, normalised_claim


def needed_claims(goals: Iterable[Claim], agents: Sequence[str]) -> tuple[Claim, ...]:
    """Returns the claims that can matter for some goals: sound and complete for these goals under the rules above.

    A goal K_i1 ... K_ik p comes true when its knowers see p together, or when a message says a suffix K_ij ... K_ik p
    of it. The sender s of the message has to know that suffix. So the goal, and K_s before each of its proper suffixes,
    are all that is needed: the suffixes of such a claim are suffixes of the goal.
    """
    claims: dict[Claim, None] = {}
    for goal in goals:
        if goal.depth:
            claims[goal] = None
            for start in range(1, goal.depth + 1):
                for sender in agents:
                    claims[normalised_claim((sender, *goal.knowers[start:]), goal.proposition)] = None
    return tuple(claims)


def nested_knowers(agents: Collection[str], most: int, *, below: str) -> Iterator[tuple[str, ...]]:
    """Yields every sequence of at most `most` knowers that may follow the knower `below`; none follows itself."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        knowers = waiting.pop(0)
        yield knowers
        if len(knowers) < most:
            last = knowers[-1] if knowers else below
            waiting += [(*knowers, agent) for agent in agents if agent != last]


def weaker(claim: Claim) -> frozenset[Claim]:
    """Returns all claims that follow from one: itself, and every claim with fewer of its knowers."""
    return frozenset(
        normalised_claim(kept, claim.proposition)
        for count in range(claim.depth + 1)
        for kept in combinations(claim.knowers, count)
    )


def follows_among(group: Collection[str], shared: Claim, derived: Claim) -> bool:
    """True if common knowledge of `shared` in a group implies `derived`.

    It does if `derived` is K_m1 ... K_mj c, where j is at least 1, all m are members, and c follows from `shared`.
    """
    if derived.proposition != shared.proposition:
        return False
    implied = weaker(shared)
    for start in range(1, derived.depth + 1):
        if derived.knowers[start - 1] not in group:
            return False
        if normalised_claim(derived.knowers[start:], derived.proposition) in implied:
            return True
    return False


def common_knowledge(group: Collection[str], proposition: Proposition, claims: Iterable[Claim]) -> list[Claim]:
    """Selects the claims that hold once a proposition is common knowledge in a group."""
    shared = Claim((), proposition)
    return [claim for claim in claims if follows_among(group, shared, claim)]
