"""The replay of MADDPG: the latest games, with all that agents believed in them, ready to be looked at again.

It holds states with their K rather than observations: in narrow integers a state is some 100 bytes, and what agents are
given follows from it. Since a game can be played again from its seed and its actions, these are all that a checkpoint
keeps of it, with the memories of agents that estimate K themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.fast.play import Believed, advance, begin
from hm_agent.worlds.symmtom.learning.networks import Array
from hm_agent.worlds.symmtom.settings import GameSettings

MEMORY_LEVELS = 255
"""A memory holds numbers from 0 to 1, in bytes."""


class Replay(NamedTuple):
    """A ring of E games of T steps.

    states: (E, T + 1, ...), before each step and after the last. memories: (E, T + 1, n, M) uint8, those that agents
    came with. directions, pieces: (E, T, n) uint8. rewards: (E, T, n) int16. written: () int32, of all times.
    """

    states: Believed
    memories: Array
    directions: Array
    pieces: Array
    rewards: Array
    written: Array

    @property
    def filled(self) -> Array:
        """() int32: how many games it holds."""
        return jnp.minimum(self.written, self.directions.shape[0])


class Segments(NamedTuple):
    """B parts of games: L steps, (L, B, ...), and the states around them, (L + 1, B, ...)."""

    states: Believed
    memories: Array
    directions: Array
    pieces: Array
    rewards: Array


def empty_replay(settings: GameSettings, kind: str, games: int, memory: int) -> Replay:
    """games: E. memory: M, 0 where nothing of it is kept."""
    n, steps = settings.agents, settings.steps
    state = jax.eval_shape(lambda: narrow(begin(settings, kind, jnp.uint32(0))))
    return Replay(
        states=jax.tree.map(lambda one: jnp.zeros((games, steps + 1, *one.shape), one.dtype), state),
        memories=jnp.zeros((games, steps + 1, n, memory), jnp.uint8),
        directions=jnp.zeros((games, steps, n), jnp.uint8),
        pieces=jnp.zeros((games, steps, n), jnp.uint8),
        rewards=jnp.zeros((games, steps, n), jnp.int16),
        written=jnp.int32(0),
    )


def add(replay: Replay, games: Replay) -> Replay:
    """Puts games in the place of the oldest. games: as many as fit into the ring without a rest."""
    at = replay.written % replay.directions.shape[0]
    written = replay.written + games.directions.shape[0]
    held, new = replay._replace(written=None), games._replace(written=None)
    merged: Replay = jax.tree.map(lambda old, one: jax.lax.dynamic_update_slice_in_dim(old, one, at, 0), held, new)
    return merged._replace(written=written)


def sample(replay: Replay, key: Array, length: int, count: int) -> Segments:
    """Draws `count` parts of `length` steps, all equally likely."""
    game_key, step_key = jax.random.split(key)
    games = jax.random.randint(game_key, (count,), 0, replay.filled)
    starts = jax.random.randint(step_key, (count,), 0, replay.directions.shape[1] - length + 1)
    around = starts + np.arange(length + 1)[:, None]
    within = around[:-1]
    return Segments(
        states=wide(jax.tree.map(lambda one: one[games, around], replay.states)),
        memories=replay.memories[games, around].astype(jnp.float32) / MEMORY_LEVELS,
        directions=replay.directions[games, within].astype(jnp.int32),
        pieces=replay.pieces[games, within].astype(jnp.int32),
        rewards=replay.rewards[games, within].astype(jnp.float32),
    )


def as_bytes(memory: Array) -> Array:
    """Numbers from 0 to 1 as bytes."""
    return jnp.round(memory * MEMORY_LEVELS).astype(jnp.uint8)


def narrow(state: Believed) -> Believed:
    """A state whose signed numbers are bytes, but for its step; all of them are small."""
    return _retyped(state, jnp.int8)


def wide(state: Believed) -> Believed:
    return _retyped(state, jnp.int32)


def _retyped(state: Believed, signed: Any) -> Believed:
    def retyped(one: Any) -> Any:
        return one.astype(signed) if jnp.issubdtype(one.dtype, jnp.signedinteger) else one

    changed: Believed = jax.tree.map(retyped, state)
    # A step goes beyond a byte on a large board.
    return changed._replace(game=changed.game._replace(step=state.game.step))


# In checkpoints


def arrays_of(replay: Replay) -> dict[str, npt.NDArray[Any]]:
    """All that brings a replay back."""
    kept = {
        "seeds": replay.states.game.seed[:, 0],
        "memories": replay.memories,
        "directions": replay.directions,
        "pieces": replay.pieces,
        "written": replay.written,
    }
    return {name: np.asarray(value) for name, value in kept.items()}


def replay_of(settings: GameSettings, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Replay:
    """The replay whose `arrays_of` these are: its games are played again."""
    play_again = jax.jit(partial(_played_again, settings, kind))
    states, rewards = play_again(arrays["seeds"], arrays["directions"], arrays["pieces"])
    kept = {name: jnp.asarray(arrays[name]) for name in ("memories", "directions", "pieces", "written")}
    return Replay(states=states, rewards=rewards, **kept)


def _played_again(
    settings: GameSettings, kind: str, seeds: Array, directions: Array, pieces: Array
) -> tuple[Believed, Array]:
    """The states (E, T + 1, ...) and rewards (E, T, n) of games by their seeds (E,) and actions (E, T, n)."""

    def one_game(game: Any) -> Any:
        seed, ways, words = game

        def step(state: Believed, action: Any) -> tuple[Believed, Any]:
            after, effects = advance(settings, kind, state, *(each.astype(jnp.int32) for each in action))
            return after, (narrow(state), effects.rewards.astype(jnp.int16))

        last, (states, rewards) = jax.lax.scan(step, begin(settings, kind, seed), (ways, words))
        return joined(states, narrow(last)), rewards

    played: tuple[Believed, Array] = jax.lax.map(one_game, (seeds, directions, pieces), batch_size=256)
    return played


def joined(states: Believed, last: Believed) -> Believed:
    """States (T, ...) and the one after them, as (T + 1, ...)."""
    whole: Believed = jax.tree.map(lambda many, one: jnp.concatenate([many, one[None]]), states, last)
    return whole
