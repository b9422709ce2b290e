"""How agents that ask the built-in reasoner do in the matrix games that need an order of mind, by order and half.

`python -m benchmarks.matrix_needs 20` sets the number of episodes in each scenario. A score runs from the best shortcut
of each scenario (0) to its ceiling (1).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import mean

from benchmarks.matrix_games import earned
from hm_agent.catalogue.registry import scenario_named
from hm_agent.worlds.matrix_games.agents import LADDER
from hm_agent.worlds.matrix_games.needs import Item, measured
from hm_agent.worlds.matrix_games.settings import table_scenarios

ASKING = ("react", "hypothetical_minds", "hm_joint")
AGENTS = (*ASKING, "bayes", *LADDER)


def with_agents(item: Item, episodes: int) -> Item:
    """The item with what all of `AGENTS` earned."""
    more = {
        agent: mean(earned(item.scenario, agent, number) for number in range(episodes)) for agent in (*ASKING, "bayes")
    }
    return Item(item.scenario, {**item.earned, **more})


def line(title: str, items: Sequence[Item]) -> str:
    counted = [item for item in items if not item.is_narrow]
    scores = [f"{mean(item.score(agent) for item in counted):.2f}" if counted else "-" for agent in AGENTS]
    return f"| {title} | {len(counted)} of {len(items)} | {' | '.join(scores)} |"


def main(episodes: int = 20) -> None:
    needing = [scenario for scenario in table_scenarios().values() if scenario_named(scenario.name).needs_order]
    items = [with_agents(item, episodes) for item in measured(needing, episodes)]
    print(f"| needs | items | {' | '.join(f'`{agent}`' for agent in AGENTS)} |")
    print("| --- " * (2 + len(AGENTS)) + "|")
    for order in range(1, len(LADDER)):
        for is_held_out in (False, True):
            groups = [(item, item.scenario.group) for item in items]
            found = [item for item, of in groups if of and of.needs_order == order and of.held_out == is_held_out]
            print(line(f"order {order}, {'held out' if is_held_out else 'other half'}", found), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
