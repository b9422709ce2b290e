"""Records what a page needs to replay an episode, and writes that page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image

from hm_agent.core import Counts, OpponentState, Step
from hm_agent.recording.files import write_whole
from hm_agent.recording.replay.page import Film, replay_page
from hm_agent.recording.replay.scenes import Scenes
from hm_agent.recording.replay.strip import Packed, Strip
from hm_agent.recording.result import Result
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.scenarios import Scenario

PAGE = "replay.html"
THUMBNAIL = "thumbnail.png"


class Stage(Protocol):
    """The world as only a viewer sees it, at the moment the latest action was decided on."""

    def frame(self) -> Pixels: ...

    def truth_of_others(self) -> Sequence[OpponentState]: ...

    def held_in_interaction(self) -> tuple[Counts, Counts] | None: ...


class ReplayRecorder:
    """Watches an episode for a page that replays it; the trace beside it tells the rest."""

    def __init__(self, stage: Stage, folder: Path, scenario: Scenario) -> None:
        self._stage, self._folder, self._scenario = stage, folder, scenario
        self._world, self._view, self._scenes = Strip(), Strip(), Scenes()
        self._thumbnail: tuple[float, Pixels] | None = None

    def record(self, step: Step) -> None:
        frame = self._stage.frame()
        self._world.add(frame)
        self._view.add(np.asarray(step.observation.fields["RGB"], np.uint8))
        self._scenes.add(step, self._stage.truth_of_others(), self._stage.held_in_interaction())
        if self._thumbnail is None or abs(step.reward) > self._thumbnail[0]:
            self._thumbnail = abs(step.reward), frame.copy()

    def close(self) -> None:
        """Keeps what it has: the page also tells the result."""

    def write(self, result: Result) -> None:
        """Writes the page and its thumbnail, the frame of the largest reward; errors are `OSError`."""
        if self._thumbnail is None:
            return
        trace = Packed()
        trace.add((self._folder / "trace.jsonl").read_bytes())
        film = Film(self._world, self._view, self._scenes.lines, trace)
        Image.fromarray(self._thumbnail[1]).save(self._folder / THUMBNAIL, optimize=True)
        write_whole(self._folder / PAGE, replay_page(result, self._scenario, film))
