"""The video of an episode: H.264 in MP4, as browsers play it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import av
from av.container import OutputContainer
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream

from hm_agent.core import Step

if TYPE_CHECKING:
    from hm_agent.catalogue.suite import Pixels

STEPS_A_SECOND = 10
KEYFRAME_SECONDS = 5
"""Seconds of video between two frames that a player can jump to."""
ENCODER = {"preset": "superfast", "tune": "zerolatency", "crf": "20"}
"""Quick rather than small: about 3 kB a picture."""


class VideoRecorder:
    """Records a video of an episode; the file is created at the first step and playable once closed.

    picture: draws a step as (H, W, 3) uint8, H and W even and the same for all steps. Errors of the disk are `OSError`.
    """

    def __init__(self, path: Path, picture: Callable[[Step], Pixels]) -> None:
        self._path, self._picture = path, picture
        self._file: _Mp4File | None = None

    def record(self, step: Step) -> None:
        pixels = self._picture(step)
        self._file = self._file or _Mp4File(self._path, pixels.shape[1], pixels.shape[0])
        self._file.add(pixels)

    def close(self) -> None:
        file, self._file = self._file, None
        if file:
            file.close()


class _Mp4File:
    """An MP4 file being written."""

    def __init__(self, path: Path, width: int, height: int) -> None:
        self._container: OutputContainer = av.open(path, "w", options={"movflags": "faststart"})
        self._stream: VideoStream = self._container.add_stream("libx264", STEPS_A_SECOND, options=ENCODER)
        context = self._stream.codec_context
        context.width, context.height, context.pix_fmt = width, height, "yuv420p"
        context.gop_size = KEYFRAME_SECONDS * STEPS_A_SECOND
        # Without these, a player has to guess the colour space.
        context.color_range, context.colorspace = ColorRange.MPEG, Colorspace.ITU709
        context.color_primaries, context.color_trc = ColorPrimaries.BT709, ColorTrc.BT709

    def add(self, pixels: Pixels) -> None:
        rgb = av.VideoFrame.from_numpy_buffer(pixels, format="rgb24")
        yuv = rgb.reformat(
            format="yuv420p",
            interpolation="FAST_BILINEAR",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
        )
        self._container.mux(self._stream.encode(yuv))

    def close(self) -> None:
        """Writes the frames that the encoder still holds, and the table of contents."""
        with self._container:
            self._container.mux(self._stream.encode())
