"""Games together with what their agents believe and see, as learners and environments step them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.fast import core
from hm_agent.worlds.symmtom.fast.beliefs import first_k, next_k, told_first_hand
from hm_agent.worlds.symmtom.fast.core import Array, FastEffects, FastState
from hm_agent.worlds.symmtom.fast.observations import EgoView, action_masks, observe
from hm_agent.worlds.symmtom.rules import SILENT
from hm_agent.worlds.symmtom.settings import GameSettings


class Believed(NamedTuple):
    """A game and its agents' K of one kind.

    known: (n, n, W) uint32, as in beliefs.py. heard: (n, n) int32, the piece that the first agent heard the second say
    in the latest step, or SILENT. moved: (n, 2) int32, the latest change of positions.
    """

    game: FastState
    known: Array
    heard: Array
    moved: Array


def begin(settings: GameSettings, kind: str, seed: Array) -> Believed:
    """Returns a new game. kind: one of `beliefs.KINDS`."""
    game = core.reset(settings, seed)
    heard = jnp.full((settings.agents, settings.agents), SILENT, jnp.int32)
    return Believed(game, first_k(settings, kind, game), heard, jnp.zeros_like(game.positions))


def advance(
    settings: GameSettings, kind: str, state: Believed, directions: Array, pieces: Array
) -> tuple[Believed, FastEffects]:
    """Takes one step; a game that is over stays as it is, with its agents' beliefs."""
    over = rules.is_over(settings, state.game)
    game, effects = core.step(settings, state.game, directions, pieces)
    hears = effects.heard_from | np.eye(settings.agents, dtype=bool)
    after = Believed(
        game,
        next_k(settings, kind, state.known, game, effects),
        jnp.where(hears, effects.said, SILENT),
        game.positions - state.game.positions,
    )
    return jax.tree.map(lambda old, new: jnp.where(over, old, new), state, after), effects


def look(settings: GameSettings, state: Believed) -> tuple[Array, Array, Array]:
    """Returns each agent's observation (n, D), and masks of the moves (n, 5) and pieces (n, c) that make sense."""
    views = ego_views(settings, state)
    return observe(jnp, settings, views), *action_masks(jnp, settings, views)


def ego_views(settings: GameSettings, state: Believed) -> EgoView:
    """Returns the views of all agents; each field has an axis of n before those of one agent's view."""
    n, c, game = settings.agents, settings.pieces, state.game

    def own_first(values: Array) -> Array:
        """(n, n, ...): row i holds the values (n, ...) of agents i, i + 1, ..."""
        return rotated([values] * n)

    def rotated(values: Sequence[Array]) -> Array:
        """The same for values (n, n, ...) that differ by row: row i starts with agent i."""
        rows = (jnp.concatenate([row[agent:], row[:agent]]) for agent, row in enumerate(values))
        return jnp.stack(list(rows))

    known = rotated(state.known)
    return EgoView(
        step=jnp.broadcast_to(game.step, (n,)),
        positions=own_first(game.positions),
        bases=own_first(game.bases),
        moved=own_first(state.moved),
        first_hand=core.unpacked(rotated(told_first_hand(settings, game)), c),
        knows=core.unpacked(game.knows, c),
        heard=rotated(state.heard)[..., None] == np.arange(c),
        known=core.unpacked(known, c),
        counts=core.size(known),
        common=core.size(known & game.knows[:, None]),
    )


def seeds_of(key: Array, count: int) -> Array:
    """Draws (count,) uint32 game seeds from a key of JAX."""
    return jax.random.bits(key, (count,), jnp.uint32)
