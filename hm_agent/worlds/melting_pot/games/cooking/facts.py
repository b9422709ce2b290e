"""The facts of kitchens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hm_agent.worlds.melting_pot.facts import GameFacts, Holding, Sprites, Strict

Rooms = Literal["apart", "handover", "shared"]


@dataclass(frozen=True, kw_only=True)
class KitchenSprites(Sprites):
    """Names by sprite.

    stations: what can be used, except bare counters. items: what is held or lies on a counter. bars: a pot's progress.
    landmarks: the beginning of a station's name, by map character, where walls alone don't tell where one is.
    """

    stations: Mapping[str, str]
    items: Mapping[str, str]
    bars: Mapping[str, str]
    landmarks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SoupRecipe(Strict):
    """How soup is made. tomatoes: how many a pot takes. cooking_steps: from a full pot to soup.

    reward: what each player gets for a soup that is delivered.
    """

    tomatoes: int
    cooking_steps: int
    reward: float


@dataclass(frozen=True, kw_only=True)
class KitchenFacts(GameFacts):
    """A kitchen of Collaborative Cooking. items: what a player can hold, in the order of the recipe.

    rooms: a room for each cook, with the pots between them (`apart`); two rooms of which only one has pots, so that
    things are handed over on counters (`handover`); or one room (`shared`).
    """

    game: Literal["cooking"]
    rooms: Rooms
    recipe: SoupRecipe
    items: tuple[Holding, ...]
    sprites: KitchenSprites

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return self.items

    @property
    def kinds(self) -> Mapping[str, str]:
        return self.sprites.stations

    @property
    def landmarks(self) -> Mapping[str, str]:
        return self.sprites.landmarks

    @property
    def marks(self) -> Mapping[str, str]:
        return {**self.sprites.items, **self.sprites.bars}

    @property
    def solid(self) -> tuple[str, ...]:
        return (self.sprites.wall, *self.sprites.stations)
