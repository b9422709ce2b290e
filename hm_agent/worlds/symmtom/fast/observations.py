"""The observations of learners: one vector per agent, and masks of the actions that make sense.

The vector of agent i is egocentric: agents come in the order i, i + 1, ..., modulo n. Offsets are
(dx / w, dy / w, is to the left, to the right, above, below). First the general part, then a row for each piece:

| part | numbers |
|---|---|
| share of the episode's steps that were taken | 1 |
| whether a move to the left, right, up, down is cancelled by a wall | 4 |
| own position (x, y) / (w - 1) | 2 |
| own base: offset, whether the agent is on it | 7 |
| whether it knows all pieces; the share that it knows | 2 |
| each other agent: offset, whether it is within hearing range | 7 (n - 1) |
| ... the offset of its base from it | 6 (n - 1) |
| ... by K, whether it knows all; the share of pieces that it could tell, that it could be told | 3 (n - 1) |
| each piece: whether the agent knows it, knows it first-hand, said it in the turn before | 3 c |
| ... each other agent: by K, whether it knows it; knows it first-hand; was heard to say it | 3 (n - 1) c |
| ... by K, the share of the others that lack it, and of the others within hearing range that do | 2 c |

`observe_turn` gives what the paper's learners see, a processed version of the last turn; an agent that is given only
this remembers nothing, not even what it knows:

| part | numbers |
|---|---|
| whether a move to the left, right, up, down is cancelled by a wall | 4 |
| own position (x, y) / (w - 1) | 2 |
| own base: offset, whether the agent is on it | 7 |
| each other agent: offset, whether it is within hearing range | 7 (n - 1) |
| ... the offset of its base from it | 6 (n - 1) |
| each agent: (dx, dy) of its last move | 2 n |
| each agent: its first-hand knowledge, what it was heard to say | 2 n c |

The functions take NumPy's arrays (xp = numpy) or JAX's (xp = jax.numpy), with any axes `...` before those of an agent.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings

Array = Any
"""An array of NumPy or of JAX."""
DIRECTIONS = len(Direction)


class EgoView(NamedTuple):
    """What one agent sees and believes at the start of a turn; it comes first on every axis of agents.

    step: (...). positions, bases: (..., n, 2). moved: (..., n, 2), how positions changed in the turn before.
    first_hand: (..., n, c) bool, as far as it is told. knows: (..., c) bool. heard: (..., n, c) bool, what it heard
    each agent, itself included, say in the turn before. known: (..., n, c) bool, its K. counts: (..., n), how many
    pieces each agent knows by K. common: (..., n), how many of these the agent itself knows, too.
    """

    step: Array
    positions: Array
    bases: Array
    moved: Array
    first_hand: Array
    knows: Array
    heard: Array
    known: Array
    counts: Array
    common: Array


def general_size(settings: GameSettings) -> int:
    """The length of the general part."""
    return 16 + 16 * (settings.agents - 1)


def piece_size(settings: GameSettings) -> int:
    """The length of a piece's row."""
    return 3 * settings.agents + 2


def observation_size(settings: GameSettings) -> int:
    return general_size(settings) + settings.pieces * piece_size(settings)


