"""A trained agent as a policy: it plays in NumPy, so that a game needs neither JAX nor the extra `train`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.fast.observations import EgoView, action_masks, observe
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer
from hm_agent.worlds.symmtom.learning.networks import forward
from hm_agent.worlds.symmtom.policies.policy import Policy, draw
from hm_agent.worlds.symmtom.rules import Bools, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights


class TrainedPolicy(Policy):
    """Draws its actions from the probabilities that the networks of a checkpoint give."""

    def __init__(self, player: TrainedPlayer) -> None:
        self._player = player
        self._knowledge = KINDS[player.kind]()
        self._memory: npt.NDArray[np.float32] | None = None
        self.believed: Bools | None = None
        """(R, n, c): K after the latest sight."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        player = self._player
        self.believed = self._knowledge.update(sights, truth)
        if self._memory is None:
            self._memory = np.zeros((len(sights.me), player.shape.hidden), np.float32)
        view = ego_view_of(sights, self.believed)
        masks = action_masks(np, player.settings, view)
        output = forward(np, player.settings, player.weights, observe(np, player.settings, view), masks, self._memory)
        self._memory = output.memory
        chance = draw(sights, 2, output.directions.shape[-1] + output.pieces.shape[-1])
        noise = -np.log(-np.log(np.clip(chance, 1e-12, 1 - 1e-12)))  # with Gumbel noise, the greatest is a sample
        directions = (output.directions + noise[:, : output.directions.shape[-1]]).argmax(-1)
        pieces = (output.pieces + noise[:, output.directions.shape[-1] :]).argmax(-1)
        return directions.astype(np.int32), pieces.astype(np.int32)


def ego_view_of(sights: Sights, known: Bools) -> EgoView:
    """Each row's own view: agents in order from the agent of the row. known: its K, (R, n, c)."""
    n, c = sights.settings.agents, sights.settings.pieces
    order = (sights.me[:, None] + np.arange(n)) % n
    rows = sights.rows[:, None]
    return EgoView(
        step=sights.step,
        positions=sights.positions[rows, order],
        bases=sights.bases[rows, order],
        first_hand=sights.first_hand[rows, order],
        knows=sights.knows,
        heard=sights.heard[rows, order][..., None] == np.arange(c),
        known=known[rows, order],
    )
