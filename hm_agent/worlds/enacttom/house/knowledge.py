"""Who knows what, and how knowledge spreads: by seeing together and by being told.

The rules, of which both the runtime and the verifier's compiler are made:

- Knowledge is of what is so. When a proposition ceases to be so, nobody knows it any more; once it is so again, it has
  to be seen or told again.
- All who are in one room see what is to be seen there, and see each other see it: it is common knowledge among them.
- A message reaches all its addressees at once, and names them. What its sender knows and says is from then on common
  knowledge among the sender and the addressees. One message may say any number of things.
- Nothing is inferred: not that somebody must have passed on a message, nor what a handle must have done elsewhere.
- Whoever knows K_a K_b p knows K_a p, K_b p and p.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition, normalised_claim


def needed_claims(goals: Iterable[Claim], agents: Sequence[str]) -> tuple[Claim, ...]:
    """All claims that can matter on the way to some: sound and complete for these goals under the rules above.

    A goal K_i1 ... K_ik p comes about by seeing p together, or by a message that says an end K_ij ... K_ik p of it. Its
    sender s has to know that end; so K_s followed by each proper end of a goal is all that is needed, and the ends of
    such a claim are ends of the goal.
    """
    found: dict[Claim, None] = {}
    for goal in goals:
        if goal.depth:
            found[goal] = None
            for start in range(1, goal.depth + 1):
                for sender in agents:
                    found[normalised_claim((sender, *goal.knowers[start:]), goal.proposition)] = None
    return tuple(found)


def weaker(known: Claim) -> frozenset[Claim]:
    """All that follows from a claim: itself, and every claim with fewer of its knowers."""
    return frozenset(
        normalised_claim(kept, known.proposition)
        for count in range(known.depth + 1)
        for kept in combinations(known.knowers, count)
    )


def follows_among(group: Collection[str], said: Claim, wanted: Claim) -> bool:
    """True if common knowledge of a claim in a group gives another: members' knowledge of it or of what it implies.

    wanted: K_m1 ... K_mj c, where all m are of the group, j is at least 1 and c is weaker than what is said.
    """
    if wanted.proposition != said.proposition:
        return False
    implied = weaker(said)
    for start in range(1, wanted.depth + 1):
        if wanted.knowers[start - 1] not in group:
            return False
        if normalised_claim(wanted.knowers[start:], wanted.proposition) in implied:
            return True
    return False


def common(group: Collection[str], proposition: Proposition, claims: Iterable[Claim]) -> list[Claim]:
    """Those claims that hold once a proposition is common knowledge in a group."""
    said = Claim((), proposition)
    return [one for one in claims if follows_among(group, said, one)]
