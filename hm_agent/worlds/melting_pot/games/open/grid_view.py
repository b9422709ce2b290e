"""What a frame of any substrate shows, in words, by the names that its configuration has for sprites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from hm_agent.worlds.melting_pot.facts import seat_of, slot_of
from hm_agent.worlds.melting_pot.games.open.known_map import alive_look
from hm_agent.worlds.melting_pot.grid import Window
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas
from hm_agent.worlds.melting_pot.perception.sprites import (
    SPRITE_SIZE,
    Pixels,
    Sprite,
    beam_sprites,
    components,
    game_objects,
    states_of,
)

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
PERHAPS = "perhaps {}"
"""The name of what nothing explains, by that of what looks most like it."""
SEVERAL = "a player"
"""The name of players that a player can't tell from one another."""


@dataclass(frozen=True, slots=True)
class CellShown:
    """What a cell shows to one player.

    player: the name of another player there, turns: the quarter turns clockwise from up that it faces on the frame.
    is_own: True if the own avatar is there. things: what lies there beside players and ground, from top to bottom.
    solid: those of them that no player can enter. effects: the beams and hands there. ground: what the ground is.
    is_unknown: True if no combination of sprites looks like it; then, things are a guess.
    """

    player: str | None = None
    turns: int = 0
    is_own: bool = False
    things: tuple[str, ...] = ()
    solid: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ground: str | None = None
    is_unknown: bool = False


