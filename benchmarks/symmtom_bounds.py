"""SymmToM: how far the planners are from the best joint play, which is computed exactly or bounded from above.

`python -m benchmarks.symmtom_bounds BOARDS`: over so many boards of a 6 x 6 game; with nine pieces over half as many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.best_play import best_total, relaxed_total
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.rules import GameState
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings

Bound = Callable[[GameSettings, GameState], int]

BOARDS = 20
AGENTS = ("heuristic", "k_ge", "k_oracle")
KINDS: tuple[tuple[GameSettings, str, Bound, int], ...] = (
    (GameSettings(6, 3, 3), "the best joint play", best_total, 1),
    (GameSettings(6, 3, 3), "upper bound", relaxed_total, 1),
    (GameSettings(6, 3, 6), "upper bound", relaxed_total, 1),
    (GameSettings(6, 3, 9), "upper bound", relaxed_total, 2),
)
"""What is computed, and which part of the boards it is computed for: all, each second, ..."""
FIRST_SEED = 5000
"""No constant of the planners was chosen on boards of these seeds."""


def main(boards: int = BOARDS) -> None:
    print("Mean reward per agent on the same boards, and as a share of the best joint play or of a bound above it.\n")
    print(f"| scenario | boards | {' | '.join(AGENTS)} | most | which is |\n| --- |{' --- |' * (len(AGENTS) + 3)}")
    for settings, words, bound, part in KINDS:
        seeds = np.arange(FIRST_SEED, FIRST_SEED + max(1, boards // part), dtype=np.uint32)
        most = np.array([bound(settings, rules.reset(settings, [seed])) for seed in seeds]) / settings.agents
        cells = []
        for agent in AGENTS:
            found = measure(settings, POLICIES[agent], seeds)[REWARD].mean(1)
            cells.append(f"{found.mean():.1f} ({found.sum() / most.sum():.0%})")
        print(
            f"| {settings.name} | {len(seeds)} | {' | '.join(cells)} | {most.mean():.1f} | {words} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
