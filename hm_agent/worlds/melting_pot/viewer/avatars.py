"""Finds each player on a picture of the whole map, in games whose players look different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from hm_agent.worlds.melting_pot.facts import FOCAL, GameFacts
from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Pixels, Sprite
from hm_agent.worlds.melting_pot.scenarios import game_named

Cell = tuple[int, int]


class Avatars:
    """Finds players by their sprites. names: the players' names by sprite. colours: as on the map, by player."""

    def __init__(self, atlas: Atlas, names: Mapping[str, str]) -> None:
        self._atlas, self._names, self.players = atlas, names, tuple(names.values())
        self.colours = {name: _main_colour(atlas.picture(Sprite(sprite))) for sprite, name in names.items()}

    def places(self, frame: Pixels) -> Sequence[Cell | None]:
        """The cell (column, row) of each of `players` on a frame of the whole map; None for a player not on it."""
        columns, labels = frame.shape[1] // SPRITE_SIZE, self._atlas.labels
        cells = {
            self._names[sprite.name]: (place % columns, place // columns)
            for place, label in enumerate(self._atlas.label(frame))
            for sprite in labels[label].sprites
            if sprite.name in self._names
        }
        return [cells.get(player) for player in self.players]


def _main_colour(picture: Pixels) -> str:
    """The most frequent colour of an avatar over black, e.g. #f54141."""
    pixels = map(tuple, picture.reshape(-1, 3).tolist())
    ((colour, _),) = Counter(pixel for pixel in pixels if any(pixel)).most_common(1)
    return f"#{bytes(colour).hex()}"


def avatars_of(game: GameFacts) -> Avatars | None:
    """The avatars of a game's players; None if there are only two, or if they look alike."""
    return None if len(game.sprites.players) < 2 or game.sprites.focal is None else _avatars(game.short_name)


@cache
def _avatars(game_name: str) -> Avatars:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of

    game = game_named(game_name, GameFacts)
    assert game.sprites.focal
    return Avatars(atlas_of(game.substrate), {game.sprites.focal: FOCAL, **game.sprites.players})