@dataclass(frozen=True)
class GridView:
    """The frames of the player of one slot, in words.

    window: what it sees around it. own: the sprites that it sees itself as. players: the slots of the others by the
    sprites that it sees them as, None for a sprite of several. words: of all sprites. ground: the sprites of the
    ground, which are told only where nothing else is. solid: the sprites on the layer that the avatar itself is on.
    effects: those of beams and hands. looks: the sprites of players whose words are told, too.
    """

    atlas: Atlas
    window: Window
    own: frozenset[str]
    players: Mapping[str, int | None]
    words: Mapping[str, str]
    ground: frozenset[str]
    solid: frozenset[str]
    effects: frozenset[str]
    looks: frozenset[str] = frozenset()
    _known: list[CellShown] = field(default_factory=list)
    """What each label of the atlas shows, as far as it has been asked for."""

    @classmethod
    @cache
    def of(cls, substrate: str, slot: int, roles: tuple[str, ...] = ()) -> GridView:
        """The view of the player of a slot; found out once per process. roles: all players'; empty for the usual."""
        from hm_agent.worlds.melting_pot.simulator.substrate import (
            atlas_of,
            avatars_in,
            default_layers,
            settings_with,
            usual_roles,
            window_of,
        )

        settings = settings_with(substrate, roles or usual_roles(substrate))
        layers, avatars = default_layers(substrate), list(avatars_in(settings))
        sees_as = next(components(avatars[slot], "Avatar")).get("spriteMap", {})
        atlas = atlas_of(substrate)
        seen = [atlas.alike(sees_as.get(name, name) for name in _sprites(avatar)) for avatar in avatars]
        worn = Counter(name for other, sprites in enumerate(seen) if other != slot for name in sprites)
        players = {
            name: other if worn[name] == 1 else None
            for other, sprites in enumerate(seen)
            if other != slot
            for name in sprites
        }
        by_layer = {layer.name: frozenset(sprite.name for sprite, _ in layer.pictures) for layer in layers}
        return cls(
            atlas,
            window_of(avatars[slot]),
            own=seen[slot],
            players=players,
            words=_words(settings, atlas.sprites),
            ground=by_layer.get(GROUND_LAYER, frozenset()),
            solid=by_layer.get(alive_look(avatars[slot]).layer, frozenset()),
            effects=beam_sprites(settings),
        )

    def naming(self, names: Mapping[str, str]) -> GridView:
        """The same view with other words for some sprites. names: these words by sprite, of players, too."""
        if not names:
            return self
        return replace(self, words={**self.words, **names}, looks=frozenset(names), _known=[])

    @property
    def things(self) -> frozenset[str]:
        """The words for all that it may show, players aside."""
        silent = (self.own | self.players.keys()) - self.looks
        return frozenset(self.words[sprite.name] for sprite in self.atlas.sprites if sprite.name not in silent)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other players, in the order of slots; those that look alike share one, which comes last."""
        told = sorted({slot for slot in self.players.values() if slot is not None})
        alike = [SEVERAL] if None in self.players.values() else []
        return *(_name(slot) for slot in told), *alike

    @property
    def solid_words(self) -> frozenset[str]:
        """The words of all things that no player can enter."""
        return frozenset(self.words[name] for name in self.solid - self.own - self.players.keys())

    def shown(self, label_number: int) -> CellShown:
        """What a cell with this label of the atlas shows."""
        while len(self._known) <= label_number:
            self._known.append(self._shown(len(self._known)))
        return self._known[label_number]

    def guessed(self, rgb: Pixels, number: int) -> CellShown:
        """What a cell of a frame that nothing explains may show, by the known picture that looks most like it."""
        top, left = (SPRITE_SIZE * each for each in divmod(number, self.window.columns))
        shown = self.shown(self.atlas.nearest(rgb[top : top + SPRITE_SIZE, left : left + SPRITE_SIZE]))
        likely = shown.player or next(iter(shown.things), None)
        return CellShown(things=(PERHAPS.format(likely),) if likely else (), is_unknown=True)

    def _shown(self, label_number: int) -> CellShown:
        if label_number == UNKNOWN:
            return CellShown(is_unknown=True)
        sprites = list(reversed(self.atlas.labels[label_number].sprites))
        player = next((sprite for sprite in sprites if sprite.name in self.players), None)
        silent = ((self.own | self.players.keys() | self.ground) - self.looks) | self.effects
        things = [sprite.name for sprite in sprites if sprite.name not in silent]
        return CellShown(
            player=_name(self.players[player.name]) if player else None,
            turns=player.turns if player else 0,
            is_own=any(sprite.name in self.own for sprite in sprites),
            things=tuple(self.words[name] for name in things),
            solid=tuple(self.words[name] for name in things if name in self.solid),
            effects=tuple(self.words[sprite.name] for sprite in sprites if sprite.name in self.effects),
            ground=next((self.words[sprite.name] for sprite in sprites if sprite.name in self.ground), None),
        )

    def describe(self, rgb: Pixels) -> str:
        """The frame as a grid of characters with the player at `@`, facing up, and what each character stands for."""
        labels, columns = self.atlas.label(rgb), self.window.columns
        legend: dict[str, str] = {}
        shown = [
            self.guessed(rgb, number) if label == UNKNOWN else self.shown(label) for number, label in enumerate(labels)
        ]
        cells = [self._symbol(number, cell, legend) for number, cell in enumerate(shown)]
        rows = ["".join(cells[start : start + columns]).rstrip() for start in range(0, len(cells), columns)]
        own = self.shown(labels[self.window.own_index])
        size = f"{columns} wide and {self.window.rows} high"
        unseen = "" if own.is_own else ", but your avatar does not show"
        head = f"Your view, {size}; you are {SELF} and face up{unseen}:"
        here = [f"{SELF}: with {things}"] if (things := _stacked(own)) else []
        return "\n".join([head, *rows, *here, *(f"{symbol}: {words}" for words, symbol in legend.items())])

    def _symbol(self, number: int, cell: CellShown, legend: dict[str, str]) -> str:
        """The character of a cell; what it stands for is entered in the legend, if that must be said."""
        if number == self.window.own_index:
            return SELF
        if cell.is_unknown and not cell.things:
            return legend.setdefault("nothing that is known", UNEXPLAINED)
        things = _stacked(cell)
        if cell.player:
            words = f"{cell.player} facing {FACING[cell.turns]}" + (f", with {things}" if things else "")
            is_told = cell.player != SEVERAL
            symbol = PLAYERS[slot_of(cell.player)] if is_told else _unused(ANYBODY, legend)
            return legend.setdefault(words, symbol)
        if not things:
            if cell.ground is None:
                return NOTHING if self.ground else GROUND
            if GROUND not in legend.values():
                legend[cell.ground] = GROUND
            things = cell.ground
        return legend.get(things) or legend.setdefault(things, _unused(THINGS, legend))


def _stacked(cell: CellShown) -> str:
    """What lies in a cell beside ground and players, in words, beams first."""
    return " on ".join((*cell.effects, *cell.things))


def _name(slot: int | None) -> str:
    return SEVERAL if slot is None else seat_of(slot)


def worn_sprites(substrate: str) -> Mapping[str, str]:
    """The players' names by the sprites that only one of them wears on the whole map."""
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of, avatars_in, default_settings

    atlas = atlas_of(substrate)
    worn = [atlas.alike(_sprites(avatar)) for avatar in avatars_in(default_settings(substrate))]
    wearers = Counter(sprite for sprites in worn for sprite in sprites)
    return {
        sprite: _name(slot) for slot, sprites in enumerate(worn) for sprite in sorted(sprites) if wearers[sprite] == 1
    }


def _unused(symbols: str, legend: Mapping[str, str]) -> str:
    """The first of these characters that a legend doesn't have; the last if it has all."""
    return next((symbol for symbol in symbols if symbol not in legend.values()), symbols[-1])


@cache
def readable(sprite: str) -> str:
    """A sprite's name in words: `UnripeBerry_2` is "unripe berry 2"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", sprite).lower()
    return re.sub(r"^sprite for | ?sprite", "", apart).strip()


def _sprites(avatar: Mapping[str, Any]) -> Iterator[str]:
    """The sprites of an avatar's states."""
    return (state["sprite"] for state in states_of(avatar) if state.get("sprite"))


def _words(settings: Mapping[str, Any], sprites: Iterable[Sprite]) -> Mapping[str, str]:
    """What every sprite is called. The pictures of one moving thing have one name, that of the first without number."""
    words = {sprite.name: readable(sprite.name) for sprite in sprites}
    for game_object in game_objects(settings):
        if any(True for _ in components(game_object, "Animation")):
            words |= {name: readable(name.rstrip("0123456789")) for name in _sprites(game_object)}
    return words
