"""Networks that begin from others: from players as they are, from puppets as those that pursue what pays most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hm_agent.learning.layers import Weights
from hm_agent.worlds.melting_pot.learning.measuring import episode_reward
from hm_agent.worlds.melting_pot.learning.populations import Population
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import bots_of

EPISODES = 4
"""How many are played to find out what pays most."""
FIRST_SEED = 1_000_000
"""The seed of the first of them; no run is evaluated by it."""


def begun_from(given: Population, scenario_name: str, networks: int) -> Weights:
    """The weights of so many networks, (N, ...), each begun as one of the given ones in turn.

    Puppets begin as those that always pursue the goals of one behaviour, of the one that earns most in the scenario.
    """
    choices = (pursuing(given, goals) for goals in pursuits(given, scenario_name))
    best = max(choices, key=lambda each: _earned(each, scenario_name), default=given)
    own = np.arange(networks) % given.size
    return {name: value[own] for name, value in best.weights.items()}


def _earned(players: Population, scenario_name: str) -> float:
    return sum(episode_reward(players, scenario_name, FIRST_SEED + number) for number in range(EPISODES))


def pursuits(puppets: Population, scenario_name: str) -> Sequence[Sequence[int]]:
    """The goals of puppets by the behaviour that they aim for; none for players that have no goals."""
    bots, by_aim = bots_of(scenario_named(scenario_name).game), defaultdict[str | None, list[int]](list)
    for goal, one_hot in enumerate(np.eye(puppets.shape.sizes.goals, dtype=np.int32)):
        by_aim[bots.aimed_for(one_hot)].append(goal)
    return list(by_aim.values())


def pursuing(puppets: Population, goals: Sequence[int]) -> Population:
    """Puppets as players without a puppeteer, who act as if some goals were all theirs at once.

    What each of these adds to the layer `window` becomes, on average over them, part of its bias.
    """
    sizes, weights = puppets.shape.sizes, puppets.weights
    first = sizes.cells * puppets.shape.filters + 1  # GOAL is the first of the numbers after the reward, by its name
    window, rows = weights["window"], slice(first, first + sizes.goals)
    added = np.float32(np.log1p(1.0)) * window[:, rows][:, goals].mean(1)  # `see` takes the logarithm of numbers
    without = {"window": np.delete(window, rows, 1), "window_bias": weights["window_bias"] + added}
    shape = replace(puppets.shape, sizes=sizes._replace(numbers=sizes.numbers - sizes.goals, goals=0))
    return replace(puppets, shape=shape, weights={**weights, **without})
