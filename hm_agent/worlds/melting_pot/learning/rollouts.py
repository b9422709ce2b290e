"""What actors play and learners learn from: arrays in memory that processes share, which no name outlives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.learning.player_network import PlayerShape

Shapes = Mapping[str, tuple[tuple[int, ...], type]]
"""The shape and the type of each array."""


@dataclass(frozen=True)
class SharedArrays:
    """Arrays in one block of memory. It passes to a process that is started, and shares the memory with it.

    The block is a file that was deleted as soon as it was mapped, so that it is freed even if all processes are killed.
    """

    shapes: Shapes
    memory: Any

    @classmethod
    def of(cls, shapes: Shapes) -> Self:
        return cls(shapes, RawArray("B", sum(_bytes(*shape) for shape in shapes.values())))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, as views of the memory."""
        found, at = {}, 0
        for name, (shape, kind) in self.shapes.items():
            count = int(np.prod(shape))
            found[name] = np.frombuffer(self.memory, kind, count, at).reshape(shape)
            at += _bytes(shape, kind)
        return found


def _bytes(shape: tuple[int, ...], kind: type) -> int:
    """The bytes of an array, up to where the next one may begin."""
    return -(-int(np.prod(shape)) * np.dtype(kind).itemsize // 64) * 64


def rollout_shapes(shape: PlayerShape, steps: int, seats: int) -> Shapes:
    """The arrays of T steps of S seats.

    begins: True where the memory begins anew. chance: the log-probability of the actions when they were drawn. values:
    those that the network estimated then, and `after` the last step. memory: (S, H), before the first step. goes_on:
    False where the step ended an episode.
    """
    sizes, each = shape.sizes, (steps, seats)
    return {
        "cells": ((*each, sizes.cells, sizes.features), np.uint8),
        "numbers": ((*each, sizes.numbers), np.float32),
        "begins": (each, np.bool_),
        "actions": (each, np.int32),
        "chance": (each, np.float32),
        "values": (each, np.float32),
        "rewards": (each, np.float32),
        "goes_on": (each, np.bool_),
        "after": ((seats,), np.float32),
        "memory": ((seats, shape.hidden), np.float32),
    }


def weight_shapes(shape: PlayerShape, population: int) -> Shapes:
    """The weights of all networks, (N, ...) each."""
    return {name: ((population, *size), np.float32) for name, size in shape.weight_sizes().items()}
