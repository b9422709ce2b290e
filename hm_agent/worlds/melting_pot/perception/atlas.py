"""Names what each cell of a frame shows, by exact look-up of its pixels in an atlas of all possible pictures.

The atlas is computed from the substrate's configuration, which holds the shapes and palettes of all sprites, and from
the engine's exact rules for scaling, rotating and blending them; no image is labelled by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

SPRITE_SIZE = 8
ROW = np.dtype(f"V{SPRITE_SIZE * 3}")
"""The RGB of a row of a patch, as one item: 24 bytes at a time are copied faster than single ones."""
PATCH = np.dtype(f"V{SPRITE_SIZE * ROW.itemsize}")
"""The RGB of a whole patch, as one item."""
UNKNOWN = 0
"""The label index of a patch that no combination of sprites explains."""

LAYERS = ("background", "lowerPhysical", "upperPhysical", "overlay", "superOverlay")
"""The visible layers, from bottom to top."""

BEAMS = {"BeamInteraction": (252, 252, 106)}
"""The RGB of opaque beams by sprite. Only the engine's Lua code defines them, and they hide all other sprites."""

Pixels = npt.NDArray[np.uint8]
Labels = list[int]
"""The label index of each cell of a window, row by row from the top left."""


@dataclass(frozen=True)
class Sprite:
    """A named picture on one layer, rotated by `turns` quarter turns clockwise."""

    name: str
    turns: int = 0


@dataclass(frozen=True)
class Label:
    """The sprites that a cell shows, from bottom to top; none for bare floor."""

    sprites: tuple[Sprite, ...] = ()

    def find(self, name: str) -> Sprite | None:
        return next((sprite for sprite in self.sprites if sprite.name == name), None)


@dataclass(frozen=True)
class Atlas:
    """index: from the bytes of an 8 x 8 RGB patch to the index of its label in `labels`."""

    labels: tuple[Label, ...]
    index: Mapping[bytes, int]


def build_atlas(settings: Mapping[str, Any]) -> Atlas:
    """Computes the atlas of everything that any player can see. settings: the substrate's lab2d settings."""
    pictures = _sprite_pictures(settings)
    layers = [_layer_pictures(settings, layer, pictures) for layer in LAYERS]
    layers.append(_translucent_beams(settings))
    labels: list[Label] = [Label((Sprite("unknown"),))]
    index: dict[bytes, int] = {}
    stacks = product(*([sprite for sprite, _ in layer] for layer in layers))
    patches = _compositions([[rgba for _, rgba in layer] for layer in layers])
    size = (SPRITE_SIZE, SPRITE_SIZE, 3)
    beams = (((Sprite(name),), np.full(size, colour, np.uint8)) for name, colour in BEAMS.items())
    for sprites, patch in chain(zip(stacks, patches, strict=True), beams):
        # Of several labels with the same picture, the first is kept: it has the fewest sprites.
        if index.setdefault(patch.tobytes(), len(labels)) == len(labels):
            labels.append(Label(tuple(sprite for sprite in sprites if sprite)))
    return Atlas(tuple(labels), index)


Rotations = tuple[Pixels, ...]
"""(8, 8, 4) RGBA pictures of one sprite by quarter turns; a single one for a sprite that is never rotated."""


