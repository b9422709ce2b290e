"""The layers of networks, for NumPy and JAX alike: agents learn in JAX, and play in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = Any
"""An array of NumPy or of JAX."""
Weights = Mapping[str, Array]
"""The matrix of a linear layer by the layer's name, and its bias by the name with `_bias`."""
InitialWeights = dict[str, npt.NDArray[np.float32]]


def orthogonal_layers(rng: np.random.Generator, sizes: Mapping[str, tuple[int, int, float]]) -> InitialWeights:
    """Draws orthogonal matrices with zero biases. sizes: (rows, columns, scale) by layer."""
    weights: InitialWeights = {}
    for name, (rows, columns, scale) in sizes.items():
        weights[name] = (_orthogonal(rng, rows, columns) * scale).astype(np.float32)
        weights[f"{name}_bias"] = np.zeros(columns, np.float32)
    return weights


def _orthogonal(rng: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.float64]:
    """Draws a (rows, columns) matrix with orthonormal columns or, if there are more columns than rows, rows."""
    drawn = rng.standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diag(r))
    return q if rows >= columns else q.T


def linear(weights: Weights, name: str, values: Array) -> Array:
    return values @ weights[name] + weights[f"{name}_bias"]


def relu(xp: Any, values: Array) -> Array:
    return xp.maximum(values, 0)


def sigmoid(xp: Any, values: Array) -> Array:
    return 1 / (1 + xp.exp(-values))


def gru(xp: Any, new: Array, old: Array, memory: Array) -> Array:
    """One step of a gated recurrent unit. new, old: (..., 3 H), the linear layers of the input and of the memory."""
    size = memory.shape[-1]
    parts = [(new[..., at : at + size], old[..., at : at + size]) for at in range(0, 3 * size, size)]
    reset, update = (sigmoid(xp, from_input + from_memory) for from_input, from_memory in parts[:2])
    candidate = xp.tanh(parts[2][0] + reset * parts[2][1])
    return update * memory + (1 - update) * candidate
