"""Who passes the matched pairs of Running With Scissors: `python -m benchmarks matrix_pairs`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pair_shares import print_shares
from hm_agent.worlds.melting_pot.games.matrix.kind import MatrixKind
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import KINDS

AGENTS = (
    "random",
    *MatrixKind.pair_shortcuts,
    *(f"order_{order}" for order in range(3)),
    *("react", "hypothetical_minds", "hm_joint", "hm_odds"),
)
"""Questions are answered by the built-in reasoner."""
PAIRS = 12
"""How many of each kind and half are played: the six combinations of answers and stations, twice."""


def main(pairs: int = PAIRS, agents: Sequence[str] = AGENTS) -> None:
    print_shares("rws_pairs_", KINDS, agents, pairs)
