from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.config import ConfigError, data_folder
from hm_agent.worlds.melting_pot.scenarios import find_scenarios, load_game

RWS = "running_with_scissors_repeated.toml"
FULL_NAME = "running_with_scissors_in_the_matrix__repeated"


def changed(folder: Path, before: str, after: str) -> Path:
    """A copy of a real game's file with one thing changed."""
    text = (data_folder("scenarios") / RWS).read_text("utf-8")
    assert before in text
    path = folder / "changed.toml"
    path.write_text(text.replace(before, after, 1), "utf-8")
    return path


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("short_name =", "shortname = 1\nshort_name =", "shortname"),
        ("radius = 1", "radius = 1\nwidth = 3", "beam.width"),
        ("initial_inventory = 1 ", "initial_inventory = 'one' ", "initial_inventory"),
        ("length = 3", "", "beam.length"),
        ('thing = "yellow_box"', "thing = 3", "resources.0.thing"),
        ("[50.8, 8.6]", "[50.8]", "scenarios.0.paper.hypothetical_minds"),
    ],
    ids=["unknown key", "unknown nested key", "text for a number", "missing key", "number for text", "too short"],
)
def test_bad_key_is_named_with_its_file(tmp_path: Path, before: str, after: str, key: str) -> None:
    path = changed(tmp_path, before, after)
    with pytest.raises(ConfigError) as error:
        load_game(path)
    assert str(error.value).startswith(f"{path}: {key}")


def test_invalid_toml_is_named_with_its_file(tmp_path: Path) -> None:
    path = changed(tmp_path, "title =", "title")
    with pytest.raises(ConfigError, match=r"changed\.toml: not valid TOML: .*line"):
        load_game(path)


def test_missing_folder_says_where_it_was_looked_for() -> None:
    with pytest.raises(ConfigError, match=r"no folder 'nowhere' in .*hm_agent or "):
        data_folder("nowhere")


@pytest.mark.parametrize("name", ["rws_repeated_3", f"{FULL_NAME}_3"])
def test_scenario_is_found_by_its_short_and_by_its_full_name(name: str) -> None:
    (scenario,) = find_scenarios([name])
    assert (scenario.short_name, scenario.name, scenario.number) == ("rws_repeated_3", f"{FULL_NAME}_3", 3)


@pytest.mark.parametrize("glob", ["rws_repeated_*", f"{FULL_NAME}_?"])
def test_glob_finds_every_scenario_of_a_game_in_order(glob: str) -> None:
    assert [scenario.number for scenario in find_scenarios([glob])] == list(range(9))


def test_scenario_asked_for_twice_comes_once_in_the_order_asked() -> None:
    found = find_scenarios(["rws_repeated_5", "rws_repeated_[45]", f"{FULL_NAME}_4"])
    assert [scenario.number for scenario in found] == [5, 4]


def test_unknown_scenario_is_named_with_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"unknown scenario 'rws_9': .*rws_repeated has 0 to 8.*; see --list"):
        find_scenarios(["rws_repeated_0", "rws_9"])


def test_inventory_is_told_in_the_games_own_words() -> None:
    (scenario,) = find_scenarios(["rws_repeated_0"])
    assert scenario.game.words((1, 6, 1)) == "rock 1, paper 6, scissors 1"


def test_scenario_has_the_papers_result() -> None:
    (scenario,) = find_scenarios(["rws_repeated_8"])
    assert scenario.facts.paper["hypothetical_minds"] == (63.8, 5.1)
