"""How fast populations learn in Melting Pot: the CPU time that actors and the learner take for a step of a world.

Two quiet cores, both kept busy, make twice a core's steps. The engine's own time, by random actions, is to compare.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as actors have it; read when NumPy is imported

import jax
import numpy as np

from hm_agent.worlds.melting_pot.learning.actor import Actor, PlayRequest, seated
from hm_agent.worlds.melting_pot.learning.inputs import Sight
from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationParameters, PopulationPpo
from hm_agent.worlds.melting_pot.learning.training import Playground, PopulationTraining
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

ROUNDS = 10
TARGETS: Mapping[tuple[str, Sight, int], int] = {
    ("prisoners_dilemma_in_the_matrix__repeated_selfplay", "planes", 16): 4500,
    ("prisoners_dilemma_in_the_matrix__repeated_selfplay", "pixels", 16): 1800,
    ("running_with_scissors_in_the_matrix__arena_selfplay", "planes", 4): 900,
}
"""The environment steps per second to reach on two cores, by scenario, sight and tables."""


def engine_time(scenario: str, steps: int = 500) -> float:
    """Seconds of CPU time for a step by random actions, without episodes' beginnings."""
    world, rng = SelfPlayWorld(scenario_named(scenario)), np.random.default_rng(0)
    world.reset(0)
    began = time.process_time()
    for _ in range(steps):
        world.step({seat: int(rng.integers(len(world.actions))) for seat in world.seats})
    passed = time.process_time() - began
    world.close()
    return passed / steps


def times(training: PopulationTraining) -> tuple[float, float]:
    """Seconds of CPU time for a step, of actors with a beginning for every 1,000 steps, and of the learner."""
    ground, learner = Playground(training), PopulationPpo(training.shape, training.parameters)
    state, seats = learner.begin(0), len(training.played.seats)
    ground.publish(state.weights)
    actor = Actor(ground.plans[0])
    began = time.process_time()
    for number in range(ROUNDS):
        actor.play(PlayRequest(0, None if number else 0))
    played = (time.process_time() - began) / (ROUNDS * training.size)
    actor.close()
    by = seated(0, 0, training.parameters.population, training.parameters.tables, seats).ravel()
    learned = []
    for number in range(6):
        began = time.process_time()
        state, losses = learner.update(state, ground.rollouts[0], by, jax.random.key(number))
        losses.block_until_ready()
        learned.append(time.process_time() - began)
    return played, median(learned[1:]) / training.size  # the first update compiles


def main() -> None:
    print("Steps are those of the environment, with all its players. Times are CPU milliseconds for a step.\n")
    print("| scenario | seen as | engine alone | actors | learner | steps/s of two cores | target |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (scenario, sight, tables), target in TARGETS.items():
        parameters = PopulationParameters(updates=10, tables=tables)
        played, learned = times(PopulationTraining(scenario, sight, 0, parameters, actors=1))
        shown = " | ".join(f"{1000 * value:.2f}" for value in (engine_time(scenario), played, learned))
        print(f"| {scenario} | {sight} | {shown} | {2 / (played + learned):,.0f} | {target:,} |", flush=True)


if __name__ == "__main__":
    main()
