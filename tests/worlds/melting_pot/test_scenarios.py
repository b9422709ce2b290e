from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.config import ConfigError, data_folder
from hm_agent.worlds.melting_pot.scenarios import all_scenarios, load_game, scenario_named

RWS = "running_with_scissors_repeated.toml"
FULL_NAME = "running_with_scissors_in_the_matrix__repeated"


def changed(folder: Path, before: str, after: str) -> Path:
    """A copy of a real game's file with one thing changed."""
    text = (data_folder("scenarios") / "melting_pot" / RWS).read_text("utf-8")
    assert before in text
    path = folder / "changed.toml"
    path.write_text(text.replace(before, after, 1), "utf-8")
    return path


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("initial_inventory = 1 ", "initial_inventory = 'one' ", "initial_inventory: "),
        ("length = 3", "", "beam.length: "),
        ('thing = "yellow_box"', "thing = 3", "resources.0.thing: "),
        ("[50.8, 8.6]", "[50.8]", "scenarios.0.paper.hypothetical_minds"),
        # Of an unknown key it tells the valid ones.
        ("short_name =", "shortname =", "shortname: no such key: did you mean short_name? there are "),
        ("short_name =", "shortname = 1\nshort_name =", "shortname: no such key: "),
        ("beams =", "baems =", "sprites.baems: no such key: did you mean beams? there are wall, own, "),
        ('behaviour = "rock"', 'behavior = "rock"', "resources.0.behavior: no such key: did you mean behaviour? "),
        ("held_out =", "heldout =", "scenarios.0.heldout: no such key: did you mean held_out? there are about, held_"),
    ],
)
def test_a_wrong_key_is_named_with_its_file(tmp_path: Path, before: str, after: str, message: str) -> None:
    path = changed(tmp_path, before, after)
    with pytest.raises(ConfigError) as error:
        load_game(path)
    assert str(error.value).startswith(f"{path}: {message}")


def test_invalid_toml_is_named_with_its_file(tmp_path: Path) -> None:
    path = changed(tmp_path, "title =", "title")
    with pytest.raises(ConfigError, match=r"changed\.toml: not valid TOML: .*line"):
        load_game(path)


def test_missing_folder_says_where_it_was_looked_for() -> None:
    with pytest.raises(ConfigError, match=r"no folder 'nowhere' in .*hm_agent or "):
        data_folder("nowhere")


@pytest.mark.parametrize(("short_name", "name"), [("rws_repeated_3", "_3"), ("rws_unseen_3", "_unseen_3")])
def test_scenario_is_found_by_its_short_and_by_its_full_name(short_name: str, name: str) -> None:
    for said in (short_name, f"{FULL_NAME}{name}"):
        scenario = scenario_named(said)
        assert (scenario.short_name, scenario.name, scenario.number) == (short_name, f"{FULL_NAME}{name}", 3)
        assert scenario.unseen == (scenario.game.unseen[3] if "unseen" in name else None)


def test_unknown_name_is_no_scenario() -> None:
    with pytest.raises(ConfigError, match="unknown scenario 'rws_9'; see --list"):
        scenario_named("rws_9")


def test_self_play_follows_the_scenarios_of_its_game() -> None:
    names = [scenario.short_name for scenario in all_scenarios() if scenario.game.short_name == "cooking_asymmetric"]
    assert names == [*(f"cooking_asymmetric_{number}" for number in range(3)), "cooking_asymmetric_selfplay"]


def test_self_play_has_a_seat_for_every_player() -> None:
    assert scenario_named("rws_repeated_selfplay").seats == ("player_0", "player_1")
    assert len(scenario_named("rws_arena_selfplay").seats) == 8
    assert scenario_named("rws_arena_0").seats == ("player_0",)


def test_inventory_is_described_in_the_games_own_words() -> None:
    assert scenario_named("rws_repeated_0").game.words((1, 6, 1)) == "rock 1, paper 6, scissors 1"


def test_scenario_has_the_papers_result() -> None:
    assert scenario_named("rws_repeated_8").published["hypothetical_minds"] == (63.8, 5.1)
