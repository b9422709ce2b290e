"""What a replay's page holds is what was recorded."""

from __future__ import annotations

import base64
import json
import random
import re
import tracemalloc
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hm_agent.core import Decision
from hm_agent.recording.replay.film import HELD, TILE, CompressedText, Film, Pixels
from hm_agent.recording.replay.recorder import THUMBNAIL, ReplayRecorder, merge_patch
from tests.recording.recordings import NO_SCENARIO, GreySquare, Recording, record, result, thinking, written

STEPS = 300
NUMBERED: dict[str, Any] = {"all": {"a": 1, "b": 2}, "plan": [1, 2], "flag": 1}


def unpacked(packed: str) -> bytes:
    return zlib.decompress(base64.b64decode(packed))


def frames(film: Film) -> list[Pixels]:
    """The frames that a page makes of a film."""
    places = film.rows * film.columns
    shape = (-1, TILE, TILE, 3)
    tiles = np.frombuffer(unpacked(film.tiles.base64()), np.uint8).reshape(shape)
    changes = np.frombuffer(unpacked(film.changes.base64()), "<u4").reshape(-1, places)
    numbers = np.bitwise_xor.accumulate(changes, axis=0)
    placed = tiles[numbers].reshape(-1, film.rows, film.columns, TILE, TILE, 3)
    whole = placed.swapaxes(2, 3).reshape(-1, film.rows * TILE, film.columns * TILE, 3)
    return list(whole[:, : film.height, : film.width])


def test_long_texts_lie_on_the_disk_and_come_back_whole() -> None:
    stream, text = random.Random(0), CompressedText()
    tracemalloc.start()
    try:
        for _ in range(20):
            text.add(stream.randbytes(HELD))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    stream = random.Random(0)
    whole = b"".join(stream.randbytes(HELD) for _ in range(20))
    assert held < 5 * HELD
    assert unpacked(text.base64()) == whole


def lines(recording: Recording, name: str) -> list[dict[str, Any]]:
    """The lines of JSON that the page holds under a name."""
    page = recording.path.read_text("utf-8")
    found = re.search(rf'<script type="application/octet-stream" id="{name}">([^<]+)</script>', page)
    assert found
    return [json.loads(line) for line in unpacked(found[1]).splitlines()]


def patched(before: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """What a JSON merge patch makes of a mapping (RFC 7396)."""
    now = dict(before)
    for key, value in patch.items():
        if value is None:
            now.pop(key, None)
        else:
            before = now[key] if isinstance(now.get(key), dict) else {}
            now[key] = patched(before, value) if isinstance(value, dict) else value
    return now


def shown(recording: Recording, seat: str = "player_0") -> list[dict[str, Any]]:
    """What the page shows of each step from a seat, put together from its lines."""
    now: dict[str, Any] = {}
    states = []
    for line in lines(recording, "steps"):
        now = patched(now, line["seats"][seat].get("shown", {}))
        states.append(now)
    return states


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("episode"), "rws_repeated_1", STEPS)


def test_a_film_gives_back_every_frame_to_the_pixel(recording: Recording) -> None:
    for recorded in (recording.witness.frames, recording.witness.views):
        film = Film()
        for frame in recorded:
            film.add(frame)
        assert all((shown == frame).all() for shown, frame in zip(frames(film), recorded, strict=True))


def test_a_film_takes_frames_of_any_size_and_repeats_them() -> None:
    first, second = (np.random.default_rng(seed).integers(0, 256, (13, 22, 3), np.uint8) for seed in (1, 2))
    film = Film()
    film.add(first)
    film.repeat()
    film.add(second)
    assert all((shown == frame).all() for shown, frame in zip(frames(film), (first, first, second), strict=True))


def test_the_page_holds_the_trace_as_it_was_written(recording: Recording) -> None:
    trace = (recording.folder / "trace.jsonl").read_text("utf-8").splitlines()
    assert lines(recording, "trace") == [json.loads(line) for line in trace]


def test_memory_can_be_followed_from_what_changes(recording: Recording) -> None:
    for step, now in enumerate(shown(recording)):
        memory = {
            (*re.fullmatch(r"(.*) (\d+) (\d+)", place).groups(), step if when == "in view" else when)  # type: ignore[union-attr]
            for place, when in now.get("remembered", {}).items()
        }
        assert {(name, (int(x), int(y)), when) for name, x, y, when in memory} == recording.witness.remembered(step)


def test_what_is_in_view_and_what_is_hidden_is_told_where_it_changes(recording: Recording) -> None:
    for step, now in enumerate(shown(recording)):
        truths, state = recording.witness.truths[step], recording.witness.states[step]
        assert now["scene"] == state.view.describe(state.kinds)
        assert now["inventories"] == [list(truth.inventory or ()) for truth in truths]
        assert now["aims"] == [truth.behaviour for truth in truths]


