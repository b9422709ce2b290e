"""Two run folders are compared: what differs is told, and what may differ is not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.metrics import Measure
from hm_agent.recording.result import Result
from tests.reporting.examples import leave, result, settings
from tests.support.behaviour import RunComparison, compare_runs

PLAYED = result("react", 3.5, metrics={"normalised_reward": 12.5, "interactions": 4})
EPISODE = f"{PLAYED.scenario}/react/{PLAYED.model}/episode-1"
EVENT = {"kind": "InteractionEvent", "words": "met", "fields": {"step": 1}}
LINES: Sequence[dict[str, Any]] = (
    {"format": 2, "kind": "hm_agent trace"},
    {"step": 0, "seat": "player_0", "action": "forward", "reward": 0.0, "state": {"pose": [1, 2, 0]}},
    {"step": 1, "seat": "player_0", "action": "noop", "reward": 3.5, "events": [EVENT]},
)


def run_folder(folder: Path, played: Result = PLAYED, lines: Sequence[Mapping[str, Any]] = LINES) -> Path:
    leave(folder, played)
    (folder / EPISODE / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def compare(folder: Path, played: Result = PLAYED, lines: Sequence[Mapping[str, Any]] = LINES) -> RunComparison:
    """Compares an episode with the one of PLAYED and LINES."""
    return compare_runs(run_folder(folder / "before"), run_folder(folder / "after", played, lines))


def test_what_older_results_and_traces_lack_is_no_difference_nor_are_times(tmp_path: Path) -> None:
    later = replace(PLAYED, measure=Measure(unit="points"), wall_seconds=9.0, versions={})
    planned = LINES[1] | {"state": LINES[1]["state"] | {"asked_because": "the plan is used up", "skipped": ["wait"]}}
    met = LINES[2] | {"right": [True], "relied_on": [{"words": "plays rock", "value": 0.0}]}
    found = compare(tmp_path, later, (LINES[0], planned, met))
    assert (found.results.differences, found.traces.differences) == ({}, {})
    assert (found.results.same, found.traces.same) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"reward": 4.5}, "reward: 3.5, then 4.5"),
        ({"metrics": {**PLAYED.metrics, "interactions": 5}}, "metrics.interactions: 4.0, then 5.0"),
        ({"settings": settings(bots=None)}, "settings.bots: 'scripted', then None"),
        ({"background": ("other",)}, "background.0: "),
    ],
    ids=["reward", "metric", "setting", "background"],
)
def test_first_difference_of_results_is_told(tmp_path: Path, changes: dict[str, Any], difference: str) -> None:
    found = compare(tmp_path, replace(PLAYED, **changes)).results
    assert found.differences[f"{EPISODE}/result.json"].startswith(difference)
    assert found.same == 0


def test_another_measure_is_a_difference(tmp_path: Path) -> None:
    folders = [run_folder(tmp_path / unit, replace(PLAYED, measure=Measure(unit=unit))) for unit in ("steps", "points")]
    assert len(compare_runs(*folders).results.differences) == 1


def test_first_difference_of_traces_is_told_with_its_line(tmp_path: Path) -> None:
    changed = (*LINES[:2], LINES[2] | {"events": [EVENT | {"fields": {"step": 8}}]})
    for lines, difference in ((changed, "line 2: events.0.fields.step: 1, then 8"), (LINES[:2], "line 2: all: ")):
        found = compare(tmp_path / str(len(lines)), PLAYED, lines)
        assert found.traces.differences[f"{EPISODE}/trace.jsonl"].startswith(difference)


def test_files_of_one_folder_alone_are_no_difference(tmp_path: Path) -> None:
    (tmp_path / "after").mkdir()
    found = compare_runs(run_folder(tmp_path / "before"), tmp_path / "after")
    assert found.only_before == (f"{EPISODE}/result.json", f"{EPISODE}/trace.jsonl")
    assert (found.only_after, found.results.compared, found.traces.compared) == ((), 0, 0)


def test_what_is_no_result_is_not_the_same_as_anything(tmp_path: Path) -> None:
    for name, spoilt in (("one", ("after",)), ("both", ("before", "after"))):
        folders = {when: run_folder(tmp_path / name / when) for when in ("before", "after")}
        for when in spoilt:
            (folders[when] / EPISODE / "result.json").write_text("3")
        found = compare_runs(*folders.values()).results
        assert found.same == 0
        assert "no result that this version knows" in found.differences[f"{EPISODE}/result.json"]
