"""The pictures of a substrate's sprites, and the layers that the engine draws them on.

Shapes, palettes and layers stand in the substrate's configuration. What Melting Pot's Lua code adds, which is beams and
a few layers, stands here. Scaling, rotating and blending follow the engine's exact rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SPRITE_SIZE = 8
CLEAR = (0, 0, 0, 0)
DRAWN = ("logic", "alternateLogic", "background", "lowerPhysical", "upperPhysical", "overlay", "superOverlay")
"""The layers that every substrate has, from bottom to top; others lie on top of them, but for those in UNDER."""
UNDER = {
    "midPhysical": "upperPhysical",
    "appleLayer": "midPhysical",
    "lowestPhysical": "lowerPhysical",
    "superCrownOverlay": "superOverlay",
}
"""The layer that some substrates' Lua code puts each of these under."""

NOSE, CLAIM = "directionIndicatorLayer", "superDirectionIndicatorLayer"
"""The layers of what lies ahead of an avatar to show its facing, and of the beam that claims what lies there."""
ON_TOP = ("singleAppleLayer", NOSE, CLAIM)
"""The layers on top of all others, beams included."""

Pixels = npt.NDArray[np.uint8]
Rotations = tuple[Pixels, ...]
"""(8, 8, 4) RGBA pictures of one sprite by quarter turns; a single one for a sprite that is never rotated."""


@dataclass(frozen=True)
class Sprite:
    """A named picture on one layer, rotated by `turns` quarter turns clockwise."""

    name: str
    turns: int = 0


class Layer(NamedTuple):
    """The pictures (8, 8, 4) RGBA that a layer can show, of which a cell shows one at most."""

    name: str
    pictures: Sequence[tuple[Sprite, Pixels]]


class DrawnBeam(NamedTuple):
    """A sprite that is drawn on a layer without being an object. under: the layer that it lies under, if on no top."""

    sprite: str
    layer: str
    pictures: Rotations
    under: str | None = None


def layers_of(settings: Mapping[str, Any]) -> tuple[Layer, ...]:
    """All layers that show something, from bottom to top. settings: a substrate's lab2d settings."""
    pictures, beams = _sprite_pictures(settings), tuple(_beams(settings))
    found = {
        layer: [drawn for name in sorted(sprites & pictures.keys()) for drawn in _turned(name, pictures[name])]
        for layer, sprites in _names_by_layer(settings).items()
    }
    for beam in beams:
        found.setdefault(beam.layer, []).extend(_turned(beam.sprite, beam.pictures))
    under = {**UNDER, **{beam.layer: beam.under for beam in beams if beam.under}}
    return tuple(Layer(name, tuple(found[name])) for name in _in_order(found, under) if found[name])


def merged(drawings: Iterable[Sequence[Layer]]) -> tuple[Layer, ...]:
    """The layers of several drawings of one configuration, each with all pictures that some drawing has."""
    pictures: dict[str, dict[tuple[Sprite, bytes], tuple[Sprite, Pixels]]] = {}
    for layer in chain.from_iterable(drawings):
        known = pictures.setdefault(layer.name, {})
        known.update({(sprite, rgba.tobytes()): (sprite, rgba) for sprite, rgba in layer.pictures})
    return tuple(Layer(name, tuple(known.values())) for name, known in pictures.items())


def _turned(name: str, pictures: Rotations) -> Iterator[tuple[Sprite, Pixels]]:
    return ((Sprite(name, turns), rgba) for turns, rgba in enumerate(pictures))


def _in_order(layers: Iterable[str], under: Mapping[str, str]) -> Sequence[str]:
    """Layers from bottom to top."""
    order = list(DRAWN)
    for layer in sorted(layers, key=lambda layer: ON_TOP.index(layer) if layer in ON_TOP else -1):
        _insert(order, layer, under)
    return [layer for layer in order if layer in set(layers)]


def _insert(order: list[str], layer: str, under: Mapping[str, str]) -> None:
    if layer in order:
        return
    if layer not in under:
        order.append(layer)
        return
    _insert(order, under[layer], under)
    order.insert(order.index(under[layer]), layer)


