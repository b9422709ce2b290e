"""Finds the players that look different from all others on a picture of the whole map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from functools import cache

from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.sprites import Pixels, Sprite
from hm_agent.worlds.melting_pot.scenarios import game_named

Colour = tuple[int, ...]


class Avatars:
    """Finds players by their sprites. names: the players' names by sprite. colours: as on the map, by player."""

    def __init__(self, atlas: Atlas, names: Mapping[str, str]) -> None:
        self._atlas, self._names = atlas, names
        worn: dict[str, Counter[Colour]] = {name: Counter() for name in names.values()}
        for sprite, name in names.items():
            worn[name].update(map(tuple, atlas.picture(Sprite(sprite)).reshape(-1, 3).tolist()))
        shared = set.intersection(*map(set, worn.values())) if len(worn) > 1 else set()
        self.colours = {name: _main_colour(own, shared) for name, own in worn.items()}

    def places(self, frame: Pixels) -> Mapping[str, Cell]:
        """The cell (column, row) on a frame of the whole map of each player that shows there."""
        return {name: cell for cell, name in self._atlas.places(frame, self._names).items()}


def _main_colour(own: Counter[Colour], shared: Set[Colour]) -> str:
    """The most frequent colour of an avatar but black, e.g. #f54141; one that not all players share, if any."""
    colours = [colour for colour, _ in own.most_common() if any(colour)]
    return f"#{bytes(next((each for each in colours if each not in shared), colours[0])).hex()}"


def avatars_of(game: GameFacts) -> Avatars:
    """The avatars of a game's players."""
    return _avatars(game.short_name)


@cache
def _avatars(game_name: str) -> Avatars:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of

    game = game_named(game_name, GameFacts)
    return Avatars(atlas_of(game.substrate), kind_of(game).worn(game))
