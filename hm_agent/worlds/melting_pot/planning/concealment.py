"""Keeping from others what one collects: who sees it may answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Pose
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection
from hm_agent.worlds.melting_pot.perception.view import Window

LONGEST_WATCH = 10
"""For how many steps one waits at most for somebody to look away."""
RISK = 0.1
"""From which probability on one takes it that somebody out of view looks on."""


class Concealment:
    """Puts off what others would see. window: what a player sees of its surroundings."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._vantages = _vantages(window)
        self._waited = 0

    def puts_off(self, cell: Cell, others: Sequence[Detection], whereabouts: PlayerBeliefMap | None) -> bool:
        """Whether to wait with what is to be done on a cell.

        others: the players in view. whereabouts: what is believed of the others, where anything is.
        """
        is_watched = self._is_seen(cell, others) or self._may_be_seen(cell, others, whereabouts)
        self._waited = self._waited + 1 if is_watched and self._waited < LONGEST_WATCH else 0
        return self._waited > 0

    def _is_seen(self, cell: Cell, others: Sequence[Detection]) -> bool:
        return any(other.pose and self._window.shows(other.pose, cell) for other in others)

    def _may_be_seen(self, cell: Cell, others: Sequence[Detection], whereabouts: PlayerBeliefMap | None) -> bool:
        """By somebody out of view, who may look anywhere."""
        if whereabouts is None:
            return False
        hidden = set(whereabouts.players) - {other.kind for other in others}
        return any(self._chance(cell, whereabouts.of(player)) > RISK for player in hidden)

    def _chance(self, cell: Cell, belief: npt.NDArray[np.float64]) -> float:
        """How likely somebody sees a cell. belief: (height, width) probabilities of where it stands."""
        x, y = cell
        height, width = belief.shape
        return sum(
            share * float(belief[y + dy, x + dx])
            for (dx, dy), share in self._vantages.items()
            if 0 <= y + dy < height and 0 <= x + dx < width
        )


def _vantages(window: Window) -> Mapping[Cell, float]:
    """By offset from a cell, in how many of the four directions who stands there sees it, as a share."""
    far = max(window.forward, window.backward, window.left, window.right)
    offsets = [(dx, dy) for dx in range(-far, far + 1) for dy in range(-far, far + 1)]
    shares = {offset: sum(window.shows(Pose(*offset, facing), (0, 0)) for facing in Facing) / 4 for offset in offsets}
    return {offset: share for offset, share in shares.items() if share}
