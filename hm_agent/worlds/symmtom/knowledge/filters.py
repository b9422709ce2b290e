"""A Bayes filter over what all other agents know, given a model of how they speak.

The filter holds weighted hypotheses, each a whole matrix of who knows what. While there are at most `MOST_HYPOTHESES`,
it is exact: it branches on every piece that an unheard agent may have said, and merges equal hypotheses. Beyond that it
is a particle filter: it draws one piece for each hypothesis, and first, if there are more than `PARTICLES`, draws that
many of them by weight. Unlike K it also learns from what was not said, and from the agent's reward, which tells to how
many listeners the agent's own piece was new.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.knowledge.k_matrix import Knowledge, could_hear, spoken_order
from hm_agent.worlds.symmtom.rules import SILENT, Bools, GameState
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights

MOST_HYPOTHESES, PARTICLES = 4096, 512
UNEXPECTED = 1e-9
"""The likelihood of what the model rules out, so that a wrong model does not remove every hypothesis."""

Weights = npt.NDArray[np.float64]
SpeechModel = Callable[[GameSettings, Bools, Bools], Weights]
"""(settings, who knows what (H, n, c), who is near whom (n, n)) → (H, n, c): how likely each agent says each piece."""


def helpful_speech(settings: GameSettings, known: Bools, near: Bools) -> Weights:
    """Every agent mostly says the piece that is new to the most listeners in its range.

    With probability 0.6 that is the first such piece in its own order, with 0.35 any such piece, and with 0.05 any
    piece that it knows.
    """
    lacking = np.einsum("lj,hjc->hlc", near.astype(np.float64), (~known).astype(np.float64))
    value = np.where(known, lacking - 1e-3 * spoken_order(settings), -1.0)
    best = value == value.max(-1, keepdims=True)
    ties = known & (np.round(lacking) == np.round(lacking * best).max(-1, keepdims=True))
    shares = ((0.6, best & known), (0.35, ties), (0.05, known))
    probabilities: Weights = np.sum([share * _normalised(which.astype(np.float64)) for share, which in shares], axis=0)
    return probabilities


def _normalised(weights: Weights) -> Weights:
    """Scales weights so that their sum over the last axis is 1; all-zero weights stay zero."""
    total = weights.sum(-1, keepdims=True)
    shares: Weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares


class KnowledgeFilter(Knowledge):
    """One filter for the agent of each row; K holds what the filter finds more likely than not."""

    def __init__(self, speech: SpeechModel = helpful_speech) -> None:
        self._speech = speech
        self._beliefs: list[JointBelief] = []
        self.probabilities: Weights | None = None
        """(R, n, c): how likely each agent knows each piece, after the latest sight."""

    @property
    def is_exact(self) -> bool:
        """True if no filter has ever become a particle filter."""
        return all(belief.is_exact for belief in self._beliefs)

    def update(self, sights: Sights, truth: GameState | None = None) -> Bools:
        rows = [sights.row(place) for place in range(len(sights.me))]
        if not self._beliefs:
            self._beliefs = [JointBelief(row, self._speech) for row in rows]
        else:
            for belief, row in zip(self._beliefs, rows, strict=True):
                belief.update(row)
        self.probabilities = np.stack([belief.probabilities for belief in self._beliefs])
        return self.probabilities > 0.5


class JointBelief:
    """The weighted hypotheses of one agent. known: (H, n, c). weights: (H,), their sum is 1."""

    def __init__(self, sights: Sights, speech: SpeechModel) -> None:
        self._speech = speech
        self._rng = np.random.default_rng(int(sights.seeds[0]))
        self.known = sights.first_hand.copy()
        self.known[:, sights.me[0]] = sights.knows
        self.weights = np.ones(1)
        self.is_exact = True

    @property
    def probabilities(self) -> Weights:
        """(n, c): how likely each agent knows each piece."""
        probabilities: Weights = np.tensordot(self.weights, self.known, 1)
        return probabilities

    def update(self, sights: Sights) -> None:
        """Updates the hypotheses by what the agent saw, heard and was paid in a turn."""
        near, me, agents = sights.near[0], int(sights.me[0]), range(sights.settings.agents)
        says = self._speech(sights.settings, self.known, near)
        recharged = self.known.all(-1) & (sights.positions[0] == sights.bases[0]).all(-1)
        was_known, own_before = self.known, self.known[0, me].copy()
        told = np.zeros_like(self.known)
        source = np.arange(len(self.weights))
        for speaker in agents:
            listeners = near[speaker]
            if could_hear(sights)[0, speaker]:
                piece = int(sights.heard[0, speaker])
                if piece != SILENT:
                    expected = says[source, speaker, piece] if speaker != me else 1.0
                    self.weights = self.weights * np.maximum(expected, UNEXPECTED)
                    told[:, listeners, piece] = True
                    told[:, speaker, piece] = True
            elif listeners.any():
                source, told = self._branch(says[source, speaker], source, told, listeners)
        before = was_known[source]
        self._weigh_by_reward(sights, before, near[me], own_before, bool(recharged[source][0, me]))
        known = (before | told) & ~recharged[source][..., None] | sights.first_hand[0]
        known[:, me] = sights.knows[0]
        self._merge(known)

    def _branch(
        self, says: Weights, source: npt.NDArray[np.intp], told: Bools, listeners: Bools
    ) -> tuple[npt.NDArray[np.intp], Bools]:
        """Splits each hypothesis by what an unheard agent may have said; draws one piece each if these are too many.

        says: (H, c), the probability that the agent says each piece. source: (H,), the hypothesis before the turn from
        which each one comes. told: (H, n, c), what each agent was told in the turn. Returns the new source and told.
        """
        possible = says > 0
        possible[~possible.any(-1), 0] = True
        if possible.sum() <= MOST_HYPOTHESES:
            parents, pieces = np.nonzero(possible)
            chances = says[parents, pieces]
            self.weights = self.weights[parents] * np.where(chances > 0, chances, 1.0)
        else:
            self.is_exact = False
            parents = self._resample() if len(self.weights) > PARTICLES else np.arange(len(self.weights))
            passed = np.cumsum(says[parents], -1) < self._rng.random(len(parents))[:, None]
            pieces = np.minimum(passed.sum(-1), says.shape[-1] - 1)
        told = told[parents]
        for listener in np.flatnonzero(listeners):
            told[np.arange(len(parents)), listener, pieces] |= says[parents, pieces] > 0
        return source[parents], told

    def _resample(self) -> npt.NDArray[np.intp]:
        """Draws the indices of `PARTICLES` hypotheses by weight (systematic resampling); then all weigh the same."""
        marks = (np.arange(PARTICLES) + self._rng.random()) / PARTICLES
        places = np.searchsorted(np.cumsum(self.weights / self.weights.sum()), marks).clip(0, len(self.weights) - 1)
        self.weights = np.full(PARTICLES, 1 / PARTICLES)
        return places

    def _weigh_by_reward(self, sights: Sights, before: Bools, near: Bools, own: Bools, recharged: bool) -> None:
        """Weighs hypotheses by the number of listeners to whom the agent's piece was new, which its reward implies."""
        me, settings = int(sights.me[0]), sights.settings
        said = int(sights.heard[0, me])
        if said == SILENT or settings.is_competitive:
            return
        heard = [int(piece) for piece in np.delete(sights.heard[0], me) if piece != SILENT]
        news = sum(not own[piece] for piece in (heard if settings.has_published_rules else set(heard)))
        taught = int(sights.reward[0]) - news - (settings.recharge_reward if recharged else 0)
        lacking = (~before[:, near, said]).sum(-1)
        self.weights = self.weights * np.where(lacking == taught, 1.0, UNEXPECTED)

    def _merge(self, known: Bools) -> None:
        """Merges equal hypotheses, and drops those of negligible weight."""
        packed = np.packbits(known.reshape(len(known), -1), axis=1)
        _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        weights = np.bincount(group.reshape(-1), self.weights / self.weights.sum())
        is_kept = weights > UNEXPECTED**2
        self.known, self.weights = known[first][is_kept], weights[is_kept] / weights[is_kept].sum()
