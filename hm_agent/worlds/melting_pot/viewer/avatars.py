"""Finds each player on a picture of the whole map, in games whose players look different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Pixels, Sprite
from hm_agent.worlds.melting_pot.scenarios import game_named

Cell = tuple[int, int]
MOST_UNNAMED = 2
"""The most players whose names pictures leave out."""


class Avatars:
    """Finds players by their sprites. names: the players' names by sprite. colours: as on the map, by player."""

    def __init__(self, atlas: Atlas, names: Mapping[str, str]) -> None:
        self._atlas, self._names, self.players = atlas, names, tuple(dict.fromkeys(names.values()))
        first = {name: sprite for sprite, name in reversed(list(names.items()))}
        self.colours = {name: _main_colour(atlas.picture(Sprite(first[name]))) for name in self.players}

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
    return _avatars(game.short_name)


@cache
def _avatars(game_name: str) -> Avatars | None:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of

    game = game_named(game_name, GameFacts)
    worn = kind_of(game).worn(game)
    return Avatars(atlas_of(game.substrate), worn) if len(set(worn.values())) > MOST_UNNAMED else None
