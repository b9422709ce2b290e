"""Every picture a cell can show, computed from the substrate's own configuration.

No image is labelled by hand: the sprites' shapes and palettes are in the configuration, and the engine's rules for
scaling, rotating and laying them over each other are few and exact. A cell of a frame is then named by look-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

SPRITE_SIZE = 8
UNKNOWN = 0
"""The label of a patch that no combination of sprites explains."""

LAYERS = ("background", "lowerPhysical", "upperPhysical", "overlay", "superOverlay")
"""The visible layers from below to above, in the engine's render order."""

BEAMS = {"BeamInteraction": (252, 252, 106)}
"""Sprites that only the engine's Lua code defines: the interaction beam is painted over everything else."""

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Sprite:
    """One picture on one layer, seen at so many quarter turns clockwise."""

    name: str
    turns: int = 0


@dataclass(frozen=True)
class Label:
    """What a cell shows: the sprites on it, from below to above; empty for bare floor."""

    sprites: tuple[Sprite, ...] = ()

    def find(self, name: str) -> Sprite | None:
        return next((sprite for sprite in self.sprites if sprite.name == name), None)


@dataclass(frozen=True)
class Atlas:
    """Look-up from the bytes of an 8 x 8 patch to the index of its label; index UNKNOWN is no picture at all."""

    labels: tuple[Label, ...]
    index: Mapping[bytes, int]


def build_atlas(settings: Mapping[str, Any]) -> Atlas:
    """Computes the atlas of every player's view.

    settings: the substrate's lab2d settings.
    """
    pictures = _sprite_pictures(settings)
    layers = [_layer_pictures(settings, layer, pictures) for layer in LAYERS]
    layers.append(_interactions(settings))
    labels: list[Label] = [Label((Sprite("unknown"),))]
    index: dict[bytes, int] = {}
    for stack in product(*layers):
        sprites = tuple(sprite for sprite, _ in stack if sprite is not None)
        _enter(Label(sprites), _compose([rgba for _, rgba in stack if rgba is not None]), labels, index)
    for name, colour in BEAMS.items():
        beam = np.full((SPRITE_SIZE, SPRITE_SIZE, 3), colour, np.uint8)
        _enter(Label((Sprite(name),)), beam, labels, index)
    return Atlas(tuple(labels), index)


def _enter(label: Label, patch: Pixels, labels: list[Label], index: dict[bytes, int]) -> None:
    """Keeps the first, simplest label of a picture: combinations are made from few sprites to many."""
    if index.setdefault(patch.tobytes(), len(labels)) == len(labels):
        labels.append(label)


Rotations = tuple[Pixels, ...]
"""(8, 8, 4) RGBA pictures of one sprite, by quarter turns; a single one where it never turns."""


def _game_objects(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    simulation = settings["simulation"]
    yield from simulation["gameObjects"]
    yield from simulation["prefabs"].values()


def _components(game_object: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    for component in game_object["components"]:
        if component["component"] == name:
            yield component.get("kwargs", {})


def _sprite_pictures(settings: Mapping[str, Any]) -> dict[str, Rotations]:
    """The picture of every sprite that an Appearance or AdditionalSprites component defines."""
    pictures: dict[str, Rotations] = {}
    for game_object in _game_objects(settings):
        for kwargs in _components(game_object, "Appearance"):
            if kwargs.get("renderMode") == "ascii_shape":
                pictures |= _pictures(kwargs, "spriteNames", "spriteShapes", "palettes", "noRotates")
        for kwargs in _components(game_object, "AdditionalSprites"):
            keys = ("customSpriteNames", "customSpriteShapes", "customPalettes", "customNoRotates")
            pictures |= _pictures(kwargs, *keys)
    return pictures


def _pictures(kwargs: Mapping[str, Any], names: str, shapes: str, palettes: str, fixed: str) -> dict[str, Rotations]:
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


def _paint(shape: str, palette: Mapping[str, Sequence[int]]) -> Pixels:
    """(8, 8, 4) RGBA of an ASCII shape; larger shapes come down by a floored box mean of each channel."""
    rgba = [[(*palette[char], 255)[:4] for char in line] for line in shape.strip().splitlines()]
    picture = np.array(rgba, np.int64)
    factor = len(picture) // SPRITE_SIZE
    boxes = picture.reshape(SPRITE_SIZE, factor, SPRITE_SIZE, factor, 4)
    return np.asarray(boxes.sum(axis=(1, 3)) // factor**2, np.uint8)


def _layer_pictures(
    settings: Mapping[str, Any], layer: str, pictures: Mapping[str, Rotations]
) -> list[tuple[Sprite | None, Pixels | None]]:
    """Everything that can lie on a layer, nothing first; sprites without a picture are seen as others only."""
    names = {
        state["sprite"]
        for game_object in _game_objects(settings)
        for kwargs in _components(game_object, "StateManager")
        for state in kwargs["stateConfigs"]
        if state.get("layer") == layer and "sprite" in state
    }
    names |= {seen_as for name, seen_as in _disguises(settings) if name in names}
    shown: list[tuple[Sprite | None, Pixels | None]] = [(None, None)]
    known = sorted(names & pictures.keys())
    shown += [(Sprite(name, turns), rgba) for name in known for turns, rgba in enumerate(pictures[name])]
    return shown


def _disguises(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """By which other sprite an avatar is shown to some player: to itself, or to everybody else."""
    for game_object in settings["simulation"]["gameObjects"]:
        for kwargs in _components(game_object, "Avatar"):
            yield from kwargs.get("spriteMap", {}).items()


def _interactions(settings: Mapping[str, Any]) -> list[tuple[Sprite | None, Pixels | None]]:
    """Beams with a picture of their own, which leaves visible what they are painted over; no beam first."""
    shown: list[tuple[Sprite | None, Pixels | None]] = [(None, None)]
    for game_object in settings["simulation"]["gameObjects"]:
        for kwargs in _components(game_object, "InteractBeam"):
            rgba = _paint(kwargs["shapes"][0], kwargs["palettes"][0])
            shown.append((Sprite(f"interact_player{len(shown)}"), rgba))
    return shown


def _compose(pictures: Sequence[Pixels]) -> Pixels:
    """(8, 8, 3) what the engine shows of RGBA pictures laid over black, by its integer blending."""
    patch = np.zeros((SPRITE_SIZE, SPRITE_SIZE, 3), np.int64)
    for rgba in pictures:
        colour, alpha = rgba[..., :3].astype(np.int64), rgba[..., 3:].astype(np.int64)
        patch = ((255 - alpha) * patch + alpha * colour + 127) // 255
    return patch.astype(np.uint8)
