"""An episode by learned players or by chance, and what it earned."""

from __future__ import annotations

import numpy as np

from hm_agent.core import per_capita
from hm_agent.worlds.melting_pot.learning.populations import LearnedPlayer, Population
from hm_agent.worlds.melting_pot.learning.practising import open_world
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of


def episode_reward(population: Population | None, scenario_name: str, seed: int, *, puppets: bool = False) -> float:
    """The mean reward of the seats over one episode, in the scenario's measure. population: None for random play.

    puppets: True for the reward of pursuing goals.
    """
    scenario, world = scenario_named(scenario_name), open_world(scenario_name, is_practice=puppets)
    rng = np.random.default_rng(seed)
    seeds = {seat: int(rng.integers(2**31)) for seat in world.seats}
    players = {seat: LearnedPlayer(population, own) for seat, own in seeds.items()} if population else {}
    choices = len(actions_of(scenario.game.substrate))
    turn, total = world.reset(seed), 0.0
    while not turn.is_over:
        actions = {
            seat: players[seat].choose(seen.view, seen.reward) if players else int(rng.integers(choices))
            for seat, seen in turn.observations.items()
        }
        turn = world.step(actions)
        total += per_capita(turn.rewards.values())
    world.close()
    return scenario.game.measure.of_reward(total, turn.step)
