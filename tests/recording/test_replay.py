"""What a replay's page holds is what was recorded."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from benchmarks.stage import set_up
from hm_agent.core import Decision, Observation, Recorder, Step, Strategy
from hm_agent.episode import run_episode
from hm_agent.recording.replay.recorder import PAGE, THUMBNAIL, ReplayRecorder
from hm_agent.recording.replay.strip import Strip
from hm_agent.recording.trace import TraceRecorder
from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE, Pixels
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from tests.recording.witness import Nowhere, Witness
from tests.reporting.examples import result

(SCENARIO,) = find_scenarios(["rws_repeated_1"])
STEPS = 300


def unpacked(packed: str) -> bytes:
    return zlib.decompress(base64.b64decode(packed))


def frames(strip: Strip) -> list[Pixels]:
    """The frames that a page makes of a strip."""
    places = strip.rows * strip.columns
    shape = (-1, SPRITE_SIZE, SPRITE_SIZE, 3)
    patches = np.frombuffer(unpacked(strip.patches.text()), np.uint8).reshape(shape)
    changes = np.frombuffer(unpacked(strip.changes.text()), "<u4").reshape(-1, places)
    numbers = np.bitwise_xor.accumulate(changes, axis=0)
    tiles = patches[numbers].reshape(-1, strip.rows, strip.columns, SPRITE_SIZE, SPRITE_SIZE, 3)
    whole = tiles.swapaxes(2, 3).reshape(-1, strip.rows * SPRITE_SIZE, strip.columns * SPRITE_SIZE, 3)
    return list(whole)


@dataclass(frozen=True)
class Recording:
    page: str
    folder: Path
    witness: Witness

    def lines(self, name: str) -> list[dict[str, Any]]:
        found = re.search(rf'<script type="application/octet-stream" id="{name}">([^<]+)</script>', self.page)
        assert found
        return [json.loads(line) for line in unpacked(found[1]).splitlines()]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("episode")
    world, agent = set_up(SCENARIO, 3)
    witness, replay = Witness(world), ReplayRecorder(world, folder, SCENARIO)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay, witness]
    asyncio.run(run_episode(world, agent, seed=3, max_steps=STEPS, recorders=recorders))
    replay.write(result(steps=STEPS))
    world.close()
    return Recording((folder / PAGE).read_text("utf-8"), folder, witness)


def test_a_strip_gives_back_every_frame_to_the_pixel(recording: Recording) -> None:
    for recorded in (recording.witness.frames, recording.witness.views):
        strip = Strip()
        for frame in recorded:
            strip.add(frame)
        assert all((shown == frame).all() for shown, frame in zip(frames(strip), recorded, strict=True))


def test_the_page_holds_the_trace_as_it_was_written(recording: Recording) -> None:
    trace = (recording.folder / "trace.jsonl").read_text("utf-8").splitlines()
    assert recording.lines("trace") == [json.loads(line) for line in trace]


def test_memory_can_be_followed_from_what_is_seen_and_gone(recording: Recording) -> None:
    memory: dict[tuple[str, int, int], int] = {}
    for step, line in enumerate(recording.lines("scenes")):
        for gone in line.get("gone", []):
            del memory[tuple(gone)]
        memory |= {tuple(seen): step for seen in line.get("seen", [])}
        assert {(name, (x, y), when) for (name, x, y), when in memory.items()} == recording.witness.remembered[step]


def test_what_is_in_view_and_what_is_hidden_is_told_where_it_changes(recording: Recording) -> None:
    now: dict[str, Any] = {}
    for step, line in enumerate(recording.lines("scenes")):
        now |= line
        truths = recording.witness.truths[step]
        assert now["scene"] == recording.witness.scenes[step]
        assert now["inventories"] == [list(truth.inventory or ()) for truth in truths]
        assert now["aims"] == [truth.behaviour for truth in truths]


def test_what_both_held_in_an_interaction_is_what_the_engine_says(recording: Recording) -> None:
    held = [line["held"] for line in recording.lines("scenes") if "held" in line]
    understood = [one for line in recording.lines("trace") for one in line.get("understood", [])]
    assert len(understood) >= 3
    assert [own for own, _ in held][: len(understood)] == [one["own"] for one in understood]
    assert all(sum(other) > 3 for _, other in held)


def test_every_question_has_the_prompt_that_a_language_model_would_read(recording: Recording) -> None:
    asked = [said for line in recording.lines("scenes") for said in line.get("asked", [])]
    questions = [said for line in recording.lines("trace") for said in line.get("questions", [])]
    assert len(asked) == len(questions) > 0
    assert all("# Answer" in said["prompt"] for said in asked)


def test_the_way_ahead_leads_from_the_agents_cell_step_by_step(recording: Recording) -> None:
    routes = 0
    now: dict[str, Any] = {"route": []}
    for line, step in zip(recording.lines("scenes"), recording.witness.steps, strict=True):
        now |= line
        pose = step.decision.pose
        if pose is None or not now["route"]:
            continue
        cells = [pose.cell, *map(tuple, now["route"])]
        assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(cells)), (step.decision, cells)
        routes += 1
    assert routes > STEPS / 4


def test_the_thumbnail_is_the_frame_of_the_largest_reward(recording: Recording) -> None:
    rewards = [abs(step.reward) for step in recording.witness.steps]
    frame = recording.witness.frames[rewards.index(max(rewards))]
    assert (np.asarray(Image.open(recording.folder / THUMBNAIL)) == frame).all()


def written(folder: Path, *decisions: Decision) -> str:
    """The page on steps of which only the decisions are known."""
    replay, trace = ReplayRecorder(Nowhere(), folder, SCENARIO), TraceRecorder(folder / "trace.jsonl")
    for number, decision in enumerate(decisions):
        step = Step(Observation(number, {"RGB": np.zeros((8, 8, 3), np.uint8)}), decision, 0.0, 0.0)
        trace.record(step)
        replay.record(step)
    trace.close()
    replay.write(result(reason="<b>Broken</b>"))
    return (folder / PAGE).read_text("utf-8")


def test_a_models_words_and_a_results_are_no_part_of_the_page(tmp_path: Path) -> None:
    words = "</script><script>alert(1)</script>"
    page = written(tmp_path, Decision(0, strategy=Strategy(words)))
    assert words not in page
    assert "<b>Broken</b>" not in page
    assert page.count("</script>") == page.count("<script")


def test_half_a_surrogate_pair_does_no_harm(tmp_path: Path) -> None:
    assert "</html>" in written(tmp_path, Decision(0, strategy=Strategy("\ud83d")))


def test_an_episode_without_a_step_leaves_no_page(tmp_path: Path) -> None:
    replay = ReplayRecorder(Nowhere(), tmp_path, SCENARIO)
    replay.close()
    replay.write(result())
    assert list(tmp_path.iterdir()) == []
