"""A run with a game of one's own is played again only with its file, without which a report says what it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hm_agent.recording.result import OWN_FILE
from tests.reporting.examples import leave, result
from tests.support.commands import call_here

OWN: dict[str, Any] = {
    "world": "matrix_games",
    "scenario": "mg_sides_answers",
    "settings": {"seed": 0, OWN_FILE: "sha256:0"},
}


def test_a_run_with_a_game_of_ones_own_asks_for_its_folder_in_one_line(tmp_path: Path) -> None:
    leave(tmp_path / "run", *(result("bayes", seed=seed, **OWN) for seed in (1, 2)))
    status, _, errors = call_here("hm-agent", "reproduce", str(tmp_path / "run"))
    assert (status, errors.count("\n")) == (2, 1)
    assert "mg_sides_answers is of a file of somebody's own: name its folder with --scenarios_dir" in errors


def test_a_report_without_the_folder_says_so_on_its_page_and_in_the_terminal(tmp_path: Path) -> None:
    leave(tmp_path / "run", result("bayes", **OWN))
    said = "Scenarios of files of one's own have no floor or ceiling here without --scenarios_dir: mg_sides_answers."
    status, output, _ = call_here("hm-agent", "report", f"--out={tmp_path / 'run'}", f"--report={tmp_path / 'report'}")
    assert (status, output.splitlines()[0]) == (0, said)
    assert said in (tmp_path / "report" / "report.md").read_text("utf-8")
