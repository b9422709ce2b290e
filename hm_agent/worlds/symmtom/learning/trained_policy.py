"""A trained agent as a policy, which plays in NumPy, so that a game needs neither JAX nor the extra `train`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.fast.observations import EgoView
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer
from hm_agent.worlds.symmtom.policies.policy import Policy, draw
from hm_agent.worlds.symmtom.rules import Bools, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights


class TrainedPolicy(Policy):
    """Draws actions from the probabilities that the networks of a checkpoint give."""

    def __init__(self, player: TrainedPlayer) -> None:
        self._player = player
        self._knowledge = KINDS[player.kind]()
        self._memory: npt.NDArray[np.float32] | None = None
        self._positions: Ints | None = None
        self.believed: Bools | None = None
        """(R, n, c): K after the latest sight."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        player, network = self._player, self._player.shape
        known = self._knowledge.update(sights, truth)
        if self._memory is None or self._positions is None:
            self._memory, self._positions = network.no_memory(player.settings, len(sights.me)), sights.positions
        view = ego_view_of(sights, known, sights.positions - self._positions)
        directions, pieces, self._memory = network.play(player.settings, player.weights, view, sights.me, self._memory)
        self._positions = sights.positions
        estimate = network.believed(player.settings, sights.me, self._memory)
        self.believed = known if estimate is None else estimate
        chance = draw(sights, 2, directions.shape[-1] + pieces.shape[-1])
        noise = -np.log(
            -np.log(np.clip(chance, 1e-12, 1 - 1e-12))
        )  # the argmax of logits plus Gumbel noise is a sample
        chosen = (directions + noise[:, : directions.shape[-1]]).argmax(-1)
        said = (pieces + noise[:, directions.shape[-1] :]).argmax(-1)
        return chosen.astype(np.int32), said.astype(np.int32)


def ego_view_of(sights: Sights, known: Bools, moved: Ints) -> EgoView:
    """Returns the views of all rows, each with its agents in order from the agent of the row.

    known: (R, n, c), the rows' K. moved: (R, n, 2), how positions changed since the sights before.
    """
    n, c = sights.settings.agents, sights.settings.pieces
    order = (sights.me[:, None] + np.arange(n)) % n
    rows = sights.rows[:, None]
    own_first = known[rows, order]
    return EgoView(
        step=sights.step,
        positions=sights.positions[rows, order],
        bases=sights.bases[rows, order],
        moved=moved[rows, order],
        first_hand=sights.first_hand[rows, order],
        knows=sights.knows,
        heard=sights.heard[rows, order][..., None] == np.arange(c),
        known=own_first,
        counts=own_first.sum(-1),
        common=(own_first & sights.knows[:, None]).sum(-1),
    )
