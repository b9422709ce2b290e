"""Who passes the matched pairs of tests of mind in SymmToM: `python -m benchmarks symmtom_pairs [pairs per half]`."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.matched_pairs import HALVES
from hm_agent.registry import scenario_named
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.pairs.kinds import BOTH, KINDS, PAIRS
from hm_agent.worlds.symmtom.policies.shortcuts import RATINGS

AGENTS = (
    *(f"shortcut_{name}" for name in RATINGS),
    *("random", "heuristic", "k_first", "k_ce", "k_ge", "k_oracle"),
    *(f"order_{order}" for order in range(3)),
    *("react", "hypothetical_minds"),
)
"""Questions are answered by the built-in reasoner."""


def main(pairs: int = PAIRS, agents: Sequence[str] = AGENTS) -> None:
    print(
        f"Share of matched pairs with both boards passed, even / odd half, {pairs} pairs each; guessing passes .25.\n"
    )
    print(f"| agent | {' | '.join(KINDS)} |\n| --- |{' --- |' * len(KINDS)}")
    for agent in agents:
        cells = (" / ".join(f"{share(agent, kind, half, pairs):.2f}" for half in HALVES) for kind in KINDS)
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def share(agent: str, kind: str, half: str, pairs: int) -> float:
    """The share of the first pairs of a half that an agent passes."""
    passed, scenario = 0.0, scenario_named(f"symmtom_pairs_{kind}_{half}")
    for number in range(pairs):
        world, agents = set_up(scenario, agent, seed=number)
        play_out(world, agents, seed=number)
        passed += world.metrics()[BOTH]
    return passed / pairs