def game_objects(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """All game objects and prefabs of a substrate."""
    simulation = settings["simulation"]
    yield from simulation["gameObjects"]
    yield from simulation["prefabs"].values()


def components(game_object: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The arguments of every component of a game object that has this name."""
    for component in game_object["components"]:
        if component["component"] == name:
            yield component.get("kwargs", {})


def states_of(game_object: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The states that a game object can have."""
    return [state for kwargs in components(game_object, "StateManager") for state in kwargs["stateConfigs"]]


def beam_sprites(settings: Mapping[str, Any]) -> frozenset[str]:
    """The sprites that are drawn for a moment where a player acts, without being objects: beams, hands, noses."""
    return frozenset(beam.sprite for beam in _beams(settings))


# What lies on each layer


def _names_by_layer(settings: Mapping[str, Any]) -> dict[str, set[str]]:
    """The names of the sprites that each layer can hold, and of those that some player sees in their place."""
    names: dict[str, set[str]] = {}
    for game_object in game_objects(settings):
        for state in states_of(game_object):
            if state.get("sprite") and state.get("layer"):
                names.setdefault(state["layer"], set()).add(state["sprite"])
    avatars = (each for item in settings["simulation"]["gameObjects"] for each in components(item, "Avatar"))
    for name, seen_as in chain.from_iterable(kwargs.get("spriteMap", {}).items() for kwargs in avatars):
        for sprites in names.values():
            if name in sprites:
                sprites.add(seen_as)
    return names


# Pictures


def _sprite_pictures(settings: Mapping[str, Any]) -> dict[str, Rotations]:
    """The picture of every sprite that an Appearance or AdditionalSprites component defines."""
    pictures: dict[str, Rotations] = {}
    for game_object in game_objects(settings):
        for kwargs in components(game_object, "Appearance"):
            pictures |= _pictures(kwargs, "spriteNames", "spriteRGBColors", "spriteShapes", "palettes", "noRotates")
        added = (components(game_object, name) for name in ("AdditionalSprites", "AdditionalPlayerSprites"))
        for kwargs in chain.from_iterable(added):
            custom = {key.removeprefix("custom"): value for key, value in kwargs.items()}
            pictures |= _pictures(custom, "SpriteNames", "SpriteRGBColors", "SpriteShapes", "Palettes", "NoRotates")
    return pictures


def _pictures(
    kwargs: Mapping[str, Any], names: str, colours: str, shapes: str, palettes: str, fixed: str
) -> dict[str, Rotations]:
    """The pictures that a component defines. The strings are the keys of its arguments."""
    mode = kwargs.get("renderMode", "colored_square")
    if mode == "colored_square":
        pairs = zip(kwargs.get(names, ()), kwargs.get(colours, ()), strict=False)
        return {name: (_square(colour),) for name, colour in pairs}
    if mode != "ascii_shape":
        return {}
    no_rotates = list(kwargs.get(fixed, ()))
    return {
        name: _rotations(shape, palette, no_rotate=n < len(no_rotates) and no_rotates[n])
        for n, (name, shape, palette) in enumerate(zip(kwargs[names], kwargs[shapes], kwargs[palettes], strict=True))
    }


def _rotations(shape: str | Sequence[str], palette: Mapping[str, Sequence[int]], *, no_rotate: bool) -> Rotations:
    if not isinstance(shape, str):
        return tuple(_paint(facing, palette) for facing in shape)
    picture = _paint(shape, palette)
    return (picture,) if no_rotate else tuple(np.rot90(picture, -turns) for turns in range(4))


def _square(colour: Sequence[int]) -> Pixels:
    return np.full((SPRITE_SIZE, SPRITE_SIZE, 4), (*colour, 255)[:4], np.uint8)


def _paint(shape: str, palette: Mapping[str, Sequence[int]]) -> Pixels:
    """The picture of an ASCII shape; most are worn by several objects."""
    return _painted(shape, tuple((char, tuple(colour)) for char, colour in palette.items()))


@cache
def _painted(shape: str, colours: tuple[tuple[str, tuple[int, ...]], ...]) -> Pixels:
    """(8, 8, 4) RGBA of an ASCII shape, whose spaces count for nothing and whose short rows are clear at their ends.

    Other sizes are scaled as the engine scales them: each channel is its floored mean over what a pixel covers.
    """
    palette = dict(colours)
    rows = [line.replace(" ", "") for line in shape.lstrip("\n").rstrip().split("\n")]
    width = max(map(len, rows))
    rgba = [[*((*palette[char], 255)[:4] for char in row), *[CLEAR] * (width - len(row))] for row in rows]
    return _scaled(np.array(rgba, np.int64))


def _scaled(picture: npt.NDArray[np.int64]) -> Pixels:
    height, width, _ = picture.shape
    down, across = _overlaps(height), _overlaps(width)
    return np.asarray(np.einsum("ih,jw,hwc->ijc", down, across, picture) // (height * width), np.uint8)


def _overlaps(size: int) -> npt.NDArray[np.int64]:
    """(8, size): how much of each of `size` pixels lies in each of 8, in eighths of a pixel."""
    start, old = np.arange(SPRITE_SIZE)[:, None] * size, np.arange(size)[None] * SPRITE_SIZE
    overlap = np.minimum(start + size, old + SPRITE_SIZE) - np.maximum(start, old)
    return np.asarray(np.maximum(overlap, 0), np.int64)


# Beams, which only Lua code defines

YELLOW, PINK, LIGHT_BLUE = (252, 252, 106), (255, 202, 202), (99, 223, 242, 175)
Arguments = Mapping[str, Any]
BeamsOf = Callable[[Arguments, int], Iterable[DrawnBeam]]
"""The beams of an avatar's component, from its arguments and the avatar's number, which begins at 1."""


def _beams(settings: Mapping[str, Any]) -> Iterator[DrawnBeam]:
    for game_object in settings["simulation"]["gameObjects"]:
        for avatar in components(game_object, "Avatar"):
            for component in game_object["components"]:
                beams_of = BEAMS.get(component["component"])
                if beams_of:
                    yield from beams_of(component.get("kwargs", {}), avatar["index"])


def _plain(sprite: str, layer: str, default: Sequence[int]) -> BeamsOf:
    """A beam of one colour."""
    return lambda kwargs, _: [DrawnBeam(sprite, layer, (_square(kwargs.get("beamColor", default)),))]


def _hand(name: str, kwargs: Arguments) -> Iterable[DrawnBeam]:
    """The hand of a player that grasps, which is drawn ahead of it."""
    return [DrawnBeam(name, name, _rotations(kwargs["shape"], kwargs["palette"], no_rotate=False), "overlay")]


def _acting(name: str, kwargs: Arguments) -> Iterable[DrawnBeam]:
    """What is drawn for a moment where a player acts."""
    return [DrawnBeam(name, name, (_paint(kwargs["shapes"][0], kwargs["palettes"][0]),))]


def _upright(sprite: str, layer: str, kwargs: Arguments) -> Iterable[DrawnBeam]:
    """What looks the same whichever way its player faces, if its shape says no more."""
    return [DrawnBeam(sprite, layer, _rotations(kwargs["shape"], kwargs["palette"], no_rotate=True))]


def _colour_zapper(kwargs: Arguments, _: int) -> Iterable[DrawnBeam]:
    if "team" in kwargs:
        return [DrawnBeam(f"BeamZap_{kwargs['team']}", f"beamZap_{kwargs['team']}", (_square(kwargs["color"]),))]
    colours = enumerate(kwargs["beamColors"], start=1)
    return [DrawnBeam(f"Beam_fire_{n}", f"beam_fire_{n}", (_square(colour),)) for n, colour in colours]


BEAMS: Mapping[str, BeamsOf] = {
    "Zapper": _plain("BeamZap", "beamZap", YELLOW),
    "Tagger": _plain("BeamZap", "beamZap", YELLOW),
    "GameInteractionZapper": _plain("BeamInteraction", "beamInteraction", YELLOW),
    "MineBeam": _plain("beamMine", "beamMine", PINK),
    "GiftBeam": _plain("beamGift", "beamGift", PINK),
    "Cleaner": _plain("BeamClean", "beamClean", LIGHT_BLUE),
    "ColorZapper": _colour_zapper,
    "AvatarDirectionIndicator": lambda kwargs, _: [
        DrawnBeam("DirectionSprite", NOSE, (_square(kwargs.get("color", (100, 100, 100, 200))),))
    ],
    "Paintbrush": lambda kwargs, player: _upright(f"brush{player}", NOSE, kwargs),
    "ResourceClaimer": lambda kwargs, player: [
        DrawnBeam(f"claimBeamSprite_{player}", CLAIM, (_square(kwargs["color"]),))
    ],
    "InteractBeam": lambda kwargs, player: _acting(f"interact_player{player}", kwargs),
    "PredatorInteractBeam": lambda kwargs, _: _acting("predator", kwargs),
    "InteractEatAcorn": lambda kwargs, _: _acting("prey", kwargs),
    "AvatarGrasp": lambda kwargs, player: _hand(f"hand_{player}", kwargs),
    "PlayerGrasp": lambda kwargs, player: _hand(f"grasp_{player}", kwargs),
    "Grappling": lambda kwargs, _: _upright("holdBeam", "holdBeamLayer", kwargs),
}
"""What the components of avatars draw, by component, as Melting Pot's Lua code does."""
