"""EnactToM's hard tasks: the success of every agent by the order that tasks need, alone and in pairs.

`python -m benchmarks.enacttom_hard OUT` plays each task once with every agent, ten times with `random`, and writes
OUT/hard.md. Language agents ask the built-in reasoner.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.enacttom_ladder import play
from hm_agent.catalogue.registry import scenario_named
from hm_agent.grouping import grouped
from hm_agent.storage.files import write_whole
from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS
from hm_agent.worlds.enacttom.scenarios import hard_task_files

PLAYED = ("random", "solo", "flood", *AGENTS, "react", "hypothetical_minds", "planner")
RANDOM_RUNS = 10
ORDERS = (1, 2, 3)


def successes(agent: str) -> Mapping[str, float]:
    """The share of episodes that an agent solves, by task."""
    runs = RANDOM_RUNS if agent == "random" else 1
    return {
        name: mean(play(agent, scenario_named(name), run)["functional_success"] for run in range(runs))
        for name in hard_task_files()
    }


def row(agent: str, solved: Mapping[str, float]) -> str:
    """A line of the table: the share of tasks by needed order, then the share of pairs, which count by the lesser."""
    cells = []
    for order in ORDERS:
        infos = [info for name in solved if (info := scenario_named(name)).needs_order == order]
        pairs = grouped((info.pair, solved[info.name]) for info in infos)
        cells += [mean(solved[info.name] for info in infos), mean(map(min, pairs.values()))]
    return f"| {agent} | {' | '.join(f'{100 * share:.0f}%' for share in cells)} |"


def table(agents: Sequence[str]) -> str:
    heads = [f"order {order} | both of a pair" for order in ORDERS]
    lines = [f"| agent | {' | '.join(heads)} |", f"| --- |{' --- |' * (2 * len(ORDERS))}"]
    for agent in agents:
        lines.append(row(agent, successes(agent)))
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main(out: str = "") -> None:
    words = table(PLAYED)
    if out:
        Path(out).mkdir(parents=True, exist_ok=True)
        write_whole(Path(out) / "hard.md", f"# Hard tasks\n\n`python -m benchmarks.enacttom_hard {out}`\n\n{words}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
