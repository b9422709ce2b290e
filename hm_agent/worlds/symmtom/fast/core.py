"""The rules of rules.py, version 1, in JAX: equal to them bit for bit, in integer arithmetic alone.

Every function takes one game; `jax.vmap` makes it take a batch of games. A set of pieces is W words of 32 bits, W = 1
for up to 32 pieces: piece p is bit p % 32 of word p // 32.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.rules import (
    OFFSETS,
    SILENT,
    as_cells,
    is_over,
    prizes,
    random_keys,
    sayable,
    within_hearing,
)
from hm_agent.worlds.symmtom.settings import GameSettings

Array = Any
"""A JAX array."""
WORD = 32


class FastState(NamedTuple):
    """A game between two steps.

    seed: () uint32. step: () int32, the number of steps taken. positions, bases: (n, 2) int32. first_hand, second_hand:
    (n, W) uint32, the sets of pieces that an agent knows; disjoint. recharges: (n,) int32, their number so far.
    changed: (n, W) uint32, the pieces that an agent learnt or forgot in the latest step.
    """

    seed: Array
    step: Array
    positions: Array
    bases: Array
    first_hand: Array
    second_hand: Array
    recharges: Array
    changed: Array

    @property
    def knows(self) -> Array:
        """(n, W) uint32."""
        return self.first_hand | self.second_hand


class FastEffects(NamedTuple):
    """The outcome of a step.

    rewards: (n,) int32. said: (n,) int32, the piece that each agent said, or SILENT. heard_from: (n, n) bool, True
    where the first agent heard the second one say a piece. news: (n, W) uint32, the pieces heard that were new to an
    agent. taught: (n,) int32, the number of listeners to whom an agent's piece was new. recharged: (n,) bool.
    """

    rewards: Array
    said: Array
    heard_from: Array
    news: Array
    taught: Array
    recharged: Array


def reset(settings: GameSettings, seed: Array) -> FastState:
    """Returns a new game. seed: () uint32."""
    n, cells = settings.agents, settings.width**2
    seed = jnp.asarray(seed).astype(jnp.uint32)
    order = _ranks(random_keys(seed, rules._PIECES, settings.pieces))
    turn = _ranks(random_keys(seed, rules._OWNERS, n))
    return FastState(
        seed=seed,
        step=jnp.int32(0),
        positions=_as_pairs(_smallest(random_keys(seed, rules._POSITIONS, cells), n), settings.width),
        bases=_as_pairs(_smallest(random_keys(seed, rules._BASES, cells), n), settings.width),
        first_hand=packed(order % n == turn[:, None]),
        second_hand=jnp.zeros((n, words_of(settings)), jnp.uint32),
        recharges=jnp.zeros(n, jnp.int32),
        changed=jnp.zeros((n, words_of(settings)), jnp.uint32),
    )


def step(
    settings: GameSettings, state: FastState, directions: Array, pieces: Array, priorities: Array | None = None
) -> tuple[FastState, FastEffects]:
    """Takes one step, as `rules.step`. directions, pieces, priorities: (n,)."""
    stream = state.step.astype(jnp.uint32) + np.uint32(rules._PRIORITIES)
    keys = random_keys(state.seed, stream, settings.agents) if priorities is None else priorities
    positions = move(settings, state.positions, directions, keys)
    knows, near = state.knows, within_hearing(settings, positions)
    spoken = sayable(settings, state) & singletons(settings, pieces)
    speaks = (spoken != 0).any(-1)
    is_new = near & ((spoken & ~knows[:, None]) != 0).any(-1)
    news = united(jnp.where(near[..., None], spoken, 0), 1) & ~knows
    taught = is_new.sum(0, dtype=jnp.int32)
    recharged = is_complete(settings, knows) & (positions == state.bases).all(-1)
    recharges = state.recharges + recharged.astype(jnp.int32)
    heard = is_new.sum(1, dtype=jnp.int32) if settings.has_published_rules else size(news)
    rewards = heard + taught + recharged.astype(jnp.int32) * settings.recharge_reward + prizes(settings, recharges)
    said = jnp.where(speaks, pieces, SILENT).astype(jnp.int32)
    second_hand = jnp.where(recharged[:, None], 0, state.second_hand | news)
    after = state._replace(step=state.step + 1, positions=positions, second_hand=second_hand, recharges=recharges)
    after = after._replace(changed=after.knows ^ knows)
    return _freeze_finished(
        is_over(settings, state),
        state,
        after,
        FastEffects(rewards.astype(jnp.int32), said, near & speaks, news, taught, recharged),
    )


def move(settings: GameSettings, positions: Array, directions: Array, priorities: Array) -> Array:
    """Returns the positions (n, 2) after all agents moved at once, by rule 1 of rules.py."""
    offsets = [
        sum(jnp.where(directions == direction, int(OFFSETS[direction, axis]), 0) for direction in range(4))
        for axis in (0, 1)
    ]
    destinations = jnp.clip(positions + jnp.stack(offsets, -1), 0, settings.width - 1)
    here, there = as_cells(positions, settings.width), as_cells(destinations, settings.width)
    order = np.arange(settings.agents)
    goes_first = priorities > priorities[:, None]
    goes_first |= (priorities == priorities[:, None]) & (order > order[:, None])
    others = order != order[:, None]
    moves = here != there
    for _ in range(settings.agents):  # each round cancels at least one more move, or changes nothing
        target = jnp.where(moves, there, here)
        collides = (target[:, None] == target) & others
        moves &= ~(collides & (goes_first | ~moves)).any(-1)
    return jnp.where(moves[:, None], destinations, positions)


def _freeze_finished(
    over: Array, before: FastState, after: FastState, effects: FastEffects
) -> tuple[FastState, FastEffects]:
    """Undoes a step in a game that was over before it: it keeps its state, and the effects are empty."""
    no_effects = FastEffects(*map(jnp.zeros_like, effects))._replace(said=jnp.full_like(effects.said, SILENT))
    frozen: tuple[FastState, FastEffects]
    frozen = jax.tree.map(lambda old, new: jnp.where(over, old, new), (before, no_effects), (after, effects))
    return frozen


# Sets of pieces


def words_of(settings: GameSettings) -> int:
    """W, the number of words of a set."""
    return -(-settings.pieces // WORD)


def packed(known: Array) -> Array:
    """Packs (..., c) bool into sets, (..., W) uint32."""
    pieces = known.shape[-1]
    words = [known[..., start : start + WORD].astype(jnp.uint32) for start in range(0, pieces, WORD)]
    return jnp.stack([(bits << np.arange(bits.shape[-1], dtype=np.uint32)).sum(-1) for bits in words], -1)


def unpacked(sets: Array, pieces: int) -> Array:
    """Unpacks sets (..., W) into (..., c) bool."""
    starts = range(0, pieces, WORD)
    words = [
        sets[..., word, None] >> np.arange(min(WORD, pieces - start), dtype=np.uint32)
        for word, start in enumerate(starts)
    ]
    return jnp.concatenate(words, -1) & 1 != 0


def singletons(settings: GameSettings, pieces: Array) -> Array:
    """Pieces (...) as sets of one, (..., W) uint32; SILENT as the empty set."""
    bits = jnp.uint32(1) << (pieces % WORD).astype(jnp.uint32)
    return jnp.stack([jnp.where(pieces // WORD == word, bits, 0) for word in range(words_of(settings))], -1)


def is_complete(settings: GameSettings, sets: Array) -> Array:
    """(...) bool: True for the sets (..., W) that have all pieces."""
    full = [(1 << min(WORD, settings.pieces - WORD * word)) - 1 for word in range(words_of(settings))]
    return (sets == np.array(full, np.uint32)).all(-1)


def size(sets: Array) -> Array:
    """(...) int32: the number of pieces in each set (..., W)."""
    return jax.lax.population_count(sets).sum(-1).astype(jnp.int32)


def united(sets: Array, axis: int) -> Array:
    """The union of sets along an axis, which it removes."""
    return reduce(or_, [jax.lax.index_in_dim(sets, at, axis, keepdims=False) for at in range(sets.shape[axis])])


def _as_pairs(cells: Array, width: int) -> Array:
    """The cells (x, y) (..., 2) of these numbers."""
    return jnp.stack([cells % width, cells // width], -1).astype(jnp.int32)


# Random numbers


def _ranks(keys: Array) -> Array:
    """The rank of each key (k,), from 0; no two keys are equal, since the hash is a bijection."""
    return (keys < keys[:, None]).sum(-1, dtype=jnp.int32)


def _smallest(keys: Array, count: int) -> Array:
    """(count,): the indices of the smallest keys (k,), in order of the keys."""
    order, chosen = np.arange(len(keys), dtype=np.int32), []
    for _ in range(count):
        chosen.append(jnp.argmin(keys))
        keys = jnp.where(order == chosen[-1], np.uint32(0xFFFFFFFF), keys)
    return jnp.stack(chosen)
