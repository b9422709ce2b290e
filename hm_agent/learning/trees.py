"""Trees of arrays, such as an optimiser's state, as named arrays that a checkpoint can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt


def tree_arrays(name: str, tree: Any) -> dict[str, npt.NDArray[Any]]:
    """Returns the leaves of a tree as NAME/0, NAME/1, ..."""
    return {f"{name}/{at}": np.asarray(leaf) for at, leaf in enumerate(jax.tree.leaves(tree))}


def restored(name: str, like: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Restores the tree whose `tree_arrays` these are. like: a tree of the same structure."""
    leaves, form = jax.tree.flatten(like)
    return jax.tree.unflatten(form, [jnp.asarray(arrays[f"{name}/{at}"]) for at in range(len(leaves))])


def is_finite(values: Any) -> bool:
    """True if all floating-point numbers of a tree are finite, e.g. of a learner's state with its optimiser."""
    leaves = [leaf for leaf in jax.tree.leaves(values) if jnp.issubdtype(leaf.dtype, jnp.floating)]
    return all(np.isfinite(np.asarray(leaf)).all() for leaf in leaves)
