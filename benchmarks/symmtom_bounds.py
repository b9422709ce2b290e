"""SymmToM: how far the planners are from the best joint play, which is computed exactly or bounded from both sides.

`python -m benchmarks.symmtom_bounds BOARDS`: over BOARDS boards of a 6 x 6 game; with six pieces over half as many,
with nine over a quarter. Each share has its standard error over boards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.symmtom import with_error
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.agents import POLICIES
from hm_agent.worlds.symmtom.metrics import REWARD
from hm_agent.worlds.symmtom.policies.planner import best_piece, choose_place, follow
from hm_agent.worlds.symmtom.policies.policy import own_seeds
from hm_agent.worlds.symmtom.rules import GameState, Keys
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import sights_of
from tests.support.symmtom.best_play import best_total, relaxed_total

Bound = Callable[[GameSettings, GameState], int]

BOARDS = 60
AGENTS = ("heuristic", "k_ge", "k_oracle")
KINDS: tuple[tuple[GameSettings, str, Bound, int], ...] = (
    (GameSettings(6, 3, 3), "the best joint play", best_total, 1),
    (GameSettings(6, 3, 3), "upper bound", relaxed_total, 1),
    (GameSettings(6, 3, 6), "upper bound", relaxed_total, 2),
    (GameSettings(6, 3, 9), "upper bound", relaxed_total, 4),
)
"""The settings, the bound in words and as a function, and the part of the boards it is computed for: 1/1, 1/2, ..."""
FIRST_SEED = 5000
"""No constant of the planners was chosen on boards of these seeds."""


def searched(settings: GameSettings, seeds: Keys) -> np.ndarray:
    """(B,): the mean reward per agent of a joint search with full knowledge, a lower bound of the best play.

    In each step it tries every joint move, followed by the planners' convention to the end, and takes the best.
    """
    n = settings.agents
    moves = np.array(list(product(range(5), repeat=n)), np.int32)
    state, own = rules.reset(settings, seeds), own_seeds(seeds, n)
    place = np.repeat(choose_place(sights_of(settings, state, None, own)).reshape(-1, n, 2), len(moves), axis=0)
    total = np.zeros(len(seeds))
    while not rules.is_over(settings, state).all():
        after = GameState(**{name: np.repeat(value, len(moves), axis=0) for name, value in vars(state).items()})
        seen = sights_of(settings, after, None, np.repeat(own, len(moves), axis=0))
        directions = np.tile(moves, (len(seeds), 1))
        pieces = best_piece(seen, np.repeat(after.knows, n, axis=0), directions.reshape(-1)).reshape(-1, n)
        after, effects = rules.step(settings, after, directions, pieces)
        found = effects.rewards.sum(1)
        while not rules.is_over(settings, after).all():
            seen = sights_of(settings, after, None, np.repeat(own, len(moves), axis=0))
            chosen = follow(seen, np.repeat(after.knows, n, axis=0), place.reshape(-1, 2))
            ways, words = (one.reshape(-1, n) for one in chosen)
            after, effects = rules.step(settings, after, ways, words)
            found = found + effects.rewards.sum(1)
        best = found.reshape(len(seeds), -1).argmax(1) + np.arange(len(seeds)) * len(moves)
        state, effects = rules.step(settings, state, directions[best], pieces[best])
        total += effects.rewards.sum(1)
    mean: np.ndarray = total / n
    return mean


def compared(rewards: np.ndarray, most: np.ndarray) -> str:
    """The mean of (B,) rewards and its share of the mean of (B,) `most`, each ± standard error over boards."""
    share = rewards.sum() / most.sum()
    residuals = (rewards - share * most) / most.mean()
    error, share_error = (values.std(ddof=1) / len(most) ** 0.5 for values in (rewards, residuals))
    return f"{rewards.mean():.1f} ± {error:.1f} ({share:.0%} ± {share_error:.0%})"


def main(boards: int = BOARDS) -> None:
    print(
        "Mean reward per agent on the same boards, and as a share of the best joint play or of a bound above it, each "
        "± standard error over boards.\n"
    )
    columns = ("scenario", "boards", *AGENTS, "search", "most", "which is")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for settings, words, bound, part in KINDS:
        seeds = np.arange(FIRST_SEED, FIRST_SEED + max(2, boards // part), dtype=np.uint32)
        most = np.array([bound(settings, rules.reset(settings, [seed])) for seed in seeds.tolist()]) / settings.agents
        played = [measure(settings, POLICIES[agent], seeds)[REWARD].mean(1) for agent in AGENTS]
        cells = [compared(rewards, most) for rewards in (*played, searched(settings, seeds))]
        print(
            f"| {settings.name} | {len(seeds)} | {' | '.join(cells)} | {with_error(most.tolist(), 1)} | {words} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
