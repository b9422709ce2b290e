"""The network of a learned player, for NumPy and JAX alike.

    each cell ─ conv ─ relu ─▶ all cells and numbers ─ relu ─▶ GRU ─┬▶ a logit for each action
                                                                     └▶ value

Its first layer is the convolution with one step a cell that Melting Pot's own agents begin with: of 8 x 8 pixels, or of
a cell's planes. Where theirs have a second convolution (Leibo et al., 2021), a layer here sees the whole window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.learning.layers import Array, InitialWeights, Weights, gru, linear, orthogonal_layers, relu
from hm_agent.worlds.melting_pot.learning.inputs import InputSizes, Sight

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class PlayerShape:
    """The shape of a network. hidden: units of its layers, and of its memory. filters: of the convolution."""

    sight: Sight
    sizes: InputSizes
    hidden: int = 64
    filters: int = 16

    def layers(self) -> dict[str, tuple[int, int, float]]:
        """(rows, columns, scale of the initial weights) by layer."""
        h, sizes = self.hidden, self.sizes
        return {
            "cell": (sizes.features, self.filters, 2**0.5),
            "window": (sizes.cells * self.filters + sizes.numbers, h, 2**0.5),
            "gru_input": (h, 3 * h, 1.0),
            "gru_memory": (h, 3 * h, 1.0),
            "actions": (h, sizes.actions, 0.01),
            "value": (h, 1, 1.0),
        }

    def initial_weights(self, seed: int) -> InitialWeights:
        return orthogonal_layers(np.random.default_rng(seed), self.layers())

    def weight_sizes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by name."""
        layers = self.layers().items()
        matrices = {name: (rows, columns) for name, (rows, columns, _) in layers}
        return {**matrices, **{f"{name}_bias": (columns,) for name, (_, columns, _) in layers}}


class PlayerOutput(NamedTuple):
    """logits: (..., actions). value: (...), in units of the returns' spread. memory: (..., H), for the next step."""

    logits: Array
    value: Array
    memory: Array


def see(xp: Any, shape: PlayerShape, weights: Weights, cells: Array, numbers: Array) -> Array:
    """(..., 3 H): what the GRU is given of a view. cells: (..., cells, features) uint8. numbers: (..., numbers).

    Numbers enter by their logarithm, with their sign, since their size differs between substrates.
    """
    shown = cells.astype(xp.float32) / shape.sizes.brightest
    found = relu(xp, linear(weights, "cell", shown))
    told = xp.sign(numbers) * xp.log1p(abs(numbers))
    h = relu(xp, linear(weights, "window", xp.concatenate([found.reshape(*found.shape[:-2], -1), told], -1)))
    return linear(weights, "gru_input", h)


def remember(xp: Any, weights: Weights, seen: Array, memory: Array) -> Array:
    """The memory after a step. seen: as `see` returns it. memory: (..., H), zeros at the beginning of an episode."""
    return gru(xp, seen, linear(weights, "gru_memory", memory), memory)


def decide(weights: Weights, memory: Array) -> PlayerOutput:
    """What the network makes of the memory after a step."""
    return PlayerOutput(linear(weights, "actions", memory), linear(weights, "value", memory)[..., 0], memory)


class SeatedNetworks:
    """The networks of the population as they play some rows, each by one of them. seated: (R,), by which."""

    def __init__(self, shape: PlayerShape, weights: Weights, seated: Indices) -> None:
        self._shape = shape
        networks = np.unique(seated)
        self._rows = [np.flatnonzero(seated == network) for network in networks]
        self._weights = [{name: value[network].copy() for name, value in weights.items()} for network in networks]

    def play(
        self, cells: npt.NDArray[np.uint8], numbers: npt.NDArray[np.float32], memory: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """(R, actions) logits, (R,) values and (R, H) memories after a view."""
        logits = np.empty((len(memory), self._shape.sizes.actions), np.float32)
        values, after = np.empty(len(memory), np.float32), np.empty_like(memory)
        for rows, weights in zip(self._rows, self._weights, strict=True):
            seen = see(np, self._shape, weights, cells[rows], numbers[rows])
            logits[rows], values[rows], after[rows] = decide(weights, remember(np, weights, seen, memory[rows]))
        return logits, values, after


def draw(logits: npt.NDArray[np.float32], noise: npt.NDArray[np.float64]) -> Indices:
    """Actions by the probabilities of their logits, (R, A). noise: (R, A), from 0 to 1."""
    gumbel = -np.log(-np.log(np.clip(noise, 1e-12, 1 - 1e-12)))
    return np.asarray((logits + gumbel).argmax(-1))