def observe(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    """(..., D) float32: the general part, then the rows of all pieces."""
    general, pieces = _general_part(xp, settings, view), _piece_rows(xp, settings, view)
    return xp.concatenate([general, pieces.reshape(*general.shape[:-1], -1)], -1)


def turn_size(settings: GameSettings) -> int:
    """The length of what `observe_turn` gives."""
    n = settings.agents
    return 13 + 13 * (n - 1) + 2 * n + 2 * n * settings.pieces


def observe_turn(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    """(..., D) float32: the last turn as the paper's learners see it, without K."""
    parts = [*_spatial_parts(xp, settings, view), flat(view.moved), flat(view.first_hand), flat(view.heard)]
    return xp.concatenate([part.astype(xp.float32) for part in parts], -1)


def action_masks(xp: Any, settings: GameSettings, view: EgoView) -> tuple[Array, Array]:
    """(..., 5) and (..., c) bool: the moves that no wall cancels; the pieces that the agent knows, or all if none."""
    walls = _table_rows(xp, settings, _cell_rows(settings, view.positions[..., 0, :]))[..., :4] != 0
    moves = xp.concatenate([~walls, xp.ones_like(view.knows[..., :1])], -1)
    return moves, view.knows | ~view.knows.any(-1)[..., None]


def _general_part(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    cell_and_base, is_home, others, near, their_bases = _spatial_parts(xp, settings, view)
    own, theirs, common, c = view.counts[..., :1], view.counts[..., 1:], view.common[..., 1:], settings.pieces
    parts = [
        (view.step / settings.steps)[..., None],
        cell_and_base,
        is_home,
        own == c,
        own / c,
        others,
        near,
        their_bases,
        theirs == c,
        (theirs - common) / c,
        (own - common) / c,
    ]
    return xp.concatenate([part.astype(xp.float32) for part in parts], -1)


def _spatial_parts(xp: Any, settings: GameSettings, view: EgoView) -> list[Array]:
    """Walls, own position and own base; whether on it; others; whether they are in range; their bases."""
    n, here, others = settings.agents, view.positions[..., :1, :], view.positions[..., 1:, :]
    base, apart, their_bases = view.bases[..., :1, :] - here, others - here, view.bases[..., 1:, :] - others
    offsets = [_offset_rows(settings, offset) for offset in (base, apart, their_bases)]
    numbers = _table_rows(xp, settings, xp.concatenate([_cell_rows(settings, here), *offsets], -1))
    return [
        flat(numbers[..., :2, :]),
        (base == 0).all(-1),
        flat(numbers[..., 2 : n + 1, :]),
        xp.abs(apart).max(-1) <= settings.hearing,
        flat(numbers[..., n + 1 :, :]),
    ]


def _piece_rows(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    """(..., c, p): a row for each piece."""
    lacks = ~view.known[..., 1:, :]
    apart = xp.abs(view.positions[..., 1:, :] - view.positions[..., :1, :]).max(-1)
    near = (apart <= settings.hearing)[..., None]
    rows = [
        view.knows[..., None, :],
        view.first_hand[..., :1, :],
        view.heard[..., :1, :],
        view.known[..., 1:, :],
        view.first_hand[..., 1:, :],
        view.heard[..., 1:, :],
        _mean_of_flags(lacks),
        _mean_of_flags(lacks & near),
    ]
    return xp.swapaxes(xp.concatenate([row.astype(xp.float32) for row in rows], -2), -1, -2)


def _mean_of_flags(flags: Array) -> Array:
    """The mean over the last axis but one, which stays with length 1. JAX is slower at `mean` of flags."""
    count = flags.shape[-2]
    return (sum(flags[..., at, :].astype(np.int32) for at in range(count)) / count)[..., None, :]


@cache
def _place_table(width: int) -> npt.NDArray[np.float32]:
    """Six numbers for each cell, the walls beside it and its position; then six for each offset.

    Looking them up takes JAX less time than calculating them.
    """
    x, y = np.divmod(np.arange(width**2), width)
    dx, dy = (part - (width - 1) for part in np.divmod(np.arange((2 * width - 1) ** 2), 2 * width - 1))
    cells = [x == 0, x == width - 1, y == 0, y == width - 1, x / (width - 1), y / (width - 1)]
    offsets = [dx / width, dy / width, dx < 0, dx > 0, dy < 0, dy > 0]
    return np.concatenate([np.stack(cells, -1), np.stack(offsets, -1)]).astype(np.float32)


def _table_rows(xp: Any, settings: GameSettings, rows: Array) -> Array:
    """(..., 6): these rows (...) of the table."""
    return xp.asarray(_place_table(settings.width))[rows]


def _cell_rows(settings: GameSettings, here: Array) -> Array:
    """The table's rows for cells (x, y) (..., 2)."""
    return here[..., 0] * settings.width + here[..., 1]


def _offset_rows(settings: GameSettings, apart: Array) -> Array:
    """The table's rows for offsets (dx, dy) (..., 2)."""
    least = 1 - settings.width
    return settings.width**2 + (apart[..., 0] - least) * (2 * settings.width - 1) + (apart[..., 1] - least)


def flat(values: Array) -> Array:
    """Flattens the last two axes into one."""
    return values.reshape(*values.shape[:-2], values.shape[-2] * values.shape[-1])
