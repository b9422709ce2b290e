"""Who passes the matched pairs of tests of mind in SymmToM: `python -m benchmarks symmtom_pairs`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pair_shares import print_shares
from hm_agent.matched_pairs import PAIRS
from hm_agent.worlds.symmtom.pairs.kinds import KINDS
from hm_agent.worlds.symmtom.policies.shortcuts import RATINGS

AGENTS = (
    *(f"shortcut_{name}" for name in RATINGS),
    *("random", "heuristic", "k_first", "k_ce", "k_ge", "k_oracle"),
    *(f"order_{order}" for order in range(3)),
    *("react", "hypothetical_minds"),
)
"""Questions are answered by the built-in reasoner."""


def main(pairs: int = PAIRS, agents: Sequence[str] = AGENTS) -> None:
    print_shares("symmtom_pairs_", KINDS, agents, pairs)
