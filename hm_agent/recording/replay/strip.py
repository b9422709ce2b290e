"""Frames as a page can hold thousands of: which patch is where, and what changes from one frame to the next."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import numpy.typing as npt

from hm_agent.perception.atlas import SPRITE_SIZE, Pixels


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
        self._numbers: dict[bytes, int] = {}
        self._latest: npt.NDArray[np.uint32] | None = None

    def add(self, frame: Pixels) -> None:
        self.rows, self.columns = frame.shape[0] // SPRITE_SIZE, frame.shape[1] // SPRITE_SIZE
        numbers = np.array([self._number(patch) for patch in self._cut(frame)], "<u4")
        before = np.zeros_like(numbers) if self._latest is None else self._latest
        self.changes.add((numbers ^ before).tobytes())
        self._latest = numbers

    def _cut(self, frame: Pixels) -> list[bytes]:
        tiles = frame.reshape(self.rows, SPRITE_SIZE, self.columns, SPRITE_SIZE, 3).swapaxes(1, 2).tobytes()
        size = SPRITE_SIZE * SPRITE_SIZE * 3
        return [tiles[start : start + size] for start in range(0, len(tiles), size)]

    def _number(self, patch: bytes) -> int:
        number = self._numbers.get(patch)
        if number is None:
            number = self._numbers[patch] = len(self._numbers)
            self.patches.add(patch)
        return number
