"""Films small enough that a page can hold thousands of frames: every tile once, and which tiles change."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
Tiles = npt.NDArray[np.uint64]

TILE = 8
"""The side of a tile in pixels: games that draw in sprites of this size have few different tiles."""


class CompressedText:
    """Bytes compressed with zlib as they are added: memory stays small, and little work is left for the end."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj()
        self._compressed = bytearray()

    def add(self, content: bytes) -> None:
        self._compressed += self._compressor.compress(content)

    def base64(self) -> str:
        """All that was added; nothing can be added any more."""
        self._compressed += self._compressor.flush()
        return base64.b64encode(self._compressed).decode("ascii")


class Film:
    """Frames of one size, (H, W, 3) uint8, one for each step from `first` on, as tiles of 8 x 8 pixels.

    Frames whose sides are no multiples of 8 are padded with black. tiles: the bytes of all different tiles, in the
    order in which they first occur. changes: for every frame and place, row by row, the tile's number as little-endian
    uint32, XOR that of the frame before: mostly zeros.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.height = self.width = self.rows = self.columns = 0
        self.tiles, self.changes = CompressedText(), CompressedText()
        self._numbers_by_tile: dict[bytes, int] = {}
        self._latest: Tiles | None = None
        self._numbers = np.zeros(0, "<u4")

    def add(self, frame: Pixels) -> None:
        tiles = self._cut(frame)
        if self._latest is None:
            changed, self._numbers = np.arange(len(tiles)), np.zeros(len(tiles), "<u4")
        else:
            changed = np.flatnonzero((tiles != self._latest).any(axis=1))
        numbers = self._numbers.copy()
        numbers[changed] = [self._number(tiles[place].tobytes()) for place in changed]
        self.changes.add((numbers ^ self._numbers).tobytes())
        self._latest, self._numbers = tiles, numbers

    def repeat(self) -> None:
        """Adds the latest frame once more."""
        self.changes.add(bytes(self._numbers.nbytes))

    def _cut(self, frame: Pixels) -> Tiles:
        """The frame's tiles, row by row; as large integers they are quickly compared."""
        self.height, self.width = frame.shape[:2]
        self.rows, self.columns = -(-self.height // TILE), -(-self.width // TILE)
        missing = self.rows * TILE - self.height, self.columns * TILE - self.width
        if any(missing):
            frame = np.pad(frame, ((0, missing[0]), (0, missing[1]), (0, 0)))
        tiles = frame.reshape(self.rows, TILE, self.columns, TILE, 3).swapaxes(1, 2)
        return np.ascontiguousarray(tiles).reshape(self.rows * self.columns, -1).view(np.uint64)

    def _number(self, tile: bytes) -> int:
        number = self._numbers_by_tile.get(tile)
        if number is None:
            number = self._numbers_by_tile[tile] = len(self._numbers_by_tile)
            self.tiles.add(tile)
        return number
