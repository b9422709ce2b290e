"""Trained populations: their checkpoints, and how one of their networks plays. It needs neither JAX nor `train`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, FiniteFloat, NonNegativeInt, PositiveInt, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError
from hm_agent.learning.archives import Arrays, check_weights, leaves_of, load_archive, named, save_archive
from hm_agent.worlds.melting_pot.learning.inputs import Sight, eye_for, input_sizes, numbers_of
from hm_agent.worlds.melting_pot.learning.player_network import PlayerShape, SeatedNetworks, draw

LEARNED = Path(__file__).parents[1] / "learned"
"""Where the checkpoints that ship are, by kind; `make learned-players` trains them."""
PUPPETS = "puppets"
VERSION = 1
"""Incremented whenever the network, its inputs or the format of this file change."""


@dataclass(frozen=True)
class Population:
    """Trained networks of one shape.

    against: the scenario whose bots they met, empty if they met each other. weights: (N, ...) each. reward: per player
    and 1,000 steps while it learned last, if it was measured.
    """

    substrate: str
    against: str
    shape: PlayerShape
    weights: Arrays
    reward: float | None = None

    @property
    def size(self) -> int:
        return len(next(iter(self.weights.values())))


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _PopulationFacts:
    """What a checkpoint says of its weights."""

    version: int
    substrate: str
    against: str
    sight: Sight
    hidden: PositiveInt
    filters: PositiveInt
    population: PositiveInt
    reward: FiniteFloat | None
    goals: NonNegativeInt = 0


@cache
def _facts() -> TypeAdapter[_PopulationFacts]:
    return TypeAdapter(_PopulationFacts)


def puppets_path(substrate: str, folder: Path | None) -> Path:
    """The file of a substrate's puppets, in a folder of such or among those that ship."""
    return (folder or LEARNED / PUPPETS) / f"{substrate}.npz"


def save(path: Path, population: Population, extra: Arrays | None = None) -> None:
    """Writes a checkpoint atomically, over any older one. extra: more arrays, e.g. those to resume a run."""
    shape = population.shape
    facts = {
        "version": VERSION,
        **{name: getattr(population, name) for name in ("substrate", "against", "reward")},
        **{name: getattr(shape, name) for name in ("sight", "hidden", "filters")},
        "goals": shape.sizes.goals,
        "population": population.size,
    }
    save_archive(path, facts, {**named("weights", population.weights), **named("extra", extra or {})})


def load(path: Path, substrate: str) -> tuple[Population, Arrays]:
    """Reads a checkpoint and its extra arrays; ConfigError if it is unreadable, or not of this substrate."""
    facts, arrays = load_archive(path, _facts(), "Melting Pot", {"version": (VERSION, "format")})
    if facts.substrate != substrate:
        raise ConfigError(f"{path}: trained for {facts.substrate}; this is {substrate}")
    shape = PlayerShape(facts.sight, input_sizes(substrate, facts.sight, facts.goals), facts.hidden, facts.filters)
    weights = leaves_of("weights", arrays)
    sizes = {name: (facts.population, *size) for name, size in shape.weight_sizes().items()}
    check_weights(path, weights, sizes, substrate)
    return Population(substrate, facts.against, shape, weights, facts.reward), leaves_of("extra", arrays)


class LearnedPlayer:
    """Plays one seat through one episode by one network of a population, which the seed draws."""

    def __init__(self, population: Population, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.number = int(self._rng.integers(population.size))
        """The network that plays."""
        shape = population.shape
        self._networks = SeatedNetworks(shape, population.weights, np.array([self.number]))
        self._eye, self._actions = eye_for(population.substrate, shape.sight), shape.sizes.actions
        self._memory = np.zeros((1, shape.hidden), np.float32)

    def choose(self, view: Mapping[str, npt.NDArray[Any]], reward: float) -> int:
        """The action after a view, drawn from the network's probabilities. reward: since the view before."""
        cells, numbers = self._eye(view["RGB"])[None], numbers_of(view, reward)[None]
        logits, _, self._memory = self._networks.play(cells, numbers, self._memory)
        return int(draw(logits, self._rng.random((1, self._actions)))[0])
