"""The animated GIF of some steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.command_line import flags, requested
from hm_agent.config import ConfigError
from hm_agent.core import Step
from hm_agent.recording.gif import MILLISECONDS, WIDTH, GifRecorder
from hm_agent.testing.episodes import play_out, set_up

Pixels = npt.NDArray[np.uint8]


def film(path: Path, steps: range, played: int = 8) -> list[Pixels]:
    """Plays some steps with the recorder; returns all pictures that were drawn."""
    (scenario,) = find_scenarios(["symmtom_w6_n3_c3"])
    viewer = suites()["symmtom"].viewer(scenario)
    assert viewer
    picture, drawn = viewer.picture(scenario, "a title"), list[Pixels]()
    assert picture

    def draw(step: Step) -> Pixels:
        drawn.append(picture(step).copy())
        return drawn[-1]

    world, agents = set_up(scenario, "heuristic")
    recorder = GifRecorder(path, draw, steps)
    play_out(world, agents, seed=2, steps=played, recorders=[recorder])
    recorder.close()
    return drawn


def test_gif_shows_the_steps_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "episode.gif"
    drawn = film(path, range(2, 6))
    with GifImageFile(path) as gif:
        assert gif.n_frames == 4
        assert gif.info["duration"] == MILLISECONDS
        assert gif.size == (WIDTH, 360)
        for number in range(4):
            gif.seek(number)
            shown = np.asarray(gif.convert("RGB"), float)
            wanted = np.asarray(Image.fromarray(drawn[2 + number]).resize(gif.size, Image.Resampling.LANCZOS), float)
            assert np.abs(shown - wanted).mean() < 6


def test_what_a_picture_shows_of_earlier_steps_is_drawn_too(tmp_path: Path) -> None:
    assert len(film(tmp_path / "episode.gif", range(5, 6))) == 6


def test_there_is_no_file_where_none_of_the_steps_came(tmp_path: Path) -> None:
    film(tmp_path / "episode.gif", range(50, 60))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("said", ["", "40", "9-3", "a-b", "0-1000", "-5", "0-99999999"])
def test_steps_that_are_none_are_refused(said: str) -> None:
    flags.parse(("", "--scenario=symmtom_w6_n3_c3", f"--record_gif={said}"))
    with pytest.raises(ConfigError, match="say the first and the last step"):
        requested.experiment()
