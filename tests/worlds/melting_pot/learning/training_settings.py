"""A small run, which the tests share, since compiling its learner takes longer than all else."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationParameters
from hm_agent.worlds.melting_pot.learning.training import PopulationProgress, PopulationTraining

SUBSTRATE = "prisoners_dilemma_in_the_matrix__repeated"
TRAINING = PopulationTraining(
    f"{SUBSTRATE}_selfplay",
    "planes",
    seed=0,
    parameters=PopulationParameters(updates=40, tables=4, steps=20, learning_rate=3e-3),
    hidden=16,
    every=20,
    actors=1,
    evaluation=1,
)


def no_report(training: PopulationTraining, progress: PopulationProgress) -> None:
    """Says nothing."""
