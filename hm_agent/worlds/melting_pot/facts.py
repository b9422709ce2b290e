"""What is written down of games: frozen dataclasses whose keys are those of the TOML files in scenarios/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from pydantic import ConfigDict

from hm_agent.core import Counts


@dataclass(frozen=True)
class Strict:
    """Refuses keys that it doesn't know."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


READY, INTERACTING = "ready", "interacting"
"""Our words for what avatars wear over their heads in matrix games."""


@dataclass(frozen=True)
class Holding(Strict):
    """Something that an inventory counts. colour: in which recordings show it."""

    name: str
    colour: str = "#8b949e"


@dataclass(frozen=True)
class Resource(Strict):
    """One resource of a matrix game, and the pure strategy it stands for.

    collect_goals, interact_goals: the positions in a puppet's one-hot GOAL that tell it to collect or to play it.
    """

    behaviour: str
    thing: str
    sprite: str
    colour: str = "#8b949e"
    collect_goals: tuple[int, ...] = ()
    interact_goals: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sprites(Strict):
    """What the sprites of a substrate show.

    focal: the focal player's avatar as others see it, where that is a sprite of its own. players: the others'.
    """

    wall: str
    own: str
    focal: str | None = None
    players: Mapping[str, str]
    beams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MatrixSprites(Sprites):
    """ready, interacting: what avatars wear over their heads."""

    ready: str
    interacting: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class KitchenSprites(Sprites):
    """stations: what can be used, but for bare counters. items: what is held or lies there. bars: a pot's progress."""

    stations: Mapping[str, str]
    items: Mapping[str, str]
    bars: Mapping[str, str]


@dataclass(frozen=True)
class Beam(Strict):
    """The interaction beam's reach, in cells ahead and to either side. rest: for so many steps it can't fire again.

    Where a player is told when its beam is ready, no rest need be given.
    """

    length: int
    radius: int
    rest: int = 0


@dataclass(frozen=True)
class Length(Strict):
    """How long an episode lasts, in steps: `least`, and from then on it ends with a chance at `every` so many steps."""

    least: int
    every: int
    chance: float

    def left(self, step: int) -> float:
        """How many steps are to be expected after this one."""
        return max(0, self.least - step) + self.every / self.chance


@dataclass(frozen=True)
class ScenarioFacts(Strict):
    """One scenario of a game. paper: (mean, standard error) of reward by agent, from the paper's table 1."""

    about: str
    paper: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class GameFacts(Strict):
    """All that is written down of any game. reward_per_steps: the paper reports reward for so many.

    walls: the characters of the map that nobody can enter.
    """

    title: str
    substrate: str
    short_name: str
    reward_per_steps: int
    walls: str = "W"
    sprites: Sprites
    length: Length
    beam: Beam
    scenarios: tuple[ScenarioFacts, ...]

    @property
    def holdings(self) -> tuple[Holding, ...]:
        """What an inventory counts, in its order."""
        raise NotImplementedError

    @property
    def kinds(self) -> Mapping[str, str]:
        """Our words for the sprites of what can be taken or used."""
        raise NotImplementedError

    @property
    def marks(self) -> Mapping[str, str]:
        """Our words for the sprites of what is worn, held or shown on top of something."""
        raise NotImplementedError

    @property
    def solid(self) -> tuple[str, ...]:
        """The sprites of what nobody can walk through, but for players."""
        return (self.sprites.wall,)

    def words(self, counts: Counts) -> str:
        """An inventory in words, e.g. `rock 1, paper 6, scissors 1`."""
        return ", ".join(f"{held.name} {count:g}" for held, count in zip(self.holdings, counts, strict=True))


@dataclass(frozen=True, kw_only=True)
class MatrixFacts(GameFacts):
    """A matrix game; payoff rows are one's own pure strategies, columns the others'."""

    game: Literal["matrix"]
    payoff: tuple[tuple[float, ...], ...]
    initial_inventory: int
    resources: tuple[Resource, ...]
    sprites: MatrixSprites

    @property
    def behaviours(self) -> tuple[str, ...]:
        return tuple(resource.behaviour for resource in self.resources)

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(resource.thing for resource in self.resources)

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return tuple(Holding(resource.behaviour, resource.colour) for resource in self.resources)

    @property
    def kinds(self) -> Mapping[str, str]:
        return {resource.sprite: resource.thing for resource in self.resources}

    @property
    def marks(self) -> Mapping[str, str]:
        return {self.sprites.ready: READY} | dict.fromkeys(self.sprites.interacting, INTERACTING)


@dataclass(frozen=True)
class Recipe(Strict):
    """tomatoes: that a pot takes. cooking_steps: until they are soup. reward: to everybody for a soup delivered."""

    tomatoes: int
    cooking_steps: int
    reward: float


@dataclass(frozen=True, kw_only=True)
class KitchenFacts(GameFacts):
    """A kitchen of Collaborative Cooking. items: what one can hold, in the order of the recipe."""

    game: Literal["cooking"]
    recipe: Recipe
    items: tuple[Holding, ...]
    sprites: KitchenSprites

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return self.items

    @property
    def kinds(self) -> Mapping[str, str]:
        return self.sprites.stations

    @property
    def marks(self) -> Mapping[str, str]:
        return {**self.sprites.items, **self.sprites.bars}

    @property
    def solid(self) -> tuple[str, ...]:
        return (self.sprites.wall, *self.sprites.stations)
