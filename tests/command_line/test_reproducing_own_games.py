"""A run with a game of one's own is played again only with the game's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hm_agent.recording.result import OWN_FILE
from tests.reporting.examples import leave, result
from tests.support.commands import call_here


def test_a_run_with_a_game_of_ones_own_asks_for_its_folder_in_one_line(tmp_path: Path) -> None:
    own: dict[str, Any] = {
        "world": "matrix_games",
        "scenario": "mg_sides_answers",
        "settings": {"seed": 0, OWN_FILE: "sha256:0"},
    }
    leave(tmp_path / "run", *(result("bayes", seed=seed, **own) for seed in (1, 2)))
    status, _, errors = call_here("hm-agent", "reproduce", str(tmp_path / "run"))
    assert (status, errors.count("\n")) == (2, 1)
    assert "mg_sides_answers is of a file of somebody's own: name its folder with --scenarios_dir" in errors
