"""The share of a world's matched pairs of boards that agents pass, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hm_agent.catalogue.registry import scenario_named
from hm_agent.matched_pairs import BOTH_BOARDS, HALVES
from hm_agent.testing.episodes import play_out, set_up


def print_shares(prefix: str, kinds: Iterable[str], agents: Sequence[str], pairs: int) -> None:
    """Prints a line an agent. prefix: of the scenarios' names. pairs: how many of each half are played."""
    kinds = tuple(kinds)
    print(
        f"Share of matched pairs with both boards passed, even / odd half, {pairs} pairs each; guessing passes .25.\n"
    )
    print(f"| agent | {' | '.join(kinds)} |\n| --- |{' --- |' * len(kinds)}")
    for agent in agents:
        cells = (
            " / ".join(f"{_share(agent, f'{prefix}{kind}_{half}', pairs):.2f}" for half in HALVES) for kind in kinds
        )
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def _share(agent: str, name: str, pairs: int) -> float:
    """The share of a scenario's first pairs that an agent passes."""
    passed, scenario = 0.0, scenario_named(name)
    for number in range(pairs):
        world, agents = set_up(scenario, agent, seed=number)
        play_out(world, agents, seed=number)
        passed += world.metrics()[BOTH_BOARDS]
        world.close()
    return passed / pairs
