"""Hides from other players what the agent collects, or shows it: they may choose their response by it."""

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
    """Decides when to wait because another player is watching a cell, or is not.

    window: what each player sees of the map.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        far = max(window.forward, window.backward, window.left, window.right)
        offsets = [(dx, dy) for dx in range(-far, far + 1) for dy in range(-far, far + 1)]
        views = {offset: sum(window.shows(Pose(*offset, facing), (0, 0)) for facing in Facing) for offset in offsets}
        self._watching_shares = {offset: count / 4 for offset, count in views.items() if count}
        """By (dx, dy), the share of the four facings at which a player at this offset from a cell sees it, if not 0."""
        self._waited = 0

    def should_wait(self, cell: Cell, others: Sequence[Detection], belief: PlayerBeliefMap | None) -> bool:
        """True if an action on a cell is to be delayed by one step, at most MAX_WAIT times in a row.

        others: the players in view. belief: where the players out of view may be; None if nothing is believed.
        """
        is_watched = self.is_seen(cell, others) or self._may_be_seen(cell, others, belief)
        self._waited = self._waited + 1 if is_watched and self._waited < MAX_WAIT else 0
        return self._waited > 0

    def is_seen(self, cell: Cell, others: Sequence[Detection]) -> bool:
        """True if a player in view has a cell in its own view."""
        return any(other.pose is not None and self._window.shows(other.pose, cell) for other in others)

    def _may_be_seen(self, cell: Cell, others: Sequence[Detection], belief: PlayerBeliefMap | None) -> bool:
        """True if the only other player is out of view and sees the cell with a probability above MAX_RISK.

        All its facings are equally likely. Of several players one may always be near, so that waiting would be in vain.
        """
        if belief is None or others or len(belief.players) > 1:
            return False
        (hidden,) = belief.players
        return self._probability_seen(cell, belief.of(hidden)) > MAX_RISK

    def _probability_seen(self, cell: Cell, belief: npt.NDArray[np.float64]) -> float:
        """The probability that a player sees a cell. belief: (height, width) probabilities of the player's cell."""
        x, y = cell
        height, width = belief.shape
        return sum(
            share * float(belief[y + dy, x + dx])
            for (dx, dy), share in self._watching_shares.items()
            if 0 <= y + dy < height and 0 <= x + dx < width
        )
