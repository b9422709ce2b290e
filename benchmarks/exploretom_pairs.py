"""Who answers the matched pairs of stories: `python -m benchmarks exploretom_pairs`; PAIRS sets how many a half."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hm_agent.matched_pairs import HALVES
from hm_agent.registry import scenario_named
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, KINDS
from hm_agent.worlds.exploretom.readers.readers import RULES

PAIRS = int(os.environ.get("PAIRS", "100"))
AGENTS = (*RULES, "reader", "perspective", "hypothetical_minds")
"""Questions are answered by the built-in reasoner."""


def main(agents: Sequence[str] = AGENTS) -> None:
    print(f"Share of matched pairs with both stories right, even / odd half, {PAIRS} pairs each\n")
    print(f"| agent | {' | '.join(KINDS)} |\n| --- |{' --- |' * len(KINDS)}")
    for agent in agents:
        cells = (" / ".join(f"{share(agent, kind, half):.2f}" for half in HALVES) for kind in KINDS)
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def share(agent: str, kind: str, half: str, pairs: int = PAIRS) -> float:
    """The share of the first pairs of a half that an agent answers rightly in both stories."""
    passed, scenario = 0.0, scenario_named(f"exploretom_pairs_{kind}_{half}")
    for number in range(pairs):
        world, agents = set_up(scenario, agent, seed=number)
        play_out(world, agents, seed=number)
        passed += world.metrics()[BOTH]
    return passed / pairs
