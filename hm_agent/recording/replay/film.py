"""Compresses frames so that a page can hold thousands of them: every distinct tile once, and which tiles change."""

from __future__ import annotations

import base64
import weakref
import zlib
from tempfile import TemporaryFile
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]

TILE = 8
"""The side of a tile in pixels: games that draw in sprites of this size have few different tiles."""
WORDS = TILE * 3 // 8
"""The 8-byte integers that a row of a tile's RGB pixels takes."""
HELD = 100_000
"""The most compressed bytes that are held in memory."""


class CompressedText:
    """Bytes compressed with zlib as they are added: memory stays small, and little work is left for the end.

    Beyond HELD bytes they are written to a temporary file, so that a long episode takes no more memory than a short
    one; errors are `OSError`.
    """

    def __init__(self) -> None:
        self._compressor = zlib.compressobj()
        self._compressed = bytearray()
        self._file: BinaryIO | None = None

    def add(self, content: bytes) -> None:
        self._compressed += self._compressor.compress(content)
        if len(self._compressed) >= HELD:
            if self._file is None:
                self._file = cast(BinaryIO, TemporaryFile())  # noqa: SIM115 - it is closed with this object
                weakref.finalize(self, self._file.close)
            self._file.write(self._compressed)
            self._compressed.clear()

    def base64(self) -> str:
        """Ends the compression and returns all compressed bytes in base64; nothing can be added afterwards."""
        self._compressed += self._compressor.flush()
        earlier = b""
        if self._file is not None:
            self._file.seek(0)
            earlier = self._file.read()
        return base64.b64encode(earlier + self._compressed).decode("ascii")


class Film:
    """Frames of one size, (H, W, 3) uint8, one for each step from `first` on, as tiles of 8 x 8 pixels.

    Frames whose sides are no multiples of 8 are padded with black. tiles: the bytes of all distinct tiles, numbered in
    the order in which they first occur. changes: for every frame and place, row by row, the tile's number as
    little-endian uint32, XOR that of the frame before: mostly zeros.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.height = self.width = self.rows = self.columns = 0
        self.tiles, self.changes = CompressedText(), CompressedText()
        self._numbers_by_tile: dict[bytes, int] = {}
        self._latest: npt.NDArray[np.uint64] | None = None
        self._numbers = np.zeros(0, "<u4")
        self._place_of = np.zeros(0, np.intp)
        """The place of the tile in which each 8-byte integer of a frame lies."""

    def add(self, frame: Pixels) -> None:
        frame = self._padded(frame)
        lines = frame.reshape(len(frame), -1).view(np.uint64)  # 8 bytes at a time are compared faster
        if self._latest is None:
            changed, self._numbers = np.arange(self.rows * self.columns), np.zeros(self.rows * self.columns, "<u4")
            self._place_of = changed.reshape(self.rows, -1).repeat(TILE, axis=0).repeat(WORDS, axis=1).ravel()
        else:
            integers = np.flatnonzero(lines != self._latest)
            if not len(integers):
                self.repeat()
                return
            changed = self._places(integers)
        numbers = self._numbers.copy()
        numbers[changed] = [self._tile_number(self._tile_bytes(frame, place)) for place in changed.tolist()]
        self.changes.add((numbers ^ self._numbers).tobytes())
        self._latest, self._numbers = lines, numbers

    def repeat(self) -> None:
        """Adds the latest frame once more."""
        self.changes.add(bytes(self._numbers.nbytes))

    def _padded(self, frame: Pixels) -> Pixels:
        """A copy of the frame, padded to whole tiles; sets the sizes of the film."""
        self.height, self.width = frame.shape[:2]
        self.rows, self.columns = -(-self.height // TILE), -(-self.width // TILE)
        missing = self.rows * TILE - self.height, self.columns * TILE - self.width
        return np.pad(frame, ((0, missing[0]), (0, missing[1]), (0, 0))) if any(missing) else np.array(frame, order="C")

    def _places(self, integers: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The places of the tiles in which 8-byte integers of a frame lie; tiles are counted row by row."""
        has_changed = np.zeros(self.rows * self.columns, np.bool_)
        has_changed[self._place_of[integers]] = True
        return np.flatnonzero(has_changed)

    def _tile_bytes(self, frame: Pixels, place: int) -> bytes:
        row, column = divmod(place, self.columns)
        return frame[TILE * row : TILE * (row + 1), TILE * column : TILE * (column + 1)].tobytes()

    def _tile_number(self, tile: bytes) -> int:
        number = self._numbers_by_tile.get(tile)
        if number is None:
            number = self._numbers_by_tile[tile] = len(self._numbers_by_tile)
            self.tiles.add(tile)
        return number
