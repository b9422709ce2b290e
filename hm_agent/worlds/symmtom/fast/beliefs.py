"""K matrices in JAX: for each agent, who knows what as it believes; equal to those of knowledge/k_matrix.py.

K is (n, n, W) uint32: row i holds the set of pieces that agent i believes each agent knows. K' = F or ((S or K) and not
(on_base and knows_all)), with F first-hand knowledge and S the pieces that each agent was told in the turn.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from hm_agent.worlds.symmtom.fast.core import Array, FastEffects, FastState, is_complete, packed, singletons, united
from hm_agent.worlds.symmtom.knowledge.k_matrix import spoken_order
from hm_agent.worlds.symmtom.rules import within_hearing
from hm_agent.worlds.symmtom.settings import GameSettings

FIRST_HAND, CE, GE, ORACLE = "first_hand", "ce", "ge", "oracle"
KINDS = (FIRST_HAND, CE, GE, ORACLE)
"""first_hand: nothing but what is known first-hand. ce: what could not be heard was not said. ge: every unheard agent
said the piece it knows that the fewest in its range know. oracle: the truth."""


def first_k(settings: GameSettings, kind: str, state: FastState) -> Array:
    """K at the beginning of a game."""
    if kind == ORACLE:
        return _truth(state)
    return _with_own(told_first_hand(settings, state), state)


def next_k(settings: GameSettings, kind: str, known: Array, state: FastState, effects: FastEffects) -> Array:
    """K after a step. known: K before it. state, effects: the outcome of the step."""
    if kind == ORACLE:
        return _truth(state)
    first_hand = told_first_hand(settings, state)
    if kind == FIRST_HAND:
        return _with_own(first_hand, state)
    near = within_hearing(settings, state.positions)
    listens = near | np.eye(settings.agents, dtype=bool)
    said = singletons(settings, effects.said)
    unheard = _greedy_speech(settings, known, near) if kind == GE else jnp.zeros_like(known)
    spoken = jnp.where(listens[..., None], said, unheard)  # (n, n, W): what each agent believes that each one said
    told = united(jnp.where(listens[..., None], spoken[:, None], 0), 2)
    recharged = is_complete(settings, known) & (state.positions == state.bases).all(-1)
    return _with_own(first_hand | jnp.where(recharged[..., None], 0, told | known), state)


def told_first_hand(settings: GameSettings, state: FastState) -> Array:
    """(n, n, W): the first-hand knowledge of every agent as far as each agent is told it."""
    everyone = jnp.broadcast_to(state.first_hand, (settings.agents, *state.first_hand.shape))
    if settings.has_public_first_hand:
        return everyone
    return jnp.where(np.eye(settings.agents, dtype=bool)[..., None], everyone, 0)


def _greedy_speech(settings: GameSettings, known: Array, near: Array) -> Array:
    """(n, n, W): the piece that each agent believes each one said, by GE, as a set of one; empty if that knows none."""
    levels: list[Array] = []  # levels[t]: the pieces that more than t agents in range of the speaker know
    for listener in range(settings.agents):
        carry = jnp.where(near[:, listener, None], known[:, None, listener], 0)
        for at, level in enumerate(levels):
            levels[at], carry = level | carry, level & carry
        levels.append(carry)
    choice = jnp.zeros_like(known)
    for level in reversed(levels):
        rarer = known & ~level
        choice = jnp.where((rarer != 0).any(-1, keepdims=True), rarer, choice)
    everyone_knows = ~(choice != 0).any(-1, keepdims=True)
    choice = jnp.where(everyone_knows, known, choice)
    later = choice & _from_order_start(settings)
    return _lowest_piece(jnp.where((later != 0).any(-1, keepdims=True), later, choice))


def _from_order_start(settings: GameSettings) -> Array:
    """(n, W): the pieces from the first one in each speaker's own order (`k_matrix.spoken_order`) to the last piece."""
    order = spoken_order(settings)
    return packed(jnp.asarray(np.arange(settings.pieces) >= order.argmin(-1)[:, None]))


def _lowest_piece(sets: Array) -> Array:
    """The lowest piece of each set (..., W), as a set of one; empty for an empty set."""
    lowest = sets & (~sets + np.uint32(1))
    is_later = jnp.cumsum(sets != 0, -1) - (sets != 0) > 0
    return jnp.where(is_later, 0, lowest)


def _truth(state: FastState) -> Array:
    """(n, n, W): what all agents know, the same for each agent that believes it."""
    knows = state.knows
    return jnp.broadcast_to(knows, (len(knows), *knows.shape))


def _with_own(known: Array, state: FastState) -> Array:
    """Returns K with each agent's own knowledge, of which it is certain, filled in."""
    return jnp.where(np.eye(len(state.positions), dtype=bool)[..., None], state.knows, known)
