"""Independent PPO with shared weights: every agent learns from its own rewards, and all with one network.

An update plays whole games, from the first step to the last, and learns from all their steps (Schulman et al., 2017;
generalised advantage estimation of 2016). A competitive game that was won before its last step is stepped on without
effect, and nothing is learned from these steps. Every update begins new games, so weights and the optimiser's state are
all that one update hands to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy.typing as npt
import optax

from hm_agent.learning.layers import Array, Weights
from hm_agent.learning.ppo_terms import entropy_of, generalised_advantages, log_chance_of, ppo_loss, ppo_optimiser
from hm_agent.learning.trees import restored, tree_arrays
from hm_agent.worlds.symmtom.fast.play import advance, begin, look, seeds_of
from hm_agent.worlds.symmtom.learning.learner import Learner
from hm_agent.worlds.symmtom.learning.networks import Output, Shape, forward
from hm_agent.worlds.symmtom.rules import is_over
from hm_agent.worlds.symmtom.settings import GameSettings


@dataclass(frozen=True)
class PpoParameters:
    """How to learn.

    updates: their number, over which the learning rate falls linearly. games: those that each update plays, a multiple
    of minibatches. trace: lambda of the advantage estimates. team_share: the weight of all agents' mean reward in the
    reward that each one learns from; the rest is its own reward.
    """

    updates: int
    games: int = 128
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 1e-3
    discount: float = 0.98
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    largest_gradient: float = 0.5
    team_share: float = 0.0


class Steps(NamedTuple):
    """The steps of B games that an update learns from; each array is (T, B, n, ...).

    moves, says: the action masks. chance: the log-probability of the actions when they were drawn. values: those that
    the network estimated then.
    alive: (T, B, 1) bool, True where the game was not over before the step; None if no game ends before its last step.
    """

    observations: Array
    moves: Array
    says: Array
    directions: Array
    pieces: Array
    chance: Array
    values: Array
    rewards: Array
    alive: Array | None = None


class PpoState(NamedTuple):
    """What one update hands to the next."""

    weights: Any
    optimiser: Any


class Ppo(Learner[PpoState]):
    """kind: of the K that agents are given. Rewards are scaled to units of a recharge's reward."""

    def __init__(self, settings: GameSettings, kind: str, shape: Shape, parameters: PpoParameters) -> None:
        self.settings, self.kind, self.shape, self.parameters = settings, kind, shape, parameters
        total = parameters.updates * parameters.epochs * parameters.minibatches
        self._optimiser = ppo_optimiser(parameters, total)
        self.update: Callable[[PpoState, Array], tuple[PpoState, Array, Array]] = jax.jit(self._update)

    def begin(self, seed: int) -> PpoState:
        return self._initial_state(self.shape.initial_weights(self.settings, seed))

    def weights(self, state: PpoState) -> Weights:
        weights: Weights = state.weights
        return weights

    def arrays(self, state: PpoState) -> dict[str, npt.NDArray[Any]]:
        return tree_arrays("optimiser", state.optimiser)

    def resumed(self, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]]) -> PpoState:
        fresh = self._initial_state(weights)
        return fresh._replace(optimiser=restored("optimiser", fresh.optimiser, arrays))

    def _initial_state(self, weights: Weights) -> PpoState:
        arrays = {name: jnp.asarray(value) for name, value in weights.items()}
        return PpoState(arrays, self._optimiser.init(arrays))

    def _update(self, state: PpoState, key: Array) -> tuple[PpoState, Array, Array]:
        """One update. Returns the state after it, the mean reward per agent and episode, and the mean loss."""
        play_key, learn_key = jax.random.split(key)
        steps = self._play(state.weights, play_key)
        advantages = self._advantages(steps)
        returns = advantages + steps.values

        def epoch(state: PpoState, key: Array) -> tuple[PpoState, Array]:
            order = jax.random.permutation(key, self.parameters.games).reshape(self.parameters.minibatches, -1)
            learned: tuple[PpoState, Array] = jax.lax.scan(
                lambda state, games: self._learn(state, steps, advantages, returns, games), state, order
            )
            return learned

        state, losses = jax.lax.scan(epoch, state, jax.random.split(learn_key, self.parameters.epochs))
        return state, steps.rewards.sum(0).mean(), losses.mean()

    def _play(self, weights: Any, key: Array) -> Steps:
        """Plays new games to their last step."""
        settings, kind, games = self.settings, self.kind, self.parameters.games
        is_cut = settings.is_competitive
        seed_key, action_key = jax.random.split(key)
        state = jax.vmap(lambda seed: begin(settings, kind, seed))(seeds_of(seed_key, games))

        def step(carry: Any, key: Array) -> tuple[Any, Steps]:
            state, memory = carry
            observations, moves, says = jax.vmap(lambda game: look(settings, game))(state)
            output = self._forward(weights, observations, (moves, says), memory)
            direction_key, piece_key = jax.random.split(key)
            directions, pieces = (
                jax.random.categorical(direction_key, output.directions),
                jax.random.categorical(piece_key, output.pieces),
            )
            alive = ~jax.vmap(lambda believed: is_over(settings, believed.game))(state)[:, None] if is_cut else None
            state, effects = jax.vmap(lambda *values: advance(settings, kind, *values))(state, directions, pieces)
            chance, rewards = _log_chance(output, directions, pieces), effects.rewards.astype(jnp.float32)
            steps = Steps(observations, moves, says, directions, pieces, chance, output.value, rewards, alive)
            return (state, output.memory), steps

        memory = self._no_memory(games)
        played: Steps = jax.lax.scan(step, (state, memory), jax.random.split(action_key, settings.steps))[1]
        return played

    def _advantages(self, steps: Steps) -> Array:
        """(T, B, n): generalised advantage estimates; after the last step, and once a game is won, values are zero."""
        parameters, own = self.parameters, steps.rewards / self.settings.recharge_reward
        rewards = own + parameters.team_share * (own.mean(-1, keepdims=True) - own)
        after = jnp.zeros_like(rewards[0])
        return generalised_advantages(parameters, rewards, steps.values, after, alive=steps.alive)

    def _learn(
        self, state: PpoState, steps: Steps, advantages: Array, returns: Array, games: Array
    ) -> tuple[PpoState, Array]:
        """One step of the optimiser on the steps of some games, by index."""
        part, advantage, target = jax.tree.map(lambda values: values[:, games], (steps, advantages, returns))
        loss, gradient = jax.value_and_grad(self._loss)(state.weights, part, advantage, target)
        change, optimiser = self._optimiser.update(gradient, state.optimiser, state.weights)
        return PpoState(optax.apply_updates(state.weights, change), optimiser), loss

    def _loss(self, weights: Any, steps: Steps, advantages: Array, returns: Array) -> Array:
        """PPO's clipped loss, plus that of the values, minus the entropy bonus; over steps of games that go on."""
        parameters, output = self.parameters, self._outputs(weights, steps)
        where = None if steps.alive is None else jnp.broadcast_to(steps.alive, advantages.shape)
        log_ratio = _log_chance(output, steps.directions, steps.pieces) - steps.chance
        entropy = entropy_of(output.directions) + entropy_of(output.pieces)
        return ppo_loss(parameters, log_ratio, advantages, output.value, returns, entropy, where=where)

    def _outputs(self, weights: Any, steps: Steps) -> Output:
        """The network's output for the observations of steps by its present weights, (T, B, n, ...)."""
        masks, memory = (steps.moves, steps.says), self._no_memory(steps.values.shape[1])
        if not self.shape.is_recurrent:
            return self._forward(weights, steps.observations, masks, memory)

        def step(memory: Array, seen: Any) -> tuple[Array, Any]:
            output = self._forward(weights, seen[0], seen[1], memory)
            return output.memory, output._replace(memory=None)

        outputs: Output = jax.lax.scan(step, memory, (steps.observations, masks))[1]
        return outputs

    def _forward(self, weights: Any, observations: Array, masks: tuple[Array, Array], memory: Array) -> Output:
        return forward(jnp, self.settings, weights, observations, masks, memory)

    def _no_memory(self, games: int) -> Array:
        return jnp.zeros((games, self.settings.agents, self.shape.hidden))


def _log_chance(output: Output, directions: Array, pieces: Array) -> Array:
    """The log-probability of these actions."""
    return log_chance_of(output.directions, directions) + log_chance_of(output.pieces, pieces)
