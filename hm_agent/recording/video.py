"""The video of an episode: H.264 in MP4, as browsers play it, 1280 x 720."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
from av.container import OutputContainer
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream

from hm_agent.core import Step
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.viewer.canvas import Pixels
from hm_agent.worlds.melting_pot.viewer.picture import HEIGHT, WIDTH, Picture

SEEKABLE_EVERY = 5
"""Seconds of video between two places a player can jump to."""
ENCODER = {"preset": "superfast", "tune": "zerolatency", "crf": "20"}
"""Quick rather than small: about 3 kB a picture."""


class VideoRecorder:
    """Films an episode; the file is begun with the first step and playable once closed.

    frame: gives the world's image, (H, W, 3) uint8, for the step being recorded. fps: steps shown a second.
    Errors of the disk are `OSError`.
    """

    def __init__(self, path: Path, frame: Callable[[], Pixels], game: GameFacts, title: str, *, fps: int = 10) -> None:
        self._path = path
        self._frame = frame
        self._picture = Picture(game, title)
        self._fps = fps
        self._film: _Film | None = None

    def record(self, step: Step) -> None:
        pixels = self._picture.of(step, self._frame())
        self._film = self._film or _Film(self._path, self._fps)
        self._film.add(pixels)

    def close(self) -> None:
        film, self._film = self._film, None
        if film:
            film.close()


class _Film:
    """An MP4 file being written."""

    def __init__(self, path: Path, fps: int) -> None:
        self._container: OutputContainer = av.open(path, "w", options={"movflags": "faststart"})
        self._stream: VideoStream = self._container.add_stream("libx264", fps, options=ENCODER)
        context = self._stream.codec_context
        context.width, context.height, context.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        context.gop_size = SEEKABLE_EVERY * fps
        # Without these a player has to guess which colours are meant.
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
        """Writes what the encoder still holds, and the table of contents."""
        with self._container:
            self._container.mux(self._stream.encode())