def _game_objects(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    simulation = settings["simulation"]
    yield from simulation["gameObjects"]
    yield from simulation["prefabs"].values()


def components(game_object: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The arguments of every component of a game object that has this name."""
    for component in game_object["components"]:
        if component["component"] == name:
            yield component.get("kwargs", {})


def _sprite_pictures(settings: Mapping[str, Any]) -> dict[str, Rotations]:
    """The picture of every sprite that an Appearance or AdditionalSprites component defines."""
    pictures: dict[str, Rotations] = {}
    for game_object in _game_objects(settings):
        for kwargs in components(game_object, "Appearance"):
            if kwargs.get("renderMode") == "ascii_shape":
                pictures |= _pictures(kwargs, "spriteNames", "spriteShapes", "palettes", "noRotates")
        for kwargs in components(game_object, "AdditionalSprites"):
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
    """(8, 8, 4) RGBA of an ASCII shape; larger shapes are scaled down by the floored box mean of each channel."""
    rgba = [[(*palette[char], 255)[:4] for char in line] for line in shape.strip().splitlines()]
    picture = np.array(rgba, np.int64)
    factor = len(picture) // SPRITE_SIZE
    boxes = picture.reshape(SPRITE_SIZE, factor, SPRITE_SIZE, factor, 4)
    return np.asarray(boxes.sum(axis=(1, 3)) // factor**2, np.uint8)


def _layer_pictures(
    settings: Mapping[str, Any], layer: str, pictures: Mapping[str, Rotations]
) -> list[tuple[Sprite | None, Pixels | None]]:
    """Every (sprite, RGBA picture) that a layer can hold, beginning with (None, None) for an empty layer.

    Sprites without a picture are left out: players see another sprite in their place.
    """
    names = {
        state["sprite"]
        for game_object in _game_objects(settings)
        for kwargs in components(game_object, "StateManager")
        for state in kwargs["stateConfigs"]
        if state.get("layer") == layer and "sprite" in state
    }
    names |= {seen_as for name, seen_as in _sprite_maps(settings) if name in names}
    choices: list[tuple[Sprite | None, Pixels | None]] = [(None, None)]
    drawn = sorted(names & pictures.keys())
    choices += [(Sprite(name, turns), rgba) for name in drawn for turns, rgba in enumerate(pictures[name])]
    return choices


def _sprite_maps(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(sprite, the sprite that some player sees in its place), from every avatar's sprite map."""
    for game_object in settings["simulation"]["gameObjects"]:
        for kwargs in components(game_object, "Avatar"):
            yield from kwargs.get("spriteMap", {}).items()


def _translucent_beams(settings: Mapping[str, Any]) -> list[tuple[Sprite | None, Pixels | None]]:
    """Every (sprite, RGBA picture) of the translucent beams, beginning with (None, None) for no beam."""
    choices: list[tuple[Sprite | None, Pixels | None]] = [(None, None)]
    for game_object in settings["simulation"]["gameObjects"]:
        for kwargs in components(game_object, "InteractBeam"):
            rgba = _paint(kwargs["shapes"][0], kwargs["palettes"][0])
            choices.append((Sprite(f"interact_player{len(choices)}"), rgba))
    return choices


def _compositions(layers: Sequence[Sequence[Pixels | None]]) -> Pixels:
    """(N, 8, 8, 3) RGB of a picture, or none, of each layer laid over black, for all N choices in `product`'s order.

    Pictures are RGBA, from the bottom layer to the top, and blended in integers as the engine does.
    """
    patches = np.zeros((1, SPRITE_SIZE, SPRITE_SIZE, 3), np.uint8)
    for layer in layers:
        patches = np.stack([_overlaid(patches, rgba) for rgba in layer], 1).reshape(-1, *patches.shape[1:])
    return patches


def _overlaid(patches: Pixels, rgba: Pixels | None) -> Pixels:
    """RGB patches with an RGBA picture over them; 16 bits hold what is divided, which is at most 255 * 255 + 127."""
    if rgba is None:
        return patches
    colour, alpha = rgba[..., :3].astype(np.uint16), rgba[..., 3:].astype(np.uint16)
    return (((255 - alpha) * patches + alpha * colour + 127) // 255).astype(np.uint8)


def label_patches(rgb: Pixels, atlas: Atlas) -> Labels:
    """The label index of every patch of a frame by exact look-up; UNKNOWN for a picture that the atlas doesn't hold.

    rgb: (H, W, 3) uint8, H and W multiples of 8.
    """
    rows = rgb.reshape(len(rgb) // SPRITE_SIZE, SPRITE_SIZE, -1).view(ROW)
    patches: list[bytes] = np.frombuffer(rows.swapaxes(1, 2).tobytes(), PATCH).tolist()
    return list(map(atlas.index.get, patches, repeat(UNKNOWN)))
