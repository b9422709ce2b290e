"""The interface between training runs and learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from hm_agent.learning.layers import Array, Weights
from hm_agent.learning.progress import Resumable

StateT = TypeVar("StateT")


class Learner(Resumable[StateT], Protocol[StateT]):
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
