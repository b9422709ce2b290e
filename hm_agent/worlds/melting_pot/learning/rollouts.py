"""What actors play and learners learn from: arrays in memory that processes share, which no name outlives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hm_agent.learning.layers import Array
from hm_agent.worlds.melting_pot.learning.player_network import PlayerShape

Shapes = Mapping[str, tuple[tuple[int, ...], type]]
"""The shape and the type of each array."""


class Rollout(NamedTuple):
    """T steps of S seats, (T, S, ...), of NumPy or JAX.

    begins: True where the memory begins anew. chance: the log-probability of the actions when they were drawn. values:
    those that the network estimated then, and `after`, (S,), the last step. goes_on: False where the step ended an
    episode. memory: (S, H), before the first step.
    """

    cells: Array
    numbers: Array
    begins: Array
    actions: Array
    chance: Array
    values: Array
    rewards: Array
    goes_on: Array
    after: Array
    memory: Array

    def of_seats(self, seats: Any) -> Rollout:
        """The part of some seats, by index or slice."""
        stepped = {name: getattr(self, name)[:, seats] for name in self._fields if name not in UNSTEPPED}
        return self._replace(**stepped, after=self.after[seats], memory=self.memory[seats])

    def at(self, step: int) -> Rollout:
        """One step, (S, ...), as views of the arrays; `after` and `memory` as they are."""
        return self._replace(**{name: getattr(self, name)[step] for name in self._fields if name not in UNSTEPPED})

    @staticmethod
    def shapes(shape: PlayerShape, steps: int, seats: int) -> Shapes:
        sizes, each = shape.sizes, (steps, seats)
        return {
            "cells": ((*each, sizes.cells, sizes.features), np.uint8),
            "numbers": ((*each, sizes.numbers), np.float32),
            "begins": (each, np.bool_),
            "actions": (each, np.int32),
            **dict.fromkeys(("chance", "values", "rewards"), (each, np.float32)),
            "goes_on": (each, np.bool_),
            "after": ((seats,), np.float32),
            "memory": ((seats, shape.hidden), np.float32),
        }


UNSTEPPED = ("after", "memory")
"""The arrays of a rollout that have no axis of steps."""
SEAT_AXES = Rollout(**{name: int(name not in UNSTEPPED) for name in Rollout._fields})
"""The axis of seats in each array."""


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
        found: dict[str, npt.NDArray[Any]] = {}
        at = 0
        for name, (shape, kind) in self.shapes.items():
            found[name] = np.frombuffer(self.memory, kind, int(np.prod(shape)), at).reshape(shape)
            at += _bytes(shape, kind)
        return found


def _bytes(shape: tuple[int, ...], kind: type) -> int:
    """The bytes of an array, up to where the next one may begin."""
    return -(-int(np.prod(shape)) * np.dtype(kind).itemsize // 64) * 64


def weight_shapes(shape: PlayerShape, population: int) -> Shapes:
    """The weights of all networks, (N, ...) each."""
    return {name: ((population, *size), np.float32) for name, size in shape.weight_sizes().items()}
