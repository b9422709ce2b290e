"""Names what each cell of a frame shows: the sprites, on their layers, that together make exactly its pixels.

The pictures of sprites come from the substrate's configuration (`sprites.py`); no image is labelled by hand. A picture
is explained when it is first seen, since some substrates can show more combinations than could be listed.
"""

from __future__ import annotations

import operator
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Layer, Pixels, Sprite

ROW = np.dtype(f"V{SPRITE_SIZE * 3}")
"""The RGB of a row of a patch, as one item: 24 bytes at a time are copied faster than single ones."""
PATCH = np.dtype(f"V{SPRITE_SIZE * ROW.itemsize}")
"""The RGB of a whole patch, as one item."""
UNKNOWN = 0
"""The label index of a patch that no combination of sprites explains."""
MOST_SPRITES = 7
"""The most sprites that a picture is explained by."""
MOST_TRIED = 4000
"""The most stacks of sprites that are tried for one picture."""

OPAQUE, HALF = 255, 127
"""The alpha of what hides all below, and what the engine adds so as to round."""
Labels = list[int]
"""The label index of each cell of a window, row by row from the top left."""
Values = npt.NDArray[np.int32]
NameT = TypeVar("NameT")


@dataclass(frozen=True)
class Label:
    """The sprites that a cell shows, from bottom to top; none for bare floor."""

    sprites: tuple[Sprite, ...] = ()

    def find(self, name: str) -> Sprite | None:
        return next((sprite for sprite in self.sprites if sprite.name == name), None)


