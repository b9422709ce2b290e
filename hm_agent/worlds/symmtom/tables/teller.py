"""The ceiling of mixed tables: it is told who truly knows what, and says nothing that does not serve."""

from __future__ import annotations

import numpy as np

from hm_agent.worlds.symmtom.policies.policy import Policy, approach, cell_in_range, in_earshot
from hm_agent.worlds.symmtom.rules import GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights


class TellerPolicy(Policy):
    """Plays one agent, in one row: goes where it has most to tell per move by the truth, and tells it.

    It says the piece that is new to most in hearing, where one that a listener knows counts as two that it lacks, and
    is silent where none is worth it. It goes to its base when it knows all, and stays if it has nothing to tell.
    """

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        if truth is None:
            raise ValueError("the teller needs to be told the truth")
        known, knows = sights.knows[0], truth.knows[0]
        lacking = known & ~knows
        directions = approach(sights, sights.own_base if known.all() else self._goal(sights, lacking.sum(-1)))
        near = in_earshot(sights, directions)[0]
        value = (lacking[near].sum(0) - 2 * knows[near].sum(0)) * known
        return directions, np.array([value.argmax() if value.max() > 0 else known.argmin()], np.int32)

    def _goal(self, sights: Sights, gain: Ints) -> Ints:
        """(1, 2): the cell from which the agent hears it to which it has most to tell per move. gain: (n,), pieces."""
        apart = np.abs(sights.positions[0] - sights.here[0])
        moves = np.maximum(apart - sights.settings.hearing, 0).sum(-1)
        rate = np.where(gain > 0, gain / (moves + gain.clip(1) / 2), 0.0)
        if not rate.any():
            return sights.here
        return cell_in_range(sights, int(rate.argmax()))
