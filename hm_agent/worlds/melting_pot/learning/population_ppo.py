"""Independent PPO for a population of recurrent networks with weights of their own.

Each network learns from the steps that it played itself, by the probabilities and the values that it had then, since
actors play by the weights of the update before. Gradients go back through the memory to the beginning of the rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from hm_agent.learning.archives import leaves_of
from hm_agent.learning.layers import Array, Weights
from hm_agent.learning.ppo_terms import entropy_of, generalised_advantages, log_chance_of, ppo_loss, ppo_optimiser
from hm_agent.learning.trees import restored, tree_arrays
from hm_agent.worlds.melting_pot.learning.player_network import PlayerOutput, PlayerShape, decide, remember, see
from hm_agent.worlds.melting_pot.learning.rollouts import SEAT_AXES, Rollout


@dataclass(frozen=True)
class PopulationParameters:
    """How to learn, beside what `PpoWeights` says.

    updates: their number, over which the learning rate falls linearly. tables: worlds that are played at once. steps:
    of each world in an update. population: the number of networks.
    """

    updates: int
    tables: int = 16
    steps: int = 100
    population: int = 2
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 1e-3
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    largest_gradient: float = 0.5


class PopulationState(NamedTuple):
    """What one update hands to the next, (N, ...) each.

    squares, count: the sum of squared rewards so far and their number, which tell the unit that rewards are learned in.
    """

    weights: Any
    optimiser: Any
    squares: Array
    count: Array


class PopulationPpo:
    """Learns by updates.

    Rewards are divided by the root of their mean square so far, over that of 1 - discount²: by the spread of returns,
    if rewards came independently of each other.
    """

    def __init__(self, shape: PlayerShape, parameters: PopulationParameters) -> None:
        self.shape, self.parameters = shape, parameters
        steps = parameters.updates * parameters.epochs * parameters.minibatches
        self._optimiser = optax.flatten(ppo_optimiser(parameters, steps))  # one array is faster than many
        self._update_all = jax.jit(jax.vmap(self._update, in_axes=(0, SEAT_AXES, 0)))

    def begin(self, seed: int) -> PopulationState:
        drawn = [self.shape.initial_weights(seed * 1000 + number) for number in range(self.parameters.population)]
        return self.begin_from({name: np.stack([one[name] for one in drawn]) for name in drawn[0]})

    def arrays(self, state: PopulationState) -> dict[str, npt.NDArray[Any]]:
        """The arrays that `resumed` needs besides the weights."""
        squares, count = np.asarray(state.squares), np.asarray(state.count)
        return {**tree_arrays("optimiser", state.optimiser), "unit/squares": squares, "unit/count": count}

    def resumed(self, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]]) -> PopulationState:
        """Restores, bit for bit, the state from which these weights and arrays were taken."""
        fresh, unit = self.begin_from(weights), leaves_of("unit", arrays)
        return fresh._replace(
            optimiser=restored("optimiser", fresh.optimiser, arrays),
            **{name: jnp.asarray(value) for name, value in unit.items()},
        )

    def begin_from(self, weights: Weights) -> PopulationState:
        """The state of networks that have these weights, (N, ...), and have learned nothing yet."""
        arrays = {name: jnp.asarray(value) for name, value in weights.items()}
        nothing = jnp.zeros(self.parameters.population)
        return PopulationState(arrays, jax.vmap(self._optimiser.init)(arrays), nothing, nothing)

    def update(
        self, state: PopulationState, rollout: Rollout, seated: npt.NDArray[np.intp], key: Array
    ) -> tuple[PopulationState, Array]:
        """One update of every network. seated: (S,), the network of each seat of the rollout.

        Returns the state after it, and the mean loss of each network.
        """
        networks = self.parameters.population
        own_seats = np.argsort(seated, kind="stable").reshape(networks, -1)
        updated: tuple[PopulationState, Array] = self._update_all(
            state, rollout.of_seats(own_seats), jax.random.split(key, networks)
        )
        return updated

    def _update(self, state: PopulationState, played: Rollout, key: Array) -> tuple[PopulationState, Array]:
        """One network's update."""
        parameters = self.parameters
        squares, count = state.squares + jnp.square(played.rewards).sum(), state.count + played.rewards.size
        unit = jnp.sqrt(squares / count / (1 - parameters.discount**2))
        rewards = played.rewards / jnp.where(unit > 0, unit, 1.0)
        advantages = generalised_advantages(parameters, rewards, played.values, played.after, goes_on=played.goes_on)
        returns = advantages + played.values

        def epoch(carry: Any, key: Array) -> tuple[Any, Array]:
            order = jax.random.permutation(key, played.rewards.shape[1]).reshape(parameters.minibatches, -1)
            learned: tuple[Any, Array] = jax.lax.scan(partial(self._learn, played, advantages, returns), carry, order)
            return learned

        keys = jax.random.split(key, parameters.epochs)
        (weights, optimiser), losses = jax.lax.scan(epoch, (state.weights, state.optimiser), keys)
        return PopulationState(weights, optimiser, squares, count), losses.mean()

    def _learn(
        self, played: Rollout, advantages: Array, returns: Array, carry: Any, rows: Array
    ) -> tuple[tuple[Any, Any], Array]:
        """One step of the optimiser on some rows of the rollout, by index."""
        weights, optimiser = carry
        loss, gradient = jax.value_and_grad(self._loss)(
            weights, played.of_seats(rows), advantages[:, rows], returns[:, rows]
        )
        change, optimiser = self._optimiser.update(gradient, optimiser, weights)
        return (optax.apply_updates(weights, change), optimiser), loss

    def _loss(self, weights: Weights, played: Rollout, advantages: Array, returns: Array) -> Array:
        output = self.outputs(weights, played)
        log_ratio = log_chance_of(output.logits, played.actions) - played.chance
        entropy = entropy_of(output.logits)
        return ppo_loss(
            self.parameters, log_ratio, advantages, output.value, returns, entropy, value_before=played.values
        )

    def outputs(self, weights: Weights, played: Rollout) -> PlayerOutput:
        """The network's outputs for the views of a rollout, (T, B, ...)."""
        seen = see(jnp, self.shape, weights, played.cells, played.numbers)

        def step(memory: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
            seen, begins = now
            memory = remember(jnp, weights, seen, memory * ~begins[:, None])
            return memory, memory

        return decide(weights, jax.lax.scan(step, played.memory, (seen, played.begins))[1])
