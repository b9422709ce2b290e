"""Who earns what at the mixed tables of SymmToM: `python -m benchmarks symmtom_mixed [episodes per half]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from hm_agent.catalogue.registry import scenario_named
from hm_agent.matched_pairs import HALVES
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.own_agents import PEDDLERS
from hm_agent.worlds.symmtom.policies.shortcuts import RATINGS
from hm_agent.worlds.symmtom.tables.table import TABLES

SHORTCUTS = (
    *(f"shortcut_peddler_{name}" for name in PEDDLERS),
    *(f"shortcut_{name}" for name in RATINGS),
    *("random", "heuristic", "k_first"),
)
AGENTS = ("teller", *(f"order_{order}" for order in range(3)), "hypothetical_minds", *SHORTCUTS)
"""Questions are answered by the built-in reasoner."""


def main(episodes: int = 12, agents: Sequence[str] = AGENTS) -> None:
    print(f"Reward after the prelude, even / odd half, {episodes} games each (and as a share of the ceiling's).\n")
    print(f"| agent | {' | '.join(TABLES)} |\n| --- |{' --- |' * len(TABLES)}")
    tops = {(kind, half): earned("teller", kind, half, episodes) for kind in TABLES for half in HALVES}
    for agent in agents:
        print(f"| {agent} | {' | '.join(cell(agent, kind, tops, episodes) for kind in TABLES)} |", flush=True)


def cell(agent: str, kind: str, tops: Mapping[tuple[str, str], float], episodes: int) -> str:
    """What an agent earns at one kind of table on both halves, and its shares of the ceilings `tops`."""
    found = [earned(agent, kind, half, episodes) for half in HALVES]
    shares = [value / tops[kind, half] for value, half in zip(found, HALVES, strict=True)]
    return f"{' / '.join(f'{value:.1f}' for value in found)} ({' / '.join(f'{share:.2f}' for share in shares)})"


def earned(agent: str, kind: str, half: str, episodes: int) -> float:
    """The mean reward of an agent over the first games of a half."""
    scenario, found = scenario_named(f"symmtom_mixed_{kind}_{half}"), []
    for number in range(episodes):
        world, agents = set_up(scenario, agent, seed=number)
        play_out(world, agents, seed=number)
        found.append(world.seat_metrics("player_0")[REWARD])
    return mean(found)
