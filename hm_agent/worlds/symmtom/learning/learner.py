"""What a training run needs of a learner, whatever it learns with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from hm_agent.worlds.symmtom.learning.networks import Array, Weights

StateT = TypeVar("StateT")


class Learner(Protocol[StateT]):
    """Learns in updates; a state is all that one update hands to the next.

    update: (state, key) → the state after it, the mean reward per agent and episode before it, and its mean loss.
    """

    update: Callable[[StateT, Array], tuple[StateT, Array, Array]]

    def begin(self, seed: int) -> StateT:
        """The state before the first update."""
        ...

    def weights(self, state: StateT) -> Weights:
        """What plays."""
        ...

    def arrays(self, state: StateT) -> dict[str, npt.NDArray[Any]]:
        """All that `resumed` needs besides the weights."""
        ...

    def resumed(self, weights: Weights, arrays: Mapping[str, npt.NDArray[Any]]) -> StateT:
        """The state that these weights and arrays are of, to the bit."""
        ...


def tree_arrays(name: str, tree: Any) -> dict[str, npt.NDArray[Any]]:
    """The leaves of a tree: NAME/0, NAME/1, ..."""
    return {f"{name}/{at}": np.asarray(leaf) for at, leaf in enumerate(jax.tree.leaves(tree))}


def restored(name: str, like: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """The tree whose `tree_arrays` these are. like: a tree of the same form."""
    leaves, form = jax.tree.flatten(like)
    return jax.tree.unflatten(form, [jnp.asarray(arrays[f"{name}/{at}"]) for at in range(len(leaves))])


def leaves_of(name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The arrays NAME/..., without this beginning."""
    return {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}
