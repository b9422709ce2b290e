"""An animated GIF of some steps of an episode, for a README or slides."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from hm_agent.core import Step
from hm_agent.storage.files import write_whole

if TYPE_CHECKING:
    from hm_agent.catalogue.suite import Pixels

FILE = "episode.gif"
WIDTH, COLOURS, MILLISECONDS = 640, 64, 120
"""A frame's width in pixels, its number of colours, and how long it is shown; a frame takes some 2 kB."""


class GifRecorder:
    """Records a range of steps; closing it writes the file, unless the episode reached none of these steps.

    picture: draws a step as (H, W, 3) uint8, of the same size for all steps. steps: the numbers of the steps to record.
    Errors of the disk are `OSError`.
    """

    def __init__(self, path: Path, picture: Callable[[Step], Pixels], steps: range) -> None:
        self._path, self._picture, self._steps = path, picture, steps
        self._frames: list[Image.Image] = []

    def record(self, step: Step) -> None:
        if step.turn.step < self._steps.stop:
            pixels = self._picture(step)  # drawn for earlier steps, too, since a picture may depend on those before it
            if step.turn.step in self._steps:
                height = round(WIDTH * pixels.shape[0] / pixels.shape[1])
                self._frames.append(Image.fromarray(pixels).resize((WIDTH, height), Image.Resampling.LANCZOS))

    def close(self) -> None:
        frames, self._frames = self._frames, []
        if frames:
            palette = frames[len(frames) // 2].quantize(COLOURS, Image.Quantize.FASTOCTREE)  # keeps rare bright colours
            drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
            gif = io.BytesIO()
            drawn[0].save(gif, "GIF", save_all=True, append_images=drawn[1:], duration=MILLISECONDS, loop=0)
            write_whole(self._path, gif.getvalue())
