from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import ImageColor

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Decision, Hypothesis, Observation, Step, Thoughts, Turn
from hm_agent.matched_pairs import BOARDS
from hm_agent.recording.drawing import ACCENT, Box, Pixels, fit, font, wrap
from hm_agent.recording.video import VideoRecorder
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.grid import NOWHERE, Pose
from hm_agent.worlds.melting_pot.perception.sprites import Sprite
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named, load_games, scenario_named
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of, vision_of
from hm_agent.worlds.melting_pot.viewer import video_picture as picture
from hm_agent.worlds.melting_pot.viewer.video_picture import VideoPicture
from hm_agent.worlds.melting_pot.viewer.viewer import MeltingPotViewer

SEAT = "player_0"
HELD = (Hypothesis("it plays rock", 0.9, "rock"), Hypothesis("it plays paper", -0.2, "paper"))
TOLERANCE = 6.0
"""By how much a decoded colour may be off on the average, of 255."""


@pytest.fixture(scope="module")
def game() -> GameFacts:
    return game_named("rws_repeated", GameFacts)


def sprites(height: int, width: int, seed: int) -> Pixels:
    """An image of coloured squares of 8 x 8 pixels."""
    colours = np.random.default_rng(seed).integers(0, 256, (height // 8, width // 8, 3), dtype=np.uint8)
    return colours.repeat(8, axis=0).repeat(8, axis=1)


def world(seed: int) -> Pixels:
    return sprites(120, 184, seed)


def state(**known: Any) -> SubstrateAgentState:
    """The state of an agent that knows nothing but these fields."""
    nothing = TextualMap(None, present=True, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)
    fields = {"pose": None, "inventory": None, "other_inventory": None, "subgoal": None, "view": nothing}
    mind: dict[str, Any] = {"kinds": (), "things": {}, "players": {}}
    plan = {"plan": (), "current": 0, "shot": None, "over_because": None, "route": (), "failed": None}
    return SubstrateAgentState(**{**fields, **mind, **plan, **known})


def decision(thoughts: Thoughts | None = None, **known: Any) -> Decision[int]:
    return Decision(0, thoughts=thoughts or Thoughts(), state=state(**known))


def step(
    number: int,
    decided: Decision[int] | None = None,
    reward: float = 0.0,
    total: float = 0.0,
    view: Pixels | None = None,
    frame: Pixels | None = None,
) -> Step:
    """A step of one seat. view: what it sees. frame: the world."""
    seen = sprites(40, 40, seed=1000 + number) if view is None else view
    return Step(
        Turn(number, {SEAT: Observation(number, {"RGB": seen})}),
        {SEAT: decided or decision(inventory=(1, 1, 1))},
        {SEAT: reward},
        {SEAT: total},
        Scene((SEAT,), [{"WORLD.RGB": world(0) if frame is None else frame}], ()),
    )


def film(path: Path, game: GameFacts, *steps: Step) -> list[Pixels]:
    """Films steps and decodes the pictures of the video."""
    recorder = VideoRecorder(path, VideoPicture(game, SEAT, "hypothetical_minds · rws_repeated_0"))
    for filmed in steps:
        recorder.record(filmed)
    recorder.close()
    return decoded(path)


def decoded(path: Path) -> list[Pixels]:
    with av.open(path) as container:
        return [np.asarray(image.to_ndarray(format="rgb24"), np.uint8) for image in container.decode(video=0)]


def inside(pixels: Pixels, box: Box) -> Pixels:
    return pixels[box.y : box.y + box.height, box.x : box.x + box.width]


def off(one: Pixels, other: Pixels) -> float:
    return float(np.abs(one.astype(float) - other.astype(float)).mean())


def shown_in(box: Box, game: GameFacts, *steps: Step) -> Pixels:
    """What a box of the picture shows after steps, before encoding."""
    draw = VideoPicture(game, SEAT, "title")
    return inside([draw(drawn) for drawn in steps][-1], box)


def test_browsers_can_play_it(tmp_path: Path, game: GameFacts) -> None:
    path = tmp_path / "video.mp4"
    film(path, game, *map(step, range(3)))
    with av.open(path) as container:
        stream = container.streams.video[0]
        context = stream.codec_context
        assert (context.name, context.pix_fmt, context.width, context.height) == ("h264", "yuv420p", 1280, 720)
        assert stream.frames == 3
        assert stream.average_rate == Fraction(10)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_every_frame_shows_its_world_and_its_view(tmp_path: Path, game: GameFacts) -> None:
    pictures = film(tmp_path / "video.mp4", game, *(step(number, frame=world(number)) for number in range(5)))
    assert len(pictures) == 5
    for number, pixels in enumerate(pictures):
        large = world(number).repeat(4, axis=0).repeat(4, axis=1)
        view = sprites(40, 40, seed=1000 + number).repeat(4, axis=0).repeat(4, axis=1)
        assert off(pixels[36:516, 24:760], large) < TOLERANCE
        assert off(pixels[540:700, 24:184], view) < TOLERANCE


@pytest.mark.parametrize(
    ("shape", "place"),
    [((120, 184), (736, 480)), ((72, 104), (728, 504)), ((240, 240), (480, 480)), ((88, 88), (440, 440))],
)
def test_images_of_other_sizes_grow_by_whole_factors(shape: tuple[int, int], place: tuple[int, int]) -> None:
    box = Box(24, 36, 736, 504 if place[1] > 480 else 480)
    assert fit(np.zeros((*shape, 3), np.uint8), box) == (24, 36, *place)


def test_validated_hypothesis_stands_out(game: GameFacts) -> None:
    thoughts = Thoughts(hypotheses=HELD)
    held = shown_in(picture.HYPOTHESES, game, step(0, decision(thoughts)))
    validated = shown_in(picture.HYPOTHESES, game, step(0, decision(replace(thoughts, validated=HELD[1]))))
    accent = (245, 184, 75)
    assert not (held == accent).all(axis=-1).any()
    assert (validated == accent).all(axis=-1).any()


def test_value_moves_the_bar(game: GameFacts) -> None:
    low, high = (
        shown_in(picture.HYPOTHESES, game, step(0, decision(Thoughts(hypotheses=(replace(HELD[0], value=value),)))))
        for value in (0.2, 0.9)
    )
    green = (99, 210, 151)
    assert 0 < (low == green).all(axis=-1).sum() < (high == green).all(axis=-1).sum()


def test_inventory_is_in_the_colours_of_the_game(game: GameFacts) -> None:
    shown = shown_in(picture.OWN, game, step(0, decision(inventory=(2, 0, 4))))
    amounts = [(shown == colour).all(axis=-1).sum() for colour in ((255, 227, 11), (109, 42, 255), (42, 188, 255))]
    assert amounts[1] == 0
    assert amounts[2] == 2 * amounts[0] > 0


def test_last_inferred_inventory_stays(game: GameFacts) -> None:
    steps = [step(0, decision(other_inventory=(5, 1, 1))), step(1, decision())]
    assert np.array_equal(shown_in(picture.OTHER, game, *steps), shown_in(picture.OTHER, game, steps[0]))
    assert not np.array_equal(shown_in(picture.OTHER, game, *steps), shown_in(picture.OTHER, game, steps[1]))


@pytest.mark.parametrize(
    ("box", "decided"),
    [
        (picture.STRATEGY, decision(Thoughts(MatrixStrategy("collect paper")))),
        (picture.STRATEGY, decision(Thoughts(MatrixStrategy("none", target=(1, 6, 1))))),
        (picture.CALL, decision(subgoal="move_to((3, 4))")),
        (picture.HYPOTHESES, decision(Thoughts(hypotheses=HELD))),
        (picture.OWN, decision(inventory=(1, 6, 1))),
    ],
)
def test_what_changes_is_drawn_again(game: GameFacts, box: Box, decided: Decision[int]) -> None:
    before = shown_in(box, game, step(0, decision()))
    assert not np.array_equal(before, shown_in(box, game, step(0, decision()), step(1, decided)))
    assert np.array_equal(before, shown_in(box, game, step(0, decided), step(1, decision())))


def test_a_call_is_no_longer_shown_once_the_plan_is_over(game: GameFacts) -> None:
    fired, other = (step(0, decision(subgoal=call, over_because="it fired")) for call in ("fire_at((3, 4))", "wait(5)"))
    assert np.array_equal(shown_in(picture.CALL, game, fired), shown_in(picture.CALL, game, other))
    assert not np.array_equal(shown_in(picture.CALL, game, fired), shown_in(picture.CALL, game, step(0)))


def test_reward_is_followed(game: GameFacts) -> None:
    won = [step(0), step(1, reward=10.0, total=10.0), step(2, total=10.0)]
    lost = [step(0), step(1, reward=-10.0, total=-10.0), step(2, total=-10.0)]
    assert not np.array_equal(shown_in(picture.REWARD, game, *won), shown_in(picture.REWARD, game, *lost))
    assert np.array_equal(shown_in(picture.REWARD, game, *won), shown_in(picture.REWARD, game, *won[:2]))


def test_long_texts_stay_inside_their_boxes(game: GameFacts) -> None:
    endless = "word " * 500 + "x" * 2000
    held = tuple(Hypothesis(f"{number} {endless}", 1e6, endless) for number in range(30))
    thoughts = Thoughts(MatrixStrategy(endless, target=(1, 1, 999)), endless, held, held[7])
    decided = decision(thoughts, inventory=(999, 0, 1), other_inventory=(1, 999, 1), subgoal=endless)
    drawn = VideoPicture(game, SEAT, endless)(step(10**9, decided, 1e6, 1e6, view=sprites(40, 40, seed=1)))
    boxes = [box for box in vars(picture).values() if isinstance(box, Box)]
    for box in boxes:
        inside(drawn, box)[:] = 0
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) <= 3  # the background, the frames and the boxes


@pytest.mark.parametrize("text", ["a short text", "many words " * 40, "x" * 300, "tail after " + "y" * 90, "", " \n "])
def test_wrapped_lines_fit_and_lose_nothing_unmarked(text: str) -> None:
    lines = wrap(text, 17, 200, 3)
    assert len(lines) <= 3
    assert all(font(17).getlength(line) <= 200 for line in lines)
    whole = "".join(lines) if lines and lines[-1].endswith("…") else "".join(text.split())
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")


def test_cut_episode_leaves_a_playable_file(tmp_path: Path, game: GameFacts) -> None:
    path = tmp_path / "video.mp4"
    recorder = VideoRecorder(path, VideoPicture(game, SEAT, "title"))
    recorder.record(step(0))
    with pytest.raises(KeyError):
        recorder.record(replace(step(1), turn=Turn(1, {SEAT: Observation(1, {})})))
    recorder.close()
    recorder.close()
    assert len(decoded(path)) == 1


def test_no_steps_leave_no_file(tmp_path: Path, game: GameFacts) -> None:
    VideoRecorder(tmp_path / "video.mp4", VideoPicture(game, SEAT, "title")).close()
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_an_os_error(tmp_path: Path, game: GameFacts) -> None:
    recorder = VideoRecorder(tmp_path / "nowhere" / "video.mp4", VideoPicture(game, SEAT, "title"))
    with pytest.raises(FileNotFoundError):
        recorder.record(step(0))


def test_full_disk_is_an_os_error(tmp_path: Path, game: GameFacts) -> None:
    (tmp_path / "video.mp4").symlink_to("/dev/full")
    recorder = VideoRecorder(tmp_path / "video.mp4", VideoPicture(game, SEAT, "title"))

    def record_all() -> None:
        for number in range(20):
            recorder.record(step(number))
        recorder.close()

    with pytest.raises(OSError, match="No space left"):
        record_all()


def test_the_agents_own_cell_is_framed(game: GameFacts) -> None:
    shown = shown_in(picture.WORLD, game, step(0, decision(pose=Pose(3, 2, 0))))
    tile, plain = shown[64:96, 96:128], world(0)[16:24, 24:32].repeat(4, axis=0).repeat(4, axis=1)
    assert (tile[0] == ImageColor.getrgb(ACCENT)).all()
    assert (tile[2:-2, 2:-2] == plain[2:-2, 2:-2]).all()


def test_an_agent_that_counts_cells_from_where_it_began_is_framed_where_the_map_shows_it() -> None:
    arena, coins = (game_named(name, GameFacts) for name in ("rws_arena", "coins"))
    frame = np.zeros((192, 200, 3), np.uint8)
    frame[16:24, 24:32] = atlas_of(arena.substrate).picture(Sprite("Avatar1"))
    filmed = step(0, decision(pose=Pose(50, 50, 0), is_own_map=True), frame=frame)
    accent = ImageColor.getrgb(ACCENT)
    assert (shown_in(picture.WORLD, arena, filmed)[32, 48:64] == accent).all()
    # In Coins, which player has which colour is drawn.
    assert not (shown_in(picture.WORLD, coins, filmed) == accent).all(axis=-1).any()


FIRST = [*{(game.game, len(game.holdings)): game for game in load_games() if kind_of(game).offers}.values()]
"""A game of each kind, by the number of things that a player may hold; others differ in maps and sprites alone."""
FILMED = [
    pytest.param(game, marks=() if game in FIRST else pytest.mark.heavy)
    for game in load_games()
    if kind_of(game).offers
]


@pytest.mark.parametrize("other", FILMED, ids=lambda other: other.short_name)
def test_every_game_can_be_filmed(other: GameFacts) -> None:
    vision = vision_of(other.short_name, 0)
    columns, rows = 8 * vision.layout.width, 8 * vision.layout.height
    seen = sprites(8 * vision.window.rows, 8 * vision.window.columns, seed=1)
    held = tuple(range(1, 1 + len(other.holdings)))
    decided = decision(Thoughts(about="player_3", hypotheses=HELD), inventory=held, other_inventory=held)
    shown = step(0, decided, view=seen, frame=sprites(rows, columns, 0))
    drawn = VideoPicture(other, SEAT, other.title)(shown)
    assert len(np.unique(inside(drawn, picture.WORLD).reshape(-1, 3), axis=0)) > 10
    assert (len(np.unique(inside(drawn, picture.OTHER).reshape(-1, 3), axis=0)) > 5) == isinstance(other, MatrixFacts)


def test_a_picture_stays_as_it_was_drawn(game: GameFacts) -> None:
    draw = VideoPicture(game, SEAT, "title")
    first = draw(step(0))
    before = first.copy()
    draw(step(1))
    assert np.array_equal(first, before)


def test_in_self_play_the_first_seat_is_shown(game: GameFacts) -> None:
    alone, other = step(0), step(1, decision(subgoal="wait((1, 1))"), 1.0, 1.0)
    both = replace(
        alone,
        turn=Turn(0, {SEAT: alone.turn.observations[SEAT], "player_1": other.turn.observations[SEAT]}),
        decisions={"player_1": other.decisions[SEAT], **alone.decisions},
        rewards={"player_1": 1.0, SEAT: 0.0},
        totals={"player_1": 1.0, SEAT: 0.0},
    )
    assert np.array_equal(VideoPicture(game, SEAT, "title")(both), VideoPicture(game, SEAT, "title")(alone))


def test_both_boards_of_a_pair_are_filmed_and_one_that_is_over_stays_as_it_was() -> None:
    scenario = find_scenarios(["rws_pairs_order_1_odd"])[0]
    draw = MeltingPotViewer(scenario_named("rws_pairs_order_1_odd")).picture(scenario, "title")
    assert draw is not None
    first, second = draw(of_boards(step(0), *BOARDS)), draw(of_boards(step(1), BOARDS[1]))
    assert first.shape == (2 * 720, 1280, 3)
    assert np.array_equal(second[:720], first[:720])
    assert not np.array_equal(second[720:], first[720:])
    assert not np.array_equal(inside(first[:720], picture.HEADING), inside(first[720:], picture.HEADING))


def of_boards(alone: Step, *seats: str) -> Step:
    """A step of those boards of a pair that are still played, all alike."""
    return Step(
        Turn(alone.turn.step, dict.fromkeys(seats, alone.turn.observations[SEAT])),
        dict.fromkeys(seats, alone.decisions[SEAT]),
        dict.fromkeys(seats, 0.0),
        dict.fromkeys(BOARDS, 0.0),
        dict.fromkeys(BOARDS, alone.scene),
    )
