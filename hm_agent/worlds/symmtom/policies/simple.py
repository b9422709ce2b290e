"""The policies that keep no estimate of what others know: random play, and the paper's heuristic."""

from __future__ import annotations

import numpy as np

from hm_agent.worlds.symmtom.policies.policy import Policy, approach, draw, nearest_free, next_known
from hm_agent.worlds.symmtom.rules import Direction, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights


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
