from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.behaviour import RunComparison, compare_runs

EPISODE = "scenario/agent/model/episode-0"
METRICS = {"normalised_reward": 12.5, "interactions": 4, "unknown_patches": 0, "pose_lost_steps": 2}
SHARED = {
    "scenario": "rws",
    "agent": "react",
    "model": "builtin",
    "episode": 0,
    "seed": 7,
    "status": "completed",
    "reason": "",
    "steps": 2,
    "reward": 3.5,
    "background": ["bot"],
    "questions": 5,
    "unanswered_questions": 0,
    "model_calls": 0,
    "cached_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost": 0.0,
    "agent_ms_per_step_median": 0.2,
    "wall_seconds": 1.5,
    "versions": {"hm_agent": "0.1.0"},
}
SEAT = {"seat": "player_0", "agent": "react", "model": "builtin", "reward": 3.5}
FORMAT_2 = SHARED | {
    "format": 2,
    "world": "melting_pot",
    "metrics": METRICS,
    "seats": [SEAT],
    "settings": {"seed": 0, "bots": "scripted"},
}
EVENT = {"kind": "InteractionEvent", "words": "met", "fields": {"step": 1}}
LINES_2: Sequence[dict[str, Any]] = (
    {"format": 2, "kind": "hm_agent trace"},
    {"step": 0, "seat": "player_0", "action": "forward", "reward": 0.0, "state": {"pose": [1, 2, 0]}},
    {"step": 1, "seat": "player_0", "action": "noop", "reward": 3.5, "events": [EVENT], "interactions": [{"step": 1}]},
)


def run_folder(folder: Path, result: Mapping[str, Any], lines: Sequence[Mapping[str, Any]] = LINES_2) -> Path:
    episode = folder / EPISODE
    episode.mkdir(parents=True)
    (episode / "result.json").write_text(json.dumps(result))
    (episode / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def compare(folder: Path, result: Mapping[str, Any], lines: Sequence[Mapping[str, Any]] = LINES_2) -> RunComparison:
    """Compares an episode with the one of FORMAT_2 and LINES_2."""
    before = run_folder(folder / "before", FORMAT_2)
    return compare_runs(before, run_folder(folder / "after", result, lines))


def test_a_measure_that_older_results_lack_is_no_difference_and_another_measure_is_one(tmp_path: Path) -> None:
    measured = FORMAT_2 | {"measure": {"unit": "points"}}
    assert compare(tmp_path / "lacking", measured).results.differences == {}
    before = run_folder(tmp_path / "before", FORMAT_2 | {"measure": {"unit": "steps"}})
    after = run_folder(tmp_path / "after", measured)
    assert len(compare_runs(before, after).results.differences) == 1


def test_times_and_versions_may_differ(tmp_path: Path) -> None:
    found = compare(tmp_path, FORMAT_2 | {"wall_seconds": 9.0, "agent_ms_per_step_median": None, "versions": {}})
    assert found.results.differences == {}


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"reward": 4.5}, "reward: 3.5, then 4.5"),
        ({"metrics": METRICS | {"interactions": 5}}, "metrics.interactions: 4.0, then 5.0"),
        ({"settings": {"seed": 0}}, "settings.bots: 'scripted', then '(absent)'"),
        ({"seats": [SEAT | {"reward": 1.0}]}, "seats.0.reward: 3.5, then 1.0"),
    ],
    ids=["reward", "metric", "setting", "seat"],
)
def test_first_difference_of_results_is_told(tmp_path: Path, changed: dict[str, Any], difference: str) -> None:
    found = compare(tmp_path, FORMAT_2 | changed)
    assert found.results.differences == {f"{EPISODE}/result.json": difference}
    assert found.results.same == 0


def test_first_difference_of_traces_is_told_with_its_line(tmp_path: Path) -> None:
    changed = (*LINES_2[:2], LINES_2[2] | {"events": [EVENT | {"fields": {"step": 8}}]})
    found = compare(tmp_path, FORMAT_2, changed)
    assert found.traces.differences == {f"{EPISODE}/trace.jsonl": "line 2: events.0.fields.step: 1, then 8"}


def test_what_older_traces_lack_is_no_difference(tmp_path: Path) -> None:
    planned = LINES_2[1] | {
        "state": LINES_2[1]["state"] | {"asked_because": "the plan is used up", "skipped": ["wait"]}
    }
    met = LINES_2[2] | {"right": [True], "relied_on": [{"words": "plays rock", "value": 0.0}]}
    assert compare(tmp_path, FORMAT_2, (LINES_2[0], planned, met)).traces.differences == {}


def test_shorter_trace_differs(tmp_path: Path) -> None:
    found = compare(tmp_path, FORMAT_2, LINES_2[:2])
    assert found.traces.differences[f"{EPISODE}/trace.jsonl"].endswith("then None")


def test_files_of_one_folder_alone_are_no_difference(tmp_path: Path) -> None:
    before, after = run_folder(tmp_path / "before", FORMAT_2), tmp_path / "after"
    after.mkdir()
    found = compare_runs(before, after)
    assert found.only_before == (f"{EPISODE}/result.json", f"{EPISODE}/trace.jsonl")
    assert (found.only_after, found.results.compared, found.traces.compared) == ((), 0, 0)


@pytest.mark.parametrize("before", ["3", json.dumps(FORMAT_2)])
def test_what_is_no_result_is_not_the_same_as_anything(tmp_path: Path, before: str) -> None:
    found = [run_folder(tmp_path / name, FORMAT_2) for name in ("before", "after")]
    (found[0] / EPISODE / "result.json").write_text(before)
    (found[1] / EPISODE / "result.json").write_text("3")
    results = compare_runs(*found).results
    assert results.same == 0
    assert "no result that this version knows" in results.differences[f"{EPISODE}/result.json"]
