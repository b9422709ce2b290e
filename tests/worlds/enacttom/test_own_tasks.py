"""Tasks of one's own folder: listed, played and named by their content."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import register_scenarios, suites
from hm_agent.command_line.commands import PLAY
from hm_agent.config import ConfigError
from hm_agent.extensions import ADDED
from hm_agent.worlds.enacttom.measure_command import main as measure
from hm_agent.worlds.enacttom.scenarios import hard_task_files, task_files

pytestmark = pytest.mark.usefixtures("forgets_folders")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    place.mkdir()
    shutil.copy(task_files()["enacttom_far_handle"], place / "far.json")
    return place


def play(folder: Path, out: Path, *flags: str) -> int:
    asked = (f"--scenarios_dir={folder}", "--scenario=enacttom_own_*", f"--out={out}", "--noreplay")
    return PLAY.run([*asked, "--agent=planner", "--model=builtin", *flags])


def test_own_tasks_are_played_and_results_name_their_content(folder: Path, tmp_path: Path) -> None:
    assert play(folder, tmp_path / "runs") == 0
    (result,) = (tmp_path / "runs").glob("*/planner/*/*/result.json")
    first = json.loads(result.read_text())
    assert first["scenario"].startswith("enacttom_own_far-")
    assert first["metrics"]["functional_success"] == 1.0

    changed = json.loads((folder / "far.json").read_text()) | {"title": "Another one"}
    register_scenarios(folder)
    (listed,) = find_scenarios(["enacttom_own_far"])
    (folder / "far.json").write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match="no file has this content any more"):
        suites()["enacttom"].open(listed, {})


def test_own_tasks_are_measured_where_their_folder_is_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(folder, tmp_path / "runs")
    ADDED.folders.clear()
    with pytest.raises(ConfigError, match=r"enacttom_own_far-.* no file has this task: say --scenarios_dir"):
        measure([str(tmp_path / "runs")])
    capsys.readouterr()
    assert measure([str(tmp_path / "runs"), f"--scenarios_dir={folder}"]) == 0
    assert "| planner | 100% |" in capsys.readouterr().out


def test_the_shipped_tasks_stay(folder: Path) -> None:
    before = set(task_files())
    register_scenarios(folder)
    assert set(task_files()) - before == {one.name for one in find_scenarios(["enacttom_own_*"])}
    assert before <= set(task_files())


def test_own_hard_tasks_are_found_by_the_glob_for_own_ones_alone(folder: Path) -> None:
    for twin in "ab":
        shutil.copy(hard_task_files()[f"enacttom_hard_k1_errand_00_{twin}"], folder)
    register_scenarios(folder)
    own = [f"enacttom_own_{name}" for name in ("far", "hard_k1_errand_00_a", "hard_k1_errand_00_b")]
    assert [one.short_name for one in find_scenarios(["enacttom_own_*"])] == own
    assert {one.short_name for one in find_scenarios(["enacttom_*"])} & {*own} == {own[0]}


@pytest.mark.parametrize("text", ["{", "[]", '{"task_id": "x"}', '{"k_depth": []}', "[" * 100_000])
def test_what_is_no_task_is_one_line_with_its_file(
    text: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.json").write_text(text)
    assert play(folder, tmp_path / "runs") == 2
    error = capsys.readouterr().err
    assert "bad.json" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_task_that_can_not_be_is_refused_before_anything_is_played(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder / "far.json").read_text().replace("(is_closed chest_2)", "(is_closed chest_2) (is_open chest_2)")
    (folder / "far.json").write_text(text)
    assert play(folder, tmp_path / "runs") == 2
    assert "the state of chest_2 is stated twice" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
