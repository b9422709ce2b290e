"""Hides from other players what the agent collects, since they may choose their response by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Pose, Window
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection

MAX_WAIT = 10
"""The most steps to wait in a row until nobody is watching."""
MAX_RISK = 0.1
"""Above this probability, a player out of view is taken to be watching."""


class Concealment:
    """Decides when to wait because another player is watching a cell. window: every player's."""

    def __init__(self, window: Window) -> None:
        self._window = window
        far = max(window.forward, window.backward, window.left, window.right)
        offsets = [(dx, dy) for dx in range(-far, far + 1) for dy in range(-far, far + 1)]
        views = {offset: sum(window.shows(Pose(*offset, facing), (0, 0)) for facing in Facing) for offset in offsets}
        self._watching_shares = {offset: count / 4 for offset, count in views.items() if count}
        """The share of the four facings at which a player at (dx, dy) from a cell sees it, where there is any."""
        self._waited = 0

    def should_wait(self, cell: Cell, others: Sequence[Detection], belief: PlayerBeliefMap | None) -> bool:
        """Whether to delay an action on a cell by one step, at most MAX_WAIT times in a row.

        others: the players in view. belief: about the players out of view, if there is one.
        """
        is_seen = any(other.pose and self._window.shows(other.pose, cell) for other in others)
        is_watched = is_seen or self._may_be_seen(cell, others, belief)
        self._waited = self._waited + 1 if is_watched and self._waited < MAX_WAIT else 0
        return self._waited > 0

    def _may_be_seen(self, cell: Cell, others: Sequence[Detection], belief: PlayerBeliefMap | None) -> bool:
        """Whether a player out of view sees the cell with more than MAX_RISK; its facing is taken to be uniform."""
        if belief is None:
            return False
        hidden = set(belief.players) - {other.kind for other in others}
        return any(self._probability_seen(cell, belief.of(player)) > MAX_RISK for player in hidden)

    def _probability_seen(self, cell: Cell, belief: npt.NDArray[np.float64]) -> float:
        """The probability that a player sees a cell. belief: (height, width) probabilities of the player's cell."""
        x, y = cell
        height, width = belief.shape
        return sum(
            share * float(belief[y + dy, x + dx])
            for (dx, dy), share in self._watching_shares.items()
            if 0 <= y + dy < height and 0 <= x + dx < width
        )
