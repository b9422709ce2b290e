"""What a learner is given: one vector of numbers per agent, and which actions make sense.

The vector of agent i is egocentric: agents come in the order i, i + 1, ..., around the table. Offsets are
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

The functions take NumPy's arrays (xp = numpy) or JAX's (xp = jax.numpy), with any axes `...` before those of an agent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings

Array = Any
"""An array of NumPy or of JAX."""
DIRECTIONS = len(Direction)


class EgoView(NamedTuple):
    """What one agent sees and believes at the start of a turn; it is the first of all agents.

    step: (...). positions, bases: (..., n, 2). first_hand: (..., n, c) bool, as far as it is told. knows: (..., c)
    bool. heard: (..., n, c) bool, what it heard each agent, itself included, say in the turn before. known: (..., n, c)
    bool, its K.
    """

    step: Array
    positions: Array
    bases: Array
    first_hand: Array
    knows: Array
    heard: Array
    known: Array


def general_size(settings: GameSettings) -> int:
    """The length of the general part."""
    return 16 + 16 * (settings.agents - 1)


def piece_size(settings: GameSettings) -> int:
    """The length of a piece's row."""
    return 3 * settings.agents + 2


def observation_size(settings: GameSettings) -> int:
    return general_size(settings) + settings.pieces * piece_size(settings)


def observe(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    """(..., D) float32."""
    general, pieces = _general_part(xp, settings, view), _piece_rows(xp, settings, view)
    return xp.concatenate([general, pieces.reshape(*general.shape[:-1], -1)], -1)


def action_masks(xp: Any, settings: GameSettings, view: EgoView) -> tuple[Array, Array]:
    """(..., 5) and (..., c) bool: the moves that no wall cancels, and the pieces that the agent knows; all if none."""
    moves = xp.concatenate([~_walls(xp, settings, view.positions[..., 0, :]), xp.ones_like(view.knows[..., :1])], -1)
    return moves, view.knows | ~view.knows.any(-1)[..., None]


def _general_part(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    here, base = view.positions[..., 0, :], view.bases[..., 0, :]
    others, theirs = view.positions[..., 1:, :], view.known[..., 1:, :]
    knows = view.knows[..., None, :]
    apart = xp.abs(others - here[..., None, :]).max(-1)
    parts = [
        (view.step / settings.steps)[..., None],
        _walls(xp, settings, here),
        here / (settings.width - 1),
        _offset(xp, settings, base - here),
        (base == here).all(-1)[..., None],
        view.knows.all(-1)[..., None],
        view.knows.mean(-1)[..., None],
        _flat(_offset(xp, settings, others - here[..., None, :])),
        apart <= settings.hearing,
        _flat(_offset(xp, settings, view.bases[..., 1:, :] - others)),
        theirs.all(-1),
        (theirs & ~knows).mean(-1),
        (knows & ~theirs).mean(-1),
    ]
    return xp.concatenate([part.astype(xp.float32) for part in parts], -1)


def _piece_rows(xp: Any, settings: GameSettings, view: EgoView) -> Array:
    """(..., c, p)."""
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
        lacks.mean(-2)[..., None, :],
        (lacks & near).mean(-2)[..., None, :],
    ]
    return xp.swapaxes(xp.concatenate([row.astype(xp.float32) for row in rows], -2), -1, -2)


def _walls(xp: Any, settings: GameSettings, here: Array) -> Array:
    """(..., 4) bool, in the order of the directions."""
    low, high = here == 0, here == settings.width - 1
    return xp.stack([low[..., 0], high[..., 0], low[..., 1], high[..., 1]], -1)


def _offset(xp: Any, settings: GameSettings, apart: Array) -> Array:
    """(..., 6) of (dx, dy) (..., 2)."""
    x, y = apart[..., 0], apart[..., 1]
    return xp.stack([x / settings.width, y / settings.width, x < 0, x > 0, y < 0, y > 0], -1)


def _flat(values: Array) -> Array:
    """The last two axes as one."""
    return values.reshape(*values.shape[:-2], values.shape[-2] * values.shape[-1])