def test_what_both_held_in_an_interaction_is_what_the_engine_says(recording: Recording) -> None:
    held = [now["held"] for now in shown(recording) if "held" in now]
    understood = [one for line in recording.trace for one in line.get("interactions", [])]
    assert len(understood) >= 2
    assert [own for own, _ in held][: len(understood)] == [one["own"] for one in understood]
    assert all(sum(other) > 3 for _, other in held)


def test_every_question_has_the_prompt_that_a_language_model_would_read(recording: Recording) -> None:
    asked = [said for line in lines(recording, "steps") for said in line["seats"]["player_0"].get("asked", [])]
    questions = [said for line in recording.trace for said in line.get("questions", [])]
    assert len(asked) == len(questions) > 0
    assert all("# Answer" in said["prompt"] for said in asked)


def test_a_step_says_why_a_plan_was_asked_for_if_and_only_if_one_was(recording: Recording) -> None:
    reasons = {}
    for line in recording.trace:
        planned = any(one["question"] == "Plan" for one in line.get("questions", []))
        assert ("asked_because" in line["state"]) == planned
        reasons[line["step"]] = line["state"].get("asked_because")
    assert reasons[0] is None  # the first plan is to watch, which nobody is asked for
    assert {"an interaction is over", "your strategy has changed"} <= set(reasons.values())


def test_the_way_ahead_leads_from_the_agents_cell_step_by_step(recording: Recording) -> None:
    routes = 0
    for now, state in zip(shown(recording), recording.witness.states, strict=True):
        if state.pose is None or not now["route"]:
            continue
        cells = [state.pose.cell, *map(tuple, now["route"])]
        assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(cells)), (state, cells)
        routes += 1
    assert routes > STEPS / 4


def test_the_threshold_is_the_strategists(recording: Recording) -> None:
    seats = [line["seats"]["player_0"] for line in lines(recording, "steps")]
    told = [seat["threshold"] for seat in seats if "threshold" in seat]
    assert told == [0.7]


def test_rewards_add_up(recording: Recording) -> None:
    now: dict[str, Any] = {}
    for line, step in zip(lines(recording, "steps"), recording.witness.steps, strict=True):
        now = patched(now, line["totals"])
        assert now == step.totals


def test_the_thumbnail_is_the_frame_of_the_largest_reward(recording: Recording) -> None:
    rewards = [abs(step.rewards["player_0"]) for step in recording.witness.steps]
    frame = recording.witness.frames[rewards.index(max(rewards))]
    assert (np.asarray(Image.open(recording.folder / THUMBNAIL)) == frame).all()


@pytest.mark.parametrize(
    ("now", "patch"),
    [
        (NUMBERED, {}),
        ({**NUMBERED, "plan": [2]}, {"plan": [2]}),
        ({**NUMBERED, "all": {"a": 1, "c": 3}}, {"all": {"b": None, "c": 3}}),
        ({"all": NUMBERED["all"], "plan": None}, {"plan": None, "flag": None}),
        ({**NUMBERED, "flag": True}, {"flag": True}),
    ],
)
def test_a_patch_tells_what_has_changed(now: dict[str, Any], patch: dict[str, Any]) -> None:
    assert merge_patch(NUMBERED, now) == patch
    assert patched(NUMBERED, patch) == {key: value for key, value in now.items() if value is not None}


def test_a_models_words_and_a_results_are_no_part_of_the_page(tmp_path: Path) -> None:
    words = "</script><script>alert(1)</script>"
    decision = Decision(0, thoughts=thinking(words))
    page = written(GreySquare(), tmp_path, decision, reason="<b>Broken</b>").read_text("utf-8")
    assert words not in page
    assert "<b>Broken</b>" not in page
    assert page.count("</script>") == page.count("<script")


def test_half_a_surrogate_pair_does_no_harm(tmp_path: Path) -> None:
    page = written(GreySquare(), tmp_path, Decision(0, thoughts=thinking("\ud83d")))
    assert "</html>" in page.read_text("utf-8")


def test_an_episode_without_a_step_leaves_no_page(tmp_path: Path) -> None:
    replay = ReplayRecorder(GreySquare(), tmp_path, NO_SCENARIO)
    replay.close()
    replay.write(result(NO_SCENARIO))
    assert list(tmp_path.iterdir()) == []


def test_a_world_without_pictures_has_a_page_and_no_thumbnail(tmp_path: Path) -> None:
    page = written(None, tmp_path, Decision(0))
    assert sorted(path.name for path in tmp_path.iterdir()) == [page.name, "trace.jsonl"]
