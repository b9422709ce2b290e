"""Which order the items of Melting Pot need whose opponents' moves no clue tells (`rws_hidden_*`), by half.

`python -m benchmarks.hidden_orders 2 FOLDER` plays 2 episodes a scenario and agent, keeps them in a folder and goes on
where it was stopped. An item is three scenarios of one `pair`; what an agent earns in it is the least of three means.
The rule of need is that of `models_me`, from the best declared shortcut (0) to `oracle` (1).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.models_me import LEAST_SCALE
from benchmarks.playing import rows_of
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.grouping import grouped
from hm_agent.worlds.matrix_games.needs import in_words, needed_order
from hm_agent.worlds.melting_pot.suite import SCRIPTED, SUITE

CEILING, LADDER = "oracle", tuple(SUITE.ladder)
Earned = Mapping[str, float]
"""By agent, the least of its mean rewards per 1,200 steps in the scenarios of an item."""


def earned_by_item(episodes: int, folder: Path) -> Mapping[str, Earned]:
    """Plays all scenarios by the shortcuts, the ladder and the ceiling."""
    scenarios, agents = find_scenarios(["rws_hidden_*"]), (*LADDER, CEILING, *SUITE.shortcuts)
    experiment = Experiment(
        scenarios, agents, episodes=episodes, out=folder, options={"bots": SCRIPTED}, workers=2, record_replay=False
    )
    known = [row for row in rows_of(experiment) if row.mean is not None and row.scenario in scenarios]
    by_item = grouped((row.scenario.pair, row) for row in known)
    return {
        item: {
            agent: min(row.mean or 0.0 for row in of_agent)
            for agent, of_agent in grouped((row.condition.agent, row) for row in of_item).items()
        }
        for item, of_item in by_item.items()
    }


def line(item: str, earned: Earned) -> str:
    first, *others = sorted((name for name in SUITE.shortcuts if name in earned), key=lambda name: -earned[name])
    scale = earned[CEILING] - earned[first]
    scores = [(earned[agent] - earned[first]) / scale for agent in LADDER]
    cells = [
        f"`{item.removeprefix('rws_repeated_')}`",
        f"{earned[first]:.1f} `{first}`, then {earned[others[0]]:.1f} `{others[0]}`",
        *(f"{earned[agent]:.1f} ({score:.2f})" for agent, score in zip(LADDER, scores, strict=True)),
        f"{earned[CEILING]:.1f}",
        "separates nobody" if scale / earned[CEILING] < LEAST_SCALE else in_words(needed_order(scores)),
    ]
    return f"| {' | '.join(cells)} |"


def main(episodes: int = 2, *, folder: Path) -> None:
    print(f"| item | best shortcuts | {' | '.join(f'`{agent}`' for agent in (*LADDER, CEILING))} | needs |")
    print("| --- " * (4 + len(LADDER)) + "|")
    for item, earned in sorted(earned_by_item(episodes, folder).items()):
        print(line(item, earned), flush=True)


if __name__ == "__main__":
    _, *given = sys.argv
    main(*[int(number) for number in given[:1]], folder=Path(*given[1:2] or ["runs/hidden_orders"]))