class Atlas:
    """Explains the pictures of a substrate's cells; shared by all players and episodes, in any thread.

    labels: what the pictures seen so far show; new ones are appended. layers, sprites: all that can be seen.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers = layers
        self.labels: list[Label] = [Label((Sprite("unknown"),))]
        self.sprites = frozenset(sprite for layer in layers for sprite, _ in layer.pictures)
        self._pictures = {sprite: rgba for layer in layers for sprite, rgba in layer.pictures}
        self._looks: dict[str, set[bytes]] = {}
        for sprite, rgba in chain.from_iterable(layer.pictures for layer in layers):
            self._looks.setdefault(sprite.name, set()).add(rgba.tobytes())
        self._stacks = _Stacks(layers)
        self._index = _Index(self._number)
        self._numbers: dict[Label, int] = {}
        self._lock = threading.Lock()

    def label(self, rgb: Pixels) -> Labels:
        """The label index of every patch of a frame; UNKNOWN for a picture that no combination of sprites makes.

        rgb: (H, W, 3) uint8, H and W multiples of 8.
        """
        rows = rgb.reshape(len(rgb) // SPRITE_SIZE, SPRITE_SIZE, -1).view(ROW)
        patches: list[bytes] = np.frombuffer(rows.swapaxes(1, 2).tobytes(), PATCH).tolist()
        return list(map(self._index.__getitem__, patches))

    def places(self, frame: Pixels, names: Mapping[str, NameT]) -> Mapping[Cell, NameT]:
        """The cells of a frame that show one of some sprites, with what that stands for. names: by sprite."""
        columns = frame.shape[1] // SPRITE_SIZE
        return {
            (place % columns, place // columns): names[sprite.name]
            for place, label in enumerate(self.label(frame))
            for sprite in self.labels[label].sprites
            if sprite.name in names
        }

    def nearest(self, patch: Pixels) -> int:
        """The label index of the picture seen so far, of those explained, with the least sum of differences to a patch.

        UNKNOWN if none was explained so far. patch: (8, 8, 3) uint8.
        """
        known = [(picture, number) for picture, number in self._index.copy().items() if number != UNKNOWN]
        if not known:
            return UNKNOWN
        pictures = np.frombuffer(b"".join(picture for picture, _ in known), np.uint8).reshape(len(known), -1)
        differences = np.abs(pictures.astype(np.int32) - patch.reshape(1, -1)).sum(axis=1)
        return known[int(differences.argmin())][1]

    def picture(self, *sprites: Sprite) -> Pixels:
        """(8, 8, 3) RGB of sprites on a cell, from bottom to top."""
        return compose([self._pictures[sprite] for sprite in sprites])

    def alike(self, names: Iterable[str]) -> frozenset[str]:
        """The names of all sprites that share a picture with one of these, and these."""
        given = frozenset(names)
        looks = set[bytes]().union(*(self._looks.get(name, ()) for name in given))
        return given.union(name for name, own in self._looks.items() if not own.isdisjoint(looks))

    def _number(self, patch: bytes) -> int:
        sprites = self._stacks.explain(np.frombuffer(patch, np.uint8))
        if sprites is None:
            return UNKNOWN
        label = Label(sprites)
        with self._lock:
            number = self._numbers.setdefault(label, len(self.labels))
            if number == len(self.labels):
                self.labels.append(label)
            return number


class _Index(dict[bytes, int]):
    """From the RGB of a patch to the index of its label, which is found out at the first look-up."""

    def __init__(self, number: Callable[[bytes], int]) -> None:
        self._number = number

    def __missing__(self, patch: bytes) -> int:
        self[patch] = number = self._number(patch)
        return number


class _Stacks:
    """Finds the stack of sprites, one a layer at most, that looks like a patch: of several the one with the fewest.

    It peels sprites off from the top. What may lie under them is known, channel by channel, as a range of values, since
    the engine blends in whole numbers; in the end the range must hold the engine's black.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        drawn = [
            (sprite, rgba, place)
            for place, layer in reversed(list(enumerate(layers)))
            for sprite, rgba in layer.pictures
            if rgba[..., 3].any()
        ]
        self._sprites = [sprite for sprite, _, _ in drawn]
        places = [place for _, _, place in drawn]
        self._below = [bisect_right(places, -place, key=operator.neg) for place in places]
        """For each sprite, the number of the first one on a lower layer."""
        rgba = np.array([rgba for _, rgba, _ in drawn], np.int32).reshape(len(drawn), SPRITE_SIZE**2, 4)
        self._colours = rgba[:, :, :3].reshape(len(drawn), -1)
        self._alphas = np.repeat(rgba[:, :, 3], 3, axis=1)
        self._opaque, self._visible = self._alphas == OPAQUE, self._alphas > 0
        self._looks = [rgba.tobytes() for _, rgba, _ in drawn]

    def explain(self, patch: npt.NDArray[np.uint8]) -> tuple[Sprite, ...] | None:
        """The sprites from bottom to top; None if none of the stacks tried looks like that. patch: (192,) RGB."""
        values = patch.astype(np.int32)
        tried = iter(range(MOST_TRIED))
        for count in range(MOST_SPRITES + 1):
            stack = self._search(values, values, 0, count, tried)
            if stack is not None:
                return stack
        return None

    def _search(
        self, low: Values, high: Values, first: int, count: int, tried: Iterator[int]
    ) -> tuple[Sprite, ...] | None:
        """The stack of `count` sprites, from number `first` on, with which every channel is from `low` to `high`."""
        if not low.any():
            return () if count == 0 else None
        if count == 0 or next(tried, None) is None:
            return None
        colours, is_open = self._colours[first:], (low > 0) | (high < OPAQUE)
        fits = ~(self._opaque[first:] & ((colours < low) | (colours > high))).any(axis=1)
        fits &= (self._visible[first:] & is_open).any(axis=1)
        looked_like: set[bytes] = set()
        for number, lowest, highest in self._under(np.flatnonzero(fits) + first, low, high):
            if self._looks[number] not in looked_like:
                looked_like.add(self._looks[number])  # on a lower layer, there is less that can lie under it
                below = self._search(lowest, highest, self._below[number], count - 1, tried)
                if below is not None:
                    return (*below, self._sprites[number])
        return None

    def _under(self, numbers: npt.NDArray[np.intp], low: Values, high: Values) -> Iterable[tuple[int, Values, Values]]:
        """The values that may lie under each of some sprites for it to show some from `low` to `high`.

        Those under which none may lie are left out.
        """
        alphas = self._alphas[numbers]
        clear, own = OPAQUE - alphas, alphas * self._colours[numbers]
        divisor = np.maximum(clear, 1)
        lowest = np.maximum(-((own + HALF - OPAQUE * low) // divisor), 0)
        highest = np.minimum((OPAQUE * high + HALF - own) // divisor, OPAQUE)
        lowest, highest = np.where(clear, lowest, 0), np.where(clear, highest, OPAQUE)
        some = (lowest <= highest).all(axis=1)
        return zip(numbers[some].tolist(), lowest[some], highest[some], strict=True)


def compose(pictures: Sequence[Pixels]) -> Pixels:
    """(8, 8, 3) RGB of RGBA pictures laid over black, blended in integers as the engine does."""
    patch = np.zeros((SPRITE_SIZE, SPRITE_SIZE, 3), np.int64)
    for rgba in pictures:
        colour, alpha = rgba[..., :3].astype(np.int64), rgba[..., 3:].astype(np.int64)
        patch = ((OPAQUE - alpha) * patch + alpha * colour + HALF) // OPAQUE
    return patch.astype(np.uint8)
