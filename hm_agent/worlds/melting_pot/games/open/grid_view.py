"""What a frame of any substrate shows, in words, by the names that its configuration has for sprites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from hm_agent.worlds.melting_pot.grid import Window
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label
from hm_agent.worlds.melting_pot.perception.sprites import Pixels, Sprite, components, game_objects

GROUND_LAYER = "background"
SELF, GROUND, NOTHING, UNEXPLAINED = "@", ".", " ", "?"
PLAYERS = digits + ascii_uppercase[:16]
"""The character of a player that can be told from others, by its slot."""
ANYBODY = "&%$#!~^*=+"
"""The characters of players that can't be told from others, each for a facing and what is with them."""
THINGS = ascii_lowercase + ascii_uppercase[16:] + "".join(map(chr, range(0x3B1, 0x3CA)))
"""The characters of all else, the most readable first."""
FACING = ("up", "right", "down", "left")
"""A player's facing on the frame, by the quarter turns of its sprite."""
SEVERAL = "a player"
"""The name of players that a player can't tell from one another."""


@dataclass(frozen=True)
class GridView:
    """The frames of the player of one slot, in words.

    window: what it sees around it. own: the sprites that it sees itself as. players: the slots of the others by the
    sprites that it sees them as, None for a sprite of several. words: of all sprites. ground: the sprites of the
    ground, which are told only where nothing else is. looks: the sprites of players whose words are told, too.
    """

    atlas: Atlas
    window: Window
    own: frozenset[str]
    players: Mapping[str, int | None]
    words: Mapping[str, str]
    ground: frozenset[str]
    looks: frozenset[str] = frozenset()

    @classmethod
    @cache
    def of(cls, substrate: str, slot: int) -> GridView:
        """The view of the player of a slot in a substrate's usual line-up; found out once per process."""
        from hm_agent.worlds.melting_pot.simulator.substrate import (
            atlas_of,
            avatars_in,
            default_layers,
            default_settings,
            window_of,
        )

        settings = default_settings(substrate)
        avatars = list(avatars_in(settings))
        sees_as = _sprite_map(avatars[slot])
        atlas = atlas_of(substrate)
        seen = [atlas.alike(sees_as.get(name, name) for name in _sprites(avatar)) for avatar in avatars]
        worn = Counter(name for sprites in seen for name in sprites)
        players = {
            name: other if worn[name] == 1 else None
            for other, sprites in enumerate(seen)
            if other != slot
            for name in sprites
        }
        ground = (layer for layer in default_layers(substrate) if layer.name == GROUND_LAYER)
        return cls(
            atlas,
            window_of(avatars[slot]),
            own=seen[slot],
            players=players,
            words=_words(settings, atlas.sprites),
            ground=frozenset(sprite.name for layer in ground for sprite, _ in layer.pictures),
        )

    def naming(self, names: Mapping[str, str]) -> GridView:
        """The same view with other words for some sprites. names: these words by sprite, of players, too."""
        return replace(self, words={**self.words, **names}, looks=frozenset(names))

    @property
    def things(self) -> frozenset[str]:
        """The words for all that it may show, players aside."""
        silent = (self.own | self.players.keys()) - self.looks
        return frozenset(self.words[sprite.name] for sprite in self.atlas.sprites if sprite.name not in silent)

    def describe(self, rgb: Pixels) -> str:
        """The frame as a grid of characters with the player at `@`, facing up, and what each character stands for."""
        labels, columns = self.atlas.label(rgb), self.window.columns
        legend: dict[str, str] = {}
        cells = [self._symbol(number, label, legend) for number, label in enumerate(labels)]
        rows = ["".join(cells[start : start + columns]).rstrip() for start in range(0, len(cells), columns)]
        number = labels[self.window.own_index]
        own = Label() if number == UNKNOWN else self.atlas.labels[number]
        size = f"{columns} wide and {self.window.rows} high"
        is_shown = any(sprite.name in self.own for sprite in own.sprites)
        head = f"Your view, {size}; you are {SELF} and face up{'' if is_shown else ', but your avatar does not show'}:"
        here = [f"{SELF}: with {things}"] if (things := self._things(own)) else []
        return "\n".join([head, *rows, *here, *(f"{symbol}: {words}" for words, symbol in legend.items())])

    def _symbol(self, number: int, label_number: int, legend: dict[str, str]) -> str:
        """The character of a cell; what it stands for is entered in the legend, if that must be said."""
        if number == self.window.own_index:
            return SELF
        if label_number == UNKNOWN:
            return legend.setdefault("nothing that is known", UNEXPLAINED)
        label = self.atlas.labels[label_number]
        player = next((sprite for sprite in reversed(label.sprites) if sprite.name in self.players), None)
        things = self._things(label)
        if player:
            slot = self.players[player.name]
            who = SEVERAL if slot is None else f"player_{slot}"
            words = f"{who} facing {FACING[player.turns]}" + (f", with {things}" if things else "")
            return legend.setdefault(words, _unused(ANYBODY, legend) if slot is None else PLAYERS[slot])
        if not things:
            ground = next((self.words[sprite.name] for sprite in label.sprites if sprite.name in self.ground), None)
            if ground is None:
                return NOTHING if self.ground else GROUND
            if GROUND not in legend.values():
                legend[ground] = GROUND
            things = ground
        return legend.get(things) or legend.setdefault(things, _unused(THINGS, legend))

    def _things(self, label: Label) -> str:
        """What lies in a cell beside ground and players, from top to bottom."""
        silent = (self.own | self.players.keys() | self.ground) - self.looks
        return " on ".join(self.words[sprite.name] for sprite in reversed(label.sprites) if sprite.name not in silent)


def _unused(symbols: str, legend: Mapping[str, str]) -> str:
    """The first of these characters that a legend doesn't have; the last if it has all."""
    return next((symbol for symbol in symbols if symbol not in legend.values()), symbols[-1])


@cache
def readable(sprite: str) -> str:
    """A sprite's name in words: `UnripeBerry_2` is "unripe berry 2"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", sprite).lower()
    return re.sub(r"^sprite for | ?sprite", "", apart).strip()


def _sprite_map(avatar: Mapping[str, Any]) -> Mapping[str, str]:
    sees_as: Mapping[str, str] = next(components(avatar, "Avatar")).get("spriteMap", {})
    return sees_as


def _sprites(avatar: Mapping[str, Any]) -> Iterator[str]:
    """The sprites of an avatar's states."""
    for kwargs in components(avatar, "StateManager"):
        yield from (state["sprite"] for state in kwargs["stateConfigs"] if state.get("sprite"))


def _words(settings: Mapping[str, Any], sprites: Iterable[Sprite]) -> Mapping[str, str]:
    """What every sprite is called. The pictures of one moving thing have one name, that of the first without number."""
    words = {sprite.name: readable(sprite.name) for sprite in sprites}
    for game_object in game_objects(settings):
        if any(True for _ in components(game_object, "Animation")):
            words |= {name: readable(name.rstrip("0123456789")) for name in _sprites(game_object)}
    return words
