from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from PIL import ImageColor

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.envs import parallel_env
from hm_agent.recording.shapes import PALETTE, DrawnShape, colour_of, painted, text_width
from hm_agent.recording.video import VideoRecorder
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.symmtom.one_game import OneGame
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.viewer.board_picture import AGENT_RADIUS, figures, picture_of, picture_of_game
from hm_agent.worlds.symmtom.viewer.video_picture import BOARD, PLACE
from hm_agent.worlds.symmtom.views import BoardScene, Cell
from tests.support.step_log import StepLog

SETTINGS = GameSettings(6, 3, 3)
NEAR = 40
"""By how much a colour may differ in any channel where a picture was made smaller or compressed."""


def scene(said: tuple[int | None, ...] = (0, 1, 2)) -> BoardScene:
    """Agents 0 and 1 are next to each other, and what 0 says is new to 1; agent 2 is far from both."""
    return BoardScene(
        positions=((1, 1), (2, 1), (5, 5)),
        bases=((0, 0), (0, 5), (4, 1)),
        first_hand=((0,), (1,), (2,)),
        knows=((0, 1), (1,), (2,)),
        moved_to=((1, 1), (2, 2), (5, 4)),
        said=said,
        heard=((0, 1), (1, 0)),
        recharged=(),
        rewards=(1, 1, 0),
    )


def drawn(shown: BoardScene) -> list[DrawnShape]:
    return figures(picture_of(SETTINGS, shown, held=()))


def ring_of(pixels: npt.NDArray[np.uint8], cell: Cell, cells: int) -> npt.NDArray[np.uint8]:
    """The colour at the left edge of the disc of an agent on a cell."""
    size = len(pixels) / cells
    found: npt.NDArray[np.uint8] = pixels[round((cell[1] + 0.5) * size), round((cell[0] + 0.5 - AGENT_RADIUS) * size)]
    return found


def is_colour(found: npt.NDArray[np.uint8], agent: int) -> bool:
    wanted = np.array(ImageColor.getrgb(PALETTE[colour_of(agent)]))
    return bool((np.abs(found.astype(int) - wanted) < NEAR).all())


def test_news_makes_a_thicker_line() -> None:
    lines = [shape for shape in drawn(scene()) if shape.kind == "line" and shape.width in (0.03, 0.06)]
    assert {(line.stroke, line.width) for line in lines} == {("agent-0", 0.06), ("agent-1", 0.03)}


def test_who_is_silent_has_no_bubble() -> None:
    words = [shape.words for shape in drawn(scene(said=(None, 1, 2)))]
    assert len(drawn(scene())) == len(words) + 2
    assert {"1", "2", "player_0"} <= set(words)


def test_names_and_rewards_stand_within_their_cell_and_apart() -> None:
    """Also in the corners of the board, whose edge would cut them, and in none of each other's places."""
    shown = replace(scene(), moved_to=((0, 0), (0, 5), (5, 5)), rewards=(12, 12, -12), recharged=(0, 1))
    written = [shape for shape in drawn(shown) if shape.kind == "text"]
    for agent, (x, y) in enumerate(shown.moved_to):
        own = [shape for shape in written if shape.words in (f"player_{agent}", f"{shown.rewards[agent]:+g}")]
        own = [shape for shape in own if (int(shape.numbers[0]), int(shape.numbers[1])) == (x, y)]
        assert len(own) == 2
        for shape in own:
            across, down, size = shape.numbers
            wide = text_width(shape.words, size) / 2
            assert x <= across - wide
            assert across + wide <= x + 1
            assert y <= down - size / 2
            assert down + 0.6 * size <= y + 1  # letters such as p reach below the line
            assert abs(down - (y + 0.5)) > AGENT_RADIUS


def test_a_disc_of_its_colour_marks_the_cell_of_each_agent() -> None:
    pixels = painted(drawn(scene()), 6, 384)
    assert pixels.shape == (384, 384, 3)
    assert [is_colour(ring_of(pixels, cell, 6), agent) for agent, cell in enumerate(scene().moved_to)] == [True] * 3
    assert not is_colour(ring_of(pixels, (3, 3), 6), 0)


def test_a_rendered_frame_has_every_agent_in_its_cell() -> None:
    env = parallel_env("symmtom_w6_n3_c3", render_mode="rgb_array")
    env.reset(seed=3)
    for _ in range(4):
        env.step(dict.fromkeys(env.agents, Direction.LEFT * 3))
        places = np.rint(env.state()[1:7].reshape(3, 2) * 5).astype(int)
        frame = env.render()
        assert all(is_colour(ring_of(frame, tuple(cell), 6), agent) for agent, cell in enumerate(places.tolist()))


def test_a_game_that_is_stepped_shows_who_heard_whom() -> None:
    game = OneGame.begin(SETTINGS, 5)
    game.cells, game.knows = [7, 8, 35], [1, 2, 4]
    game.step([Direction.STAY] * 3, [0, 0, 2])
    picture = picture_of_game(game)
    assert picture.said == (0, None, 2)
    assert [(one.speaker, one.listener) for one in picture.lines] == [(0, 1)]


def test_a_video_shows_the_board_of_every_step(tmp_path: Path) -> None:
    (scenario,) = find_scenarios(["symmtom_w6_n3_c3"])
    world, agents = set_up(scenario, "k_ge")
    viewer = suites()["symmtom"].viewer(scenario)
    assert viewer
    picture = viewer.picture(scenario, "a title")
    assert picture
    video = VideoRecorder(tmp_path / "video.mp4", picture)
    log = StepLog(BoardScene)
    play_out(world, agents, seed=2, steps=8, recorders=[video, log])
    with av.open(tmp_path / "video.mp4") as file:
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
    assert len(frames) == 8
    for number, frame in enumerate(frames):
        board = np.asarray(frame[PLACE.y : PLACE.y + BOARD, PLACE.x : PLACE.x + BOARD], np.uint8)
        cells = enumerate(log.scene(number).moved_to)
        assert all(is_colour(ring_of(board, cell, 6), agent) for agent, cell in cells)
