"""How long SymmToM's missing training runs take: processor time of the MADDPG family by board.

`python -m benchmarks.symmtom_learners LEARNER ...` measures these learners, by default all six. `make learners` trains
what is missing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import jax

from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
from hm_agent.worlds.symmtom.learning.results import missing
from hm_agent.worlds.symmtom.learning.training import Training
from hm_agent.worlds.symmtom.settings import GameSettings, paper_settings

EPISODES = 60_000
FAMILY = tuple(name for name in ALGORITHMS if "maddpg" in name)
RESULTS = Path("benchmarks/results/symmtom_learning")
SEEDS = range(3)
NIGHT = 16
"""The hours of processor time in a night of eight hours on two cores."""


def planned(settings: GameSettings, learner: str, seed: int = 0) -> Training:
    parameters = MaddpgParameters(updates=EPISODES // MaddpgParameters.games)
    return Training(learner, settings, seed, parameters)


def hours(training: Training) -> float:
    """The processor time of a run in hours, by its second update; the first one compiles."""
    learner = training.learner()
    state, _, _ = learner.update(learner.begin(0), jax.random.key(0))
    jax.block_until_ready(state)
    began = time.process_time()
    jax.block_until_ready(learner.update(state, jax.random.key(1)))
    return (time.process_time() - began) * training.parameters.updates / 3600


def main(learners: Sequence[str] = FAMILY) -> None:
    device = jax.default_backend()
    print(f"Hours of processor time for {EPISODES:,} episodes on {device}; a night of two cores has {NIGHT}.\n")
    columns = ("scenario", *learners, "missing seeds of the six learners")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for setting in paper_settings():
        game = setting.game
        runs = [planned(game, learner, seed) for learner in FAMILY for seed in SEEDS]
        lacking = missing(runs, RESULTS)
        if lacking:
            cells = (f"{hours(planned(game, learner)):.1f}" for learner in learners)
            print(f"| {game.name} | {' | '.join(cells)} | {len(lacking)} of {len(runs)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or FAMILY)
