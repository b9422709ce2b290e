"""The facts of common goods: what keeps each going."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hm_agent.worlds.melting_pot.facts import Strict
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts

if TYPE_CHECKING:  # the grid needs numpy, which lists and help do without
    from hm_agent.worlds.melting_pot.grid import Cell


@dataclass(frozen=True)
class River(Strict):
    """A river whose dirt keeps apples from growing.

    places: how many hold dirt or may. depletion: the share of them with dirt from which on nothing grows. growth: the
    chance per step and empty place of the orchard while there is no dirt, falling evenly with the share. orchard: how
    many places apples have. dirties: the chance per step that a place gets dirt, after the first `spared` steps. clean:
    the action that removes dirt, and beam: what it shows. water, grass: the ground of the river and of the orchard.
    """

    places: int
    depletion: float
    growth: float
    orchard: int
    dirties: float
    spared: int
    dirt: str = "dirt"
    clean: str = "fire_clean"
    beam: str = "beam clean"
    water: str = "water"
    grass: str = "grass"

    def growing(self, share: float) -> float:
        """The chance per step that an empty place gets an apple. share: of the places with dirt."""
        return self.growth * max(0.0, 1 - share / self.depletion)


@dataclass(frozen=True)
class GrowingBack(Strict):
    """Apples that grow back beside others.

    chances: per step, by how many apples lie within `radius` of the empty place; the last stands for more, too.
    removed: for how many steps a player that was hit is off the map.
    """

    chances: tuple[float, ...]
    removed: int
    radius: int = 2

    def around(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells within the radius of a cell, itself aside."""
        reach = range(-self.radius, self.radius + 1)
        return tuple(
            (cell[0] + dx, cell[1] + dy) for dx in reach for dy in reach if 0 < dx * dx + dy * dy <= self.radius**2
        )

    def near(self, cell: Cell, apples: Collection[Cell]) -> int:
        """How many of these apples lie within the radius of a cell, the one on it aside."""
        return sum(each in apples for each in self.around(cell))


@dataclass(frozen=True, kw_only=True)
class CommonsFacts(SubstrateFacts):
    """A common good: it has either a river or a regrowth. apple: the word for what pays."""

    game: Literal["commons"]
    river: River | None = None
    regrowth: GrowingBack | None = None
    apple: str = "apple"

    @property
    def grounds(self) -> tuple[str, ...]:
        return (self.river.water, self.river.grass) if self.river else ()

    @property
    def of_engine(self) -> Mapping[str, object]:
        river, regrowth = self.river, self.regrowth
        of_river = river and {
            "AppleGrow.maxAppleGrowthRate": river.growth,
            "AppleGrow.thresholdDepletion": river.depletion,
            "DirtSpawner.dirtSpawnProbability": river.dirties,
            "DirtSpawner.delayStartOfDirtSpawning": river.spared,
        }
        of_regrowth = regrowth and {
            "DensityRegrow.radius": regrowth.radius,
            "DensityRegrow.regrowthProbabilities": list(regrowth.chances),
            "Zapper.framesTillRespawn": regrowth.removed,
        }
        return {**(of_river or {}), **(of_regrowth or {})}
