"""Finds each player on a picture of the whole map, in games whose players look different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.facts import FOCAL, GameFacts
from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE, Atlas, Sprite, label_patches
from hm_agent.worlds.melting_pot.scenarios import game_named

Cell = tuple[int, int]


class Avatars:
    """Finds players by their sprites. names: the players' names by sprite. colours: as on the map, by player."""

    def __init__(self, atlas: Atlas, names: Mapping[str, str]) -> None:
        self._atlas, self.players = atlas, tuple(names.values())
        self._by_label = {
            number: names[sprite.name]
            for number, label in enumerate(atlas.labels)
            for sprite in label.sprites
            if sprite.name in names
        }
        patches = {atlas.labels[number].sprites: patch for patch, number in atlas.index.items()}
        self.colours = {name: _main_colour(patches[(Sprite(sprite),)]) for sprite, name in names.items()}

    def places(self, frame: npt.NDArray[np.uint8]) -> Sequence[Cell | None]:
        """The cell (column, row) of each of `players` on a frame of the whole map; None for a player not on it."""
        columns = frame.shape[1] // SPRITE_SIZE
        cells = {
            self._by_label[label]: (place % columns, place // columns)
            for place, label in enumerate(label_patches(frame, self._atlas))
            if label in self._by_label
        }
        return [cells.get(player) for player in self.players]


def _main_colour(patch: bytes) -> str:
    """The most frequent colour of an avatar over black, e.g. #f54141."""
    pixels = [patch[start : start + 3] for start in range(0, len(patch), 3)]
    ((colour, _),) = Counter(pixel for pixel in pixels if any(pixel)).most_common(1)
    return f"#{colour.hex()}"


def avatars_of(game: GameFacts) -> Avatars | None:
    """The avatars of a game's players; None if there are only two, or if they look alike."""
    return None if len(game.sprites.players) < 2 or game.sprites.focal is None else _avatars(game.short_name)


@cache
def _avatars(game_name: str) -> Avatars:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of

    game = game_named(game_name, GameFacts)
    assert game.sprites.focal
    return Avatars(atlas_of(game.substrate), {game.sprites.focal: FOCAL, **game.sprites.players})
