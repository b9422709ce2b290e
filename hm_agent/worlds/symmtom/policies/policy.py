"""What a policy is: it acts for many agents at once, one row each; a row gets the same alone and among others."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Direction, GameState, Ints, Keys, random_keys
from hm_agent.worlds.symmtom.sights import Sights

_POLICY_STREAM = 0x5EED0000
"""Of a policy's random numbers; those of a game come from other seeds and streams."""
_OWN_SEEDS = 0xA6E27
"""The stream of agents' seeds."""


class Policy(Protocol):
    """Plays agents through an episode. The rows of `sights` stand for the same agents at every call."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        """The (R,) directions and (R,) pieces. truth: the games of the rows, for policies that are told them."""
        ...


def own_seeds(seeds: Keys, count: int) -> Keys:
    """(B, count): seeds for agents from those of their games (B,), so that no agent foresees what a game draws."""
    return random_keys(seeds, _OWN_SEEDS, count)


def draw(sights: Sights, stream: int, count: int) -> npt.NDArray[np.float64]:
    """(R, count) random numbers from 0 to 1, from each agent's seed and the step alone. stream: below 16."""
    streams = (np.uint32(_POLICY_STREAM + stream) + sights.step.astype(np.uint32) * np.uint32(16)).astype(np.uint32)
    return random_keys(sights.seeds, streams, count) / 2.0**32


def steps_between(one: Ints, other: Ints) -> Ints:
    """How many moves lie between cells (..., 2): the Manhattan distance."""
    return np.asarray(np.abs(one - other).sum(-1), np.int32)


def approach(sights: Sights, target: Ints) -> Ints:
    """(R,): a direction that leads each agent towards its target cell (R, 2); STAY if it is there.

    Of two ways that are as short, a free cell goes first, then chance decides. Where only an occupied cell leads on,
    the agent tries it or steps aside, each with probability 1/2, so that agents who stay do not block it for ever.
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


def next_known(knows: Bools, last: Ints) -> Ints:
    """(R,): the first piece after the last one, in a circle, that each agent knows, (R, c); any if it knows none."""
    pieces = knows.shape[-1]
    order = (last[:, None] + 1 + np.arange(pieces)) % pieces
    known = np.take_along_axis(knows, order, -1)
    return np.take_along_axis(order, known.argmax(-1)[:, None], -1)[:, 0].astype(np.int32)
