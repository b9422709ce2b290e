from pathlib import Path

import pytest

import hm_agent.worlds.melting_pot.simulator  # noqa: F401 - before tests import Melting Pot, which imports TensorFlow
from hm_agent import register_scenarios


@pytest.fixture
def boats_without_stand_ins(forgets_folders: None, tmp_path: Path) -> None:
    """Boat Race's file is one that says nothing of scripted players."""
    from hm_agent.worlds.melting_pot.games.open.simulator.game_file import open_game_file

    own = tmp_path / "own"
    own.mkdir()
    (own / "boats.toml").write_text(open_game_file("boat_race__eight_races"), "utf-8")
    register_scenarios(own)
