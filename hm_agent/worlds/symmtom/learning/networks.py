"""The networks of agents that PPO trains, for NumPy and JAX alike: one set of weights that all agents of a game share.

    pieces (c, p) ─ relu ─▶ e (c, E) ─ mean ─┐                      ┌▶ 5 directions
    general (g) ─────────────────────────────┴▶ relu ─▶ relu ─▶ h ──┼▶ value
                                                    (or a GRU)      └▶ with each e: relu ─▶ one number for its piece

The same weights read and judge every piece, so that renaming pieces does not change play. The sizes of weights depend
on the number of agents, not on that of pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hm_agent.learning.layers import Array, Weights, gru, linear, orthogonal_layers, relu
from hm_agent.worlds.symmtom.fast.observations import (
    DIRECTIONS,
    EgoView,
    action_masks,
    general_size,
    observe,
    piece_size,
)
from hm_agent.worlds.symmtom.rules import Bools
from hm_agent.worlds.symmtom.settings import GameSettings

IMPOSSIBLE = -1e9
"""The logit of what an action mask forbids."""


class Logits(NamedTuple):
    """directions: (..., 5). pieces: (..., c). memory: (..., M), to be passed to the next turn."""

    directions: Array
    pieces: Array
    memory: Array


class Network(Protocol):
    """The shape of a network that plays: a frozen dataclass, so that a checkpoint can hold it."""

    @property
    def hidden(self) -> int: ...

    def initial_weights(self, settings: GameSettings, seed: int) -> dict[str, npt.NDArray[np.float32]]: ...

    def no_memory(self, settings: GameSettings, agents: int) -> Array:
        """(agents, M): the memories at the beginning of a game."""
        ...

    def play(
        self, settings: GameSettings, weights: Weights, view: EgoView, me: npt.NDArray[np.intp], memory: Array
    ) -> Logits:
        """Returns the logits of R agents, in NumPy. view: theirs, (R, ...). me: (R,), their numbers."""
        ...

    def believed(self, settings: GameSettings, me: npt.NDArray[np.intp], memory: Array) -> Bools | None:
        """(R, n, c): the K that memories hold; None, as by default, if the network does not estimate K."""
        return None


@dataclass(frozen=True)
class Shape(Network):
    """The shape of PPO's networks.

    hidden: units of the layers of h. piece: units of e. is_recurrent: True for a GRU as the last layer of h.
    """

    hidden: int = 64
    piece: int = 32
    is_recurrent: bool = False

    def initial_weights(self, settings: GameSettings, seed: int) -> dict[str, npt.NDArray[np.float32]]:
        """Draws orthogonal matrices, with small scales before the logits, and zero biases."""
        rng, h, e = np.random.default_rng(seed), self.hidden, self.piece
        sizes = {
            "pieces": (piece_size(settings), e, 2**0.5),
            "first": (general_size(settings) + e, h, 2**0.5),
            "second": (h, h, 2**0.5),
            "directions": (h, DIRECTIONS, 0.01),
            "value": (h, 1, 1.0),
            "judge_piece": (e, e, 1.0),
            "judge_h": (h, e, 1.0),
            "judgement": (e, 1, 0.01),
        }
        if self.is_recurrent:
            sizes |= {"gru_input": (h, 3 * h, 1.0), "gru_memory": (h, 3 * h, 1.0)}
        return orthogonal_layers(rng, sizes)

    def no_memory(self, settings: GameSettings, agents: int) -> Array:
        return np.zeros((agents, self.hidden), np.float32)

    def play(
        self, settings: GameSettings, weights: Weights, view: EgoView, me: npt.NDArray[np.intp], memory: Array
    ) -> Logits:
        masks = action_masks(np, settings, view)
        return Logits(*forward(np, settings, weights, observe(np, settings, view), masks, memory)[:3])


class Output(NamedTuple):
    """directions: (..., 5) logits. pieces: (..., c) logits. memory: (..., H), for the next turn. value: (...)."""

    directions: Array
    pieces: Array
    memory: Array
    value: Array


def forward(
    xp: Any, settings: GameSettings, weights: Weights, observations: Array, masks: tuple[Array, Array], memory: Array
) -> Output:
    """Applies the network.

    observations: (..., D). masks: (..., 5) and (..., c) bool. memory: (..., H), zeros at the beginning of a game.
    """
    general = observations[..., : general_size(settings)]
    rows = observations[..., general_size(settings) :]
    rows = rows.reshape(*rows.shape[:-1], settings.pieces, piece_size(settings))
    pieces = relu(xp, linear(weights, "pieces", rows))
    h = relu(xp, linear(weights, "first", xp.concatenate([general, pieces.mean(-2)], -1)))
    h = relu(xp, linear(weights, "second", h))
    if "gru_input" in weights:
        h = memory = gru(xp, linear(weights, "gru_input", h), linear(weights, "gru_memory", memory), memory)
    judged = relu(xp, linear(weights, "judge_piece", pieces) + linear(weights, "judge_h", h)[..., None, :])
    return Output(
        directions=xp.where(masks[0], linear(weights, "directions", h), IMPOSSIBLE),
        pieces=xp.where(masks[1], linear(weights, "judgement", judged)[..., 0], IMPOSSIBLE),
        memory=memory,
        value=linear(weights, "value", h)[..., 0],
    )
