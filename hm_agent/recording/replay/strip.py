"""Frames as a page can hold thousands of: which patch is where, and what changes from one frame to the next."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE, Pixels

Tiles = npt.NDArray[np.uint64]


class Packed:
    """Bytes that are compressed as they come, so that an episode's end has little left to do and memory stays small."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj()
        self._packed = bytearray()

    def add(self, content: bytes) -> None:
        self._packed += self._compressor.compress(content)

    def text(self) -> str:
        """All of it in base64, as a page's script unpacks it; nothing can be added any more."""
        self._packed += self._compressor.flush()
        return base64.b64encode(self._packed).decode("ascii")


class Strip:
    """A film of (H, W, 3) uint8 frames of one size, in patches of 8 x 8 pixels.

    patches: the bytes of all that occur, in the order in which they first do. changes: for every frame and place, row
    by row, the patch's number as little-endian uint32, XOR that of the frame before: mostly zeros.
    """

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self.patches, self.changes = Packed(), Packed()
        self._known: dict[bytes, int] = {}
        self._shown: Tiles | None = None
        self._numbers = np.zeros(0, "<u4")

    def add(self, frame: Pixels) -> None:
        self.rows, self.columns = frame.shape[0] // SPRITE_SIZE, frame.shape[1] // SPRITE_SIZE
        tiles = self._cut(frame)
        if self._shown is None:
            changed, self._numbers = np.arange(len(tiles)), np.zeros(len(tiles), "<u4")
        else:
            changed = np.flatnonzero((tiles != self._shown).any(axis=1))
        numbers = self._numbers.copy()
        numbers[changed] = [self._number(tiles[place].tobytes()) for place in changed]
        self.changes.add((numbers ^ self._numbers).tobytes())
        self._shown, self._numbers = tiles, numbers

    def _cut(self, frame: Pixels) -> Tiles:
        """The frame's patches, row by row; as large integers they are quickly compared."""
        tiles = frame.reshape(self.rows, SPRITE_SIZE, self.columns, SPRITE_SIZE, 3).swapaxes(1, 2)
        return np.ascontiguousarray(tiles).reshape(self.rows * self.columns, -1).view(np.uint64)

    def _number(self, patch: bytes) -> int:
        number = self._known.get(patch)
        if number is None:
            number = self._known[patch] = len(self._known)
            self.patches.add(patch)
        return number
