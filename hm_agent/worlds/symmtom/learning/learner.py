"""The interface between training runs and learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import numpy.typing as npt

from hm_agent.learning.layers import Array, Weights

StateT = TypeVar("StateT")


class Learner(Protocol[StateT]):
    """Learns in updates; a state is all that one update hands to the next.

    update: (state, key) → the state after it, the mean reward per agent and episode by the weights before it, and the
    mean loss.
    """

    update: Callable[[StateT, Array], tuple[StateT, Array, Array]]

    def begin(self, seed: int) -> StateT:
        """The state before the first update."""
        ...

    def weights(self, state: StateT) -> Weights:
        """The weights that play."""
        ...

    def arrays(self, state: StateT) -> dict[str, npt.NDArray[Any]]:
        """The arrays that `resumed` needs besides the weights."""
        ...

    def resumed(self, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]]) -> StateT:
        """Restores, bit for bit, the state from which these weights and arrays were taken."""
        ...
