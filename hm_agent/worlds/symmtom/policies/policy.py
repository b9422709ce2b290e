"""Policies act for many agents at once, one row each; what a row does never depends on the other rows.

Two of them keep no estimate of what others know: random play, and the paper's heuristic.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Direction, GameState, Ints, Keys, random_keys
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights

_POLICY_STREAM = 0x5EED0000
"""The first stream of policies' random numbers; those of a game come from other seeds and streams."""
_OWN_SEEDS = 0xA6E27
"""The stream from which agents' own seeds are drawn."""


class Policy(Protocol):
    """Plays agents through one episode; the rows of `sights` are the same agents at every call."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        """Returns (R,) directions and (R,) pieces. truth: the games' true states, for policies that are told them."""
        ...


def own_seeds(seeds: Keys, count: int) -> Keys:
    """(B, count): agents' seeds, hashed from those of their games (B,), so that no agent foresees what a game draws."""
    return random_keys(seeds, _OWN_SEEDS, count)


def draw(sights: Sights, stream: int, count: int) -> npt.NDArray[np.float64]:
    """(R, count) random numbers from 0 to below 1, by each agent's seed and the step alone. stream: 0 to 15."""
    streams = (np.uint32(_POLICY_STREAM + stream) + sights.step.astype(np.uint32) * np.uint32(16)).astype(np.uint32)
    return random_keys(sights.seeds, streams, count) / 2.0**32


def steps_between(first: Ints, second: Ints) -> Ints:
    """The number of moves between cells (..., 2): their Manhattan distance."""
    return np.asarray(np.abs(first - second).sum(-1), np.int32)


def approach(sights: Sights, target: Ints) -> Ints:
    """(R,): a direction that leads each agent towards its target cell (R, 2); STAY if it is there.

    Of two directions that lead nearer, one into a free cell is preferred, then chance decides. Where only occupied
    cells lead nearer, the agent tries one or steps aside, each with probability 1/2, so that agents that stay do not
    block it for ever.
    """
    width, here = sights.settings.width, sights.here
    there = here[:, None] + OFFSETS
    inside = ((there >= 0) & (there < width)).all(-1)
    nearer = steps_between(there, target[:, None]) < steps_between(here, target)[:, None]
    is_taken = (there[:, :, None] == sights.positions[:, None]).all(-1).any(-1)
    chance = draw(sights, 0, len(OFFSETS) + 1)
    sidesteps = (chance[:, -1:] < 0.5) & (nearer & is_taken).any(-1, keepdims=True)
    value = np.select([nearer & ~is_taken, nearer, ~is_taken & sidesteps], [4.0, 2.0, 3.0], 0.0) + chance[:, :-1]
    value = np.where(inside & (np.arange(len(OFFSETS)) != Direction.STAY), value, -1.0)
    best: Ints = value.argmax(-1).astype(np.int32)
    return np.where((here == target).all(-1), np.int32(Direction.STAY), best)


def nearest_free(sights: Sights, cells: Ints, further: npt.NDArray[Any] | int = 0) -> Ints:
    """(R, 2): for each agent, the nearest of some cells that no other agent is on; if all are taken, the nearest.

    cells: (k, 2), or (R, k, 2) with cells for each agent. further: (R, k), added to the distances. On a tie, the first.
    """
    cells = np.broadcast_to(cells, (len(sights.me), *cells.shape[-2:]))
    others = np.arange(sights.settings.agents) != sights.me[:, None]
    taken = ((cells[:, :, None] == sights.positions[:, None]).all(-1) & others[:, None]).any(-1)
    far = steps_between(cells, sights.here[:, None]) + further + taken * 8 * sights.settings.width
    return np.take_along_axis(cells, far.argmin(-1)[:, None, None], 1)[:, 0]


def cell_in_range(sights: Sights, target: int) -> Ints:
    """(R, 2): for each agent, the nearest cell from which it hears the agent of number `target`."""
    there, reach = sights.positions[:, target], sights.settings.hearing
    return np.clip(sights.here, there - reach, there + reach)


def in_earshot(sights: Sights, directions: Ints) -> Bools:
    """(R, n): whom each agent is heard by if it moves so and the others stay; not by itself."""
    there = np.clip(sights.here + OFFSETS[directions], 0, sights.settings.width - 1)
    near = np.abs(sights.positions - there[:, None]).max(-1) <= sights.settings.hearing
    return np.asarray(near & (np.arange(sights.settings.agents) != sights.me[:, None]))


def next_known(knows: Bools, last: Ints) -> Ints:
    """(R,): the next piece after `last` (R,), in a circle, that each agent knows; any piece if it knows none."""
    pieces = knows.shape[-1]
    order = (last[:, None] + 1 + np.arange(pieces)) % pieces
    known = np.take_along_axis(knows, order, -1)
    return np.take_along_axis(order, known.argmax(-1)[:, None], -1)[:, 0].astype(np.int32)


# Simple policies


class RandomPolicy(Policy):
    """Draws direction and piece uniformly; the agent may not know the piece."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        chance = draw(sights, 1, 2)
        return (chance * [len(Direction), sights.settings.pieces]).astype(np.int32).T  # type: ignore[return-value]


class HeuristicPolicy(Policy):
    """Goes to the centre, says all pieces that it knows in turn, and recharges when it knows all (the paper's)."""

    def __init__(self) -> None:
        self._last: Ints | None = None
        """(R,): the piece that each said last."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        last = np.full(len(sights.me), -1, np.int32) if self._last is None else self._last
        self._last = next_known(sights.knows, last)
        is_complete = np.asarray(sights.knows.all(-1))
        target = np.where(is_complete[:, None], sights.own_base, nearest_free(sights, centre(sights.settings)))
        return approach(sights, target), self._last


def centre(settings: GameSettings) -> Ints:
    """(4, 2): the 2x2 cells in the middle; on boards of odd width, the middle cell is the upper left one."""
    low = (settings.width - 1) // 2
    return np.array([(low, low), (low + 1, low), (low, low + 1), (low + 1, low + 1)], np.int32)
