"""The replay buffer of MADDPG: the latest games, with all that agents believed in them.

It holds states with their K rather than observations: in narrow integers a state is some 100 bytes, and observations
follow from it. Since a game can be played again from its seed and its actions, a checkpoint keeps only these, and the
memories of agents that estimate K themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from hm_agent.learning.layers import Array
from hm_agent.worlds.symmtom.fast.play import Believed, advance, begin
from hm_agent.worlds.symmtom.settings import GameSettings

MEMORY_LEVELS = 255
"""Memories, numbers from 0 to 1, are stored as bytes from 0 to this one."""


class Replay(NamedTuple):
    """A ring buffer of E games of T steps.

    states: (E, T + 1, ...), before each step and after the last. memories: (E, T + 1, n, M) uint8, the agents' before
    each step and after the last. directions, pieces: (E, T, n) uint8. rewards: (E, T, n) int16. written: () int32, the
    number of games ever added.
    """

    states: Believed
    memories: Array
    directions: Array
    pieces: Array
    rewards: Array
    written: Array

    @property
    def filled(self) -> Array:
        """() int32: the number of games it holds."""
        return jnp.minimum(self.written, self.directions.shape[0])


class Segments(NamedTuple):
    """B parts of games: L steps, (L, B, ...), and the states and memories around them, (L + 1, B, ...)."""

    states: Believed
    memories: Array
    directions: Array
    pieces: Array
    rewards: Array


def empty_replay(settings: GameSettings, kind: str, games: int, memory: int) -> Replay:
    """Returns a replay without games. games: E. memory: M, 0 if memories are not kept."""
    n, steps = settings.agents, settings.steps
    state = jax.eval_shape(lambda: narrow(begin(settings, kind, jnp.uint32(0))))
    return Replay(
        states=jax.tree.map(lambda field: jnp.zeros((games, steps + 1, *field.shape), field.dtype), state),
        memories=jnp.zeros((games, steps + 1, n, memory), jnp.uint8),
        directions=jnp.zeros((games, steps, n), jnp.uint8),
        pieces=jnp.zeros((games, steps, n), jnp.uint8),
        rewards=jnp.zeros((games, steps, n), jnp.int16),
        written=jnp.int32(0),
    )


def add(replay: Replay, games: Replay) -> Replay:
    """Writes games over the oldest ones. games: a number of them that divides the size of the ring."""
    at = replay.written % replay.directions.shape[0]
    written = replay.written + games.directions.shape[0]
    fields, added = replay._replace(written=None), games._replace(written=None)
    merged: Replay = jax.tree.map(lambda old, new: jax.lax.dynamic_update_slice_in_dim(old, new, at, 0), fields, added)
    return merged._replace(written=written)


def sample(replay: Replay, key: Array, length: int, count: int) -> Segments:
    """Draws `count` segments of `length` steps uniformly, with replacement."""
    game_key, step_key = jax.random.split(key)
    games = jax.random.randint(game_key, (count,), 0, replay.filled)
    starts = jax.random.randint(step_key, (count,), 0, replay.directions.shape[1] - length + 1)
    around = starts + np.arange(length + 1)[:, None]
    within = around[:-1]
    return Segments(
        states=wide(jax.tree.map(lambda field: field[games, around], replay.states)),
        memories=replay.memories[games, around].astype(jnp.float32) / MEMORY_LEVELS,
        directions=replay.directions[games, within].astype(jnp.int32),
        pieces=replay.pieces[games, within].astype(jnp.int32),
        rewards=replay.rewards[games, within].astype(jnp.float32),
    )


def as_bytes(memory: Array) -> Array:
    """Rounds numbers from 0 to 1 to bytes."""
    return jnp.round(memory * MEMORY_LEVELS).astype(jnp.uint8)


def narrow(state: Believed) -> Believed:
    """Stores a state's signed integers, except its step, in bytes; all of them are small."""
    return _retyped(state, jnp.int8)


def wide(state: Believed) -> Believed:
    """Undoes `narrow`."""
    return _retyped(state, jnp.int32)


def _retyped(state: Believed, signed: Any) -> Believed:
    """Gives a state's signed integers, except its step, another type."""

    def retype(field: Any) -> Any:
        return field.astype(signed) if jnp.issubdtype(field.dtype, jnp.signedinteger) else field

    changed: Believed = jax.tree.map(retype, state)
    # On a large board, steps go beyond a byte.
    return changed._replace(game=changed.game._replace(step=state.game.step))


# In checkpoints


def arrays_of(replay: Replay) -> dict[str, npt.NDArray[Any]]:
    """Returns the arrays from which `replay_of` restores a replay."""
    arrays = {
        "seeds": replay.states.game.seed[:, 0],
        "memories": replay.memories,
        "directions": replay.directions,
        "pieces": replay.pieces,
        "written": replay.written,
    }
    return {name: np.asarray(value) for name, value in arrays.items()}


def replay_of(settings: GameSettings, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Replay:
    """Restores the replay whose `arrays_of` these are, by playing its games again."""
    play_again = jax.jit(partial(_played_again, settings, kind))
    states, rewards = play_again(arrays["seeds"], arrays["directions"], arrays["pieces"])
    fields = {name: jnp.asarray(arrays[name]) for name in ("memories", "directions", "pieces", "written")}
    return Replay(states=states, rewards=rewards, **fields)


def _played_again(
    settings: GameSettings, kind: str, seeds: Array, directions: Array, pieces: Array
) -> tuple[Believed, Array]:
    """Plays games again by seeds (E,) and actions (E, T, n); returns states (E, T + 1, ...) and rewards (E, T, n)."""

    def one_game(game: Any) -> Any:
        seed, game_directions, game_pieces = game

        def step(state: Believed, action: Any) -> tuple[Believed, Any]:
            after, effects = advance(settings, kind, state, *(part.astype(jnp.int32) for part in action))
            return after, (narrow(state), effects.rewards.astype(jnp.int16))

        last, (states, rewards) = jax.lax.scan(step, begin(settings, kind, seed), (game_directions, game_pieces))
        return joined(states, narrow(last)), rewards

    played: tuple[Believed, Array] = jax.lax.map(one_game, (seeds, directions, pieces), batch_size=256)
    return played


def joined(states: Believed, last: Believed) -> Believed:
    """Appends one state to states (T, ...): (T + 1, ...)."""
    appended: Believed = jax.tree.map(lambda rows, row: jnp.concatenate([rows, row[None]]), states, last)
    return appended
