from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hm_agent.config import ConfigError, read_toml
from hm_agent.worlds.symmtom.settings import GameSettings, PaperSetting, paper_settings, parse_name


def test_a_name_says_the_sizes() -> None:
    assert parse_name("symmtom_w8_n3_c5") == GameSettings(8, 3, 5)
    assert parse_name("symmtom_w8_n3_c5_h2") == GameSettings(8, 3, 5, hearing=2)
    assert parse_name("symmtom_test_order_0_w6") is None


@pytest.mark.parametrize("settings", [GameSettings(8, 3, 5), GameSettings(8, 3, 5, 2), GameSettings(12, 4, 12)])
def test_the_name_of_a_size_means_that_size(settings: GameSettings) -> None:
    assert parse_name(settings.name) == settings


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("symmtom_w3_n3_c3", r"the width w is at least 4"),
        ("symmtom_w6_n3_c3_h3", r"up to 2 on w = 6"),
        ("symmtom_w6_n1_c3", r"number of agents n is 2 to 16"),
        ("symmtom_w4_n17_c3", r"number of agents n is 2 to 16"),
        ("symmtom_w6_n3_c1", r"number of pieces c is 2 to 64"),
        ("symmtom_w65_n3_c3", r"width w is at most 64"),
    ],
)
def test_a_size_that_cannot_be_is_refused_with_what_would_be_right(name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        parse_name(name)


def test_the_papers_settings_are_twelve() -> None:
    names = [setting.game.name for setting in paper_settings()]
    assert len(set(names)) == 12
    assert (names[0], names[-1]) == ("symmtom_w6_n3_c3", "symmtom_w12_n4_c12")
    assert paper_settings()[0].authors_environment == {"heuristic": 48.3, "random": 4.0}


def test_an_unknown_key_in_a_file_of_facts_is_named(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text("w = 6\nn = 3\nc = 3\nv = 1\nauthors_environment = {}\n")
    with pytest.raises(ConfigError, match=r"facts\.toml: v: "):
        read_toml(path, TypeAdapter(PaperSetting))
