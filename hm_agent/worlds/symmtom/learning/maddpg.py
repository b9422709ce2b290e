"""MADDPG: every agent has an actor and a critic of its own, and critics see what all agents see and do.

Lowe et al., 2017, as Sclar et al. use it: two-layer ReLU networks, target networks, discrete actions by Gumbel-softmax,
and one step of the optimiser for every 100 steps of a game. An update here plays 100 games to their end and then learns
as often as their steps allow, so that games of one update are all played by the same actors. Every agent learns from
its own rewards, in units of a recharge's reward. Critics bootstrap at the last step of a game, too, since agents do not
see how many steps are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from hm_agent.learning.archives import leaves_of
from hm_agent.learning.layers import Array, Weights, linear, relu
from hm_agent.learning.trees import restored, tree_arrays
from hm_agent.worlds.symmtom.fast.observations import DIRECTIONS, EgoView
from hm_agent.worlds.symmtom.fast.play import Believed, advance, begin, ego_views, seeds_of
from hm_agent.worlds.symmtom.learning.actors import ActorShape, Linear, act, features, glorot, heads, lstm
from hm_agent.worlds.symmtom.learning.learner import Learner
from hm_agent.worlds.symmtom.learning.networks import Logits
from hm_agent.worlds.symmtom.learning.replay import (
    Replay,
    Segments,
    add,
    arrays_of,
    as_bytes,
    empty_replay,
    joined,
    narrow,
    replay_of,
    sample,
)
from hm_agent.worlds.symmtom.settings import WINNING_RECHARGES, GameSettings


@dataclass(frozen=True)
class MaddpgParameters:
    """How to learn.

    updates: their number. games: those that each update plays. every: steps of games for one step of the optimiser.
    batch: transitions that one step of the optimiser learns from. capacity: games in the replay, a multiple of `games`.
    share: the step size of the target networks (tau). penalty: the weight of the squared logits in the actor's loss.
    """

    updates: int
    games: int = 100
    every: int = 100
    batch: int = 1024
    capacity: int = 10_000
    learning_rate: float = 1e-3
    share: float = 5e-3
    discount: float = 0.95
    penalty: float = 1e-3
    largest_gradient: float = 0.5

    def learning_steps(self, settings: GameSettings) -> int:
        """The number of steps of the optimiser in an update."""
        return max(1, self.games * settings.steps // self.every)


class Networks(NamedTuple):
    """Weights of all agents, (n, ...) each."""

    actors: Weights
    critics: Weights


class MaddpgState(NamedTuple):
    """What one update hands to the next. optimisers: the states of the actors' and the critics' optimisers."""

    networks: Networks
    targets: Networks
    optimisers: Networks
    replay: Replay


class Maddpg(Learner[MaddpgState]):
    """kind: of the K that agents are given.

    An actor with an LSTM learns from whole games, all others from transitions with the memory before them. Steps after
    a competitive game was won count in no loss.
    """

    def __init__(self, settings: GameSettings, kind: str, shape: ActorShape, parameters: MaddpgParameters) -> None:
        self.settings, self.kind, self.shape, self.parameters = settings, kind, shape, parameters
        self._length = settings.steps if shape.memory == "lstm" else 1
        self._optimiser = optax.chain(
            optax.clip_by_global_norm(parameters.largest_gradient), optax.adam(parameters.learning_rate)
        )
        self._fresh = jax.jit(jax.vmap(self._optimiser.init))
        self.update: Callable[[MaddpgState, Array], tuple[MaddpgState, Array, Array]] = jax.jit(self._update)

    # The interface of a learner

    def begin(self, seed: int) -> MaddpgState:
        networks = jax.tree.map(
            jnp.asarray, Networks(self.shape.initial_weights(self.settings, seed), self._initial_critics(seed))
        )
        optimisers = Networks(*map(self._fresh, networks))
        memory = self.shape.memory_size(self.settings) if self._keeps_memory else 0
        replay = empty_replay(self.settings, self.kind, self.parameters.capacity, memory)
        return MaddpgState(networks, networks, optimisers, replay)

    def weights(self, state: MaddpgState) -> Weights:
        return state.networks.actors

    def arrays(self, state: MaddpgState) -> dict[str, npt.NDArray[Any]]:
        return {
            **tree_arrays("critics", state.networks.critics),
            **tree_arrays("targets", state.targets),
            **tree_arrays("optimiser", state.optimisers),
            **{f"replay/{name}": value for name, value in arrays_of(state.replay).items()},
        }

    def resumed(self, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]]) -> MaddpgState:
        fresh = self.begin(0)
        networks = Networks(
            {name: jnp.asarray(weights[name]) for name in fresh.networks.actors},
            restored("critics", fresh.networks.critics, arrays),
        )
        return MaddpgState(
            networks,
            restored("targets", fresh.targets, arrays),
            restored("optimiser", fresh.optimisers, arrays),
            replay_of(self.settings, self.kind, leaves_of("replay", arrays)),
        )

    # Weights

    def _initial_critics(self, seed: int) -> dict[str, npt.NDArray[np.float32]]:
        """The weights of all agents' critics, (n, ...) each."""
        n, h = self.settings.agents, self.shape.hidden
        given = self.shape.feature_size(self.settings) + self.shape.memory_size(self.settings)
        rows = n * (given + DIRECTIONS + self.settings.pieces)
        layers = {"first": Linear(rows, h), "second": Linear(h, h), "value": Linear(h, 1)}
        return glorot(np.random.default_rng([seed, 1]), n, layers)

    @property
    def _keeps_memory(self) -> bool:
        """True if the replay holds memories."""
        return self.shape.memory == "estimate"

    # An update

    def _update(self, state: MaddpgState, key: Array) -> tuple[MaddpgState, Array, Array]:
        """One update. Returns the state after it, the mean reward per agent and episode before, and the mean loss."""
        play_key, learn_key = jax.random.split(key)
        games = self._play(state.networks.actors, play_key)
        replay = add(state.replay, games)
        keys = jax.random.split(learn_key, self.parameters.learning_steps(self.settings))
        before = state.networks, state.targets, state.optimisers
        (networks, targets, optimisers), losses = jax.lax.scan(partial(self._learn, replay), before, keys)
        reward = games.rewards.astype(jnp.float32).sum(1).mean()
        return MaddpgState(networks, targets, optimisers, replay), reward, losses.mean()

    def _play(self, actors: Weights, key: Array) -> Replay:
        """Plays new games to their end; returns them as a replay without `written`."""
        settings, kind, games = self.settings, self.kind, self.parameters.games
        seed_key, action_key = jax.random.split(key)
        state = jax.vmap(lambda seed: begin(settings, kind, seed))(seeds_of(seed_key, games))
        memory = jnp.zeros((settings.agents, games, self.shape.memory_size(settings)))

        def step(carry: Any, key: Array) -> tuple[Any, Any]:
            state, memory = carry
            views = self._views(state)
            logits = self._act(actors, features(jnp, settings, self.shape, views), views, memory)
            directions, pieces = (
                jax.random.categorical(draw_key, values).T
                for draw_key, values in zip(jax.random.split(key), logits[:2], strict=True)
            )
            after, effects = jax.vmap(partial(advance, settings, kind))(state, directions, pieces)
            actions = directions.astype(jnp.uint8), pieces.astype(jnp.uint8)
            played = narrow(state), self._stored_memory(memory), *actions, effects.rewards.astype(jnp.int16)
            return (after, logits.memory), played

        (last, memory), played = jax.lax.scan(step, (state, memory), jax.random.split(action_key, settings.steps))
        states, memories, directions, pieces, rewards = played
        states, memories = joined(states, narrow(last)), jnp.concatenate([memories, self._stored_memory(memory)[None]])
        by_game: Replay = jax.tree.map(
            lambda field: jnp.moveaxis(field, 0, 1), Replay(states, memories, directions, pieces, rewards, None)
        )
        return by_game

    def _stored_memory(self, memory: Array) -> Array:
        """The part of memories (n, B, M) that the replay holds: (B, n, M), or (B, n, 0), bytes."""
        stored = memory if self._keeps_memory else memory[..., :0]
        return as_bytes(jnp.moveaxis(stored, 0, 1))

    def _views(self, states: Believed) -> EgoView:
        """(n, ..., B, ...): the views of all agents in states (..., B, ...)."""
        look = partial(ego_views, self.settings)
        depth = states.game.step.ndim
        for _ in range(depth):
            look = jax.vmap(look)
        views: EgoView = jax.tree.map(lambda field: jnp.moveaxis(field, depth, 0), look(states))
        return views

    def _learn(self, replay: Replay, learned: Any, key: Array) -> tuple[Any, Array]:
        """One step of every optimiser, and of the target networks."""
        networks, targets, optimisers = learned
        sample_key, target_key, act_key = jax.random.split(key, 3)
        count = max(1, self.parameters.batch // self._length)
        segments = sample(replay, sample_key, self._length, count)
        views = self._views(segments.states)
        seen = features(jnp, self.settings, self.shape, views)
        taken = self._actions_taken(segments)
        critic_targets = self._critic_targets(targets, segments, views, seen, target_key)

        alive = ~self._is_won(segments.states)[:-1] if self.settings.is_competitive else None

        def critic_loss(critics: Weights, given: Array) -> Array:
            values = self._critic_values(critics, given, jnp.broadcast_to(taken, (self.settings.agents, *taken.shape)))
            return _means(jnp.square(values - critic_targets), alive).sum()

        def actor_loss(actors: Weights) -> tuple[Array, Array]:
            logits = self._unrolled(actors, views, seen, segments.memories, slice(None, -1))
            given = jax.lax.stop_gradient(self._critic_inputs(seen[:, :-1], logits.memory))
            drawn = self._draw_actions(logits, act_key)
            itself = np.eye(self.settings.agents, dtype=bool)[:, :, None, None, None]
            actions = jnp.where(itself, drawn[None], taken)
            value = _means(self._critic_values(networks.critics, given, actions), alive).sum()
            squares = sum(_means(jnp.square(values), alive).sum() for values in logits[:2])
            return self.parameters.penalty * squares - value, given

        (_, given), actor_gradient = jax.value_and_grad(actor_loss, has_aux=True)(networks.actors)
        loss, critic_gradient = jax.value_and_grad(critic_loss)(networks.critics, given)
        networks, optimisers = self._apply_gradients(networks, optimisers, Networks(actor_gradient, critic_gradient))
        targets = optax.incremental_update(networks, targets, self.parameters.share)
        return (networks, targets, optimisers), loss / self.settings.agents

    def _apply_gradients(
        self, networks: Networks, optimisers: Networks, gradients: Networks
    ) -> tuple[Networks, Networks]:
        """Applies gradients, clipped for each agent's network alone; returns networks and states of optimisers."""
        changes, after = zip(
            *(
                jax.vmap(self._optimiser.update)(gradient, state)
                for gradient, state in zip(gradients, optimisers, strict=True)
            ),
            strict=True,
        )
        return optax.apply_updates(networks, Networks(*changes)), Networks(*after)

    def _critic_targets(self, targets: Networks, segments: Segments, views: EgoView, seen: Array, key: Array) -> Array:
        """(n, L, B): what critics learn: the reward plus the discounted value of the next step by target networks."""
        logits = self._unrolled(targets.actors, views, seen, segments.memories, slice(1, None))
        actions = self._draw_actions(logits, key)
        given = self._critic_inputs(seen[:, 1:], logits.memory)
        following = self._critic_values(
            targets.critics, given, jnp.broadcast_to(actions, (len(actions), *actions.shape))
        )
        rewards = jnp.moveaxis(segments.rewards, -1, 0) / self.settings.recharge_reward
        return rewards + self.parameters.discount * following * ~self._is_won(segments.states)[1:]

    def _is_won(self, states: Believed) -> Array:
        """(L + 1, B) bool: True where a competitive game has ended."""
        if not self.settings.is_competitive:
            return jnp.zeros(states.game.step.shape, bool)
        return (states.game.recharges >= WINNING_RECHARGES).any(-1)

    def _unrolled(self, actors: Weights, views: EgoView, seen: Array, memories: Array, part: slice) -> Logits:
        """The actors' logits in a part of the states of segments, (n, L, B, ...) each."""
        if self.shape.memory == "lstm":
            logits = jax.vmap(self._unrolled_lstm)(actors, seen)
            return Logits(*(values[:, part] for values in logits))
        views = jax.tree.map(lambda field: field[:, part], views)
        return self._act(actors, seen[:, part], views, jnp.moveaxis(memories[part], -2, 0))

    def _unrolled_lstm(self, actor: Weights, seen: Array) -> Logits:
        """One actor's logits in whole games, (L + 1, B, ...) each."""

        def step(memory: Array, new: Array) -> tuple[Array, Any]:
            h, memory = lstm(jnp, actor, new, memory)
            return memory, (h, memory)

        new = linear(actor, "lstm", relu(jnp, linear(actor, "first", seen)))
        memory = jnp.zeros((seen.shape[1], self.shape.memory_size(self.settings)))
        return heads(actor, *jax.lax.scan(step, memory, new)[1])

    def _act(self, actors: Weights, seen: Array, views: EgoView, memory: Array) -> Logits:
        """All agents' logits in one turn, (n, ...) each. seen: the features of the views."""
        logits: Logits = jax.vmap(partial(act, jnp, self.settings, self.shape))(actors, seen, views, memory)
        return logits

    def _critic_inputs(self, seen: Array, memory: Array) -> Array:
        """(L, B, G): what critics are given besides actions: the inputs of all actors, features and memory."""
        return _join_agents(jnp.concatenate([seen, memory], -1))

    def _critic_values(self, critics: Weights, given: Array, actions: Array) -> Array:
        """(n, L, B): each critic's value of all agents' actions.

        given: (L, B, G). actions: (n, n, L, B, 5 + c), by critic and agent.
        """

        def value(critic: Weights, actions: Array) -> Array:
            first, size = critic["first"], given.shape[-1]  # in two parts, since actors need no gradient of `given`
            h = relu(jnp, given @ first[:size] + (_join_agents(actions) @ first[size:] + critic["first_bias"]))
            return linear(critic, "value", relu(jnp, linear(critic, "second", h)))[..., 0]

        return jax.vmap(value)(critics, actions)

    def _draw_actions(self, logits: Logits, key: Array) -> Array:
        """(n, L, B, 5 + c): drawn actions, one-hot; their gradient is that of Gumbel-softmax at temperature 1."""
        parts = []
        for draw_key, values in zip(jax.random.split(key), logits[:2], strict=True):
            soft = jax.nn.softmax(values + jax.random.gumbel(draw_key, values.shape))
            hard = jax.nn.one_hot(soft.argmax(-1), values.shape[-1])
            parts.append(soft + jax.lax.stop_gradient(hard - soft))
        return jnp.concatenate(parts, -1)

    def _actions_taken(self, segments: Segments) -> Array:
        """(n, L, B, 5 + c): the actions of segments, one-hot."""
        parts = jax.nn.one_hot(segments.directions, DIRECTIONS), jax.nn.one_hot(segments.pieces, self.settings.pieces)
        return jnp.moveaxis(jnp.concatenate(parts, -1), -2, 0)


def _means(values: Array, alive: Array | None) -> Array:
    """(n,): the means over (n, L, B, ...). alive: (L, B), True for the steps that count; None if all do."""
    axes = tuple(range(1, values.ndim))
    if alive is None:
        return values.mean(axes)
    counts = alive.reshape(1, *alive.shape, *[1] * (values.ndim - 3))
    return (values * counts).sum(axes) / jnp.maximum(jnp.broadcast_to(counts, values.shape).sum(axes), 1)


def _join_agents(values: Array) -> Array:
    """Joins the vectors of all agents: (n, L, B, D) to (L, B, n D)."""
    moved = jnp.moveaxis(values, 0, -2)
    return moved.reshape(*moved.shape[:-2], -1)
