"""Files of games: what contradicts the substrate is found, and what can be derived is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from meltingpot.substrate import SUBSTRATES

import hm_agent
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.extensions import ADDED
from hm_agent.worlds.melting_pot.facts import GameFacts, ScenarioFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.game_file import game_file
from hm_agent.worlds.melting_pot.games.open.simulator.game_file import open_game_file
from hm_agent.worlds.melting_pot.scenarios import game_named, load_game, load_games
from hm_agent.worlds.melting_pot.simulator.game_files import check_game, numbered_scenarios, problems

CHICKEN = "chicken_in_the_matrix__repeated"


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ADDED, "folders", {})
    monkeypatch.chdir(tmp_path)


def test_an_own_file_takes_the_place_of_the_shipped_one() -> None:
    Path("own.toml").write_text(game_file(CHICKEN).replace('behaviour = "dove"', 'behaviour = "swerve"'))
    names = {game.short_name for game in load_games()}
    hm_agent.register_scenarios(".")
    assert {game.short_name for game in load_games()} == names
    assert game_named("chicken_repeated", MatrixFacts).behaviours == ("swerve", "hawk")


def test_a_name_of_another_substrates_game_is_refused() -> None:
    Path("own.toml").write_text(game_file(CHICKEN).replace('"chicken_repeated"', '"stag_hunt_repeated"'))
    with pytest.raises(ConfigError, match="has the game 'stag_hunt_repeated' already"):
        hm_agent.register_scenarios(".")


def test_every_matrix_game_of_melting_pot_ships() -> None:
    there = {name for name in SUBSTRATES if "_in_the_matrix__" in name}
    shipped = {game.substrate: game for game in load_games()}
    assert there <= shipped.keys()
    for name in there:
        assert len(shipped[name].scenarios) == len(numbered_scenarios(name)), name


@pytest.mark.parametrize("name", ["repeated", "arena"])
def test_an_asymmetric_game_is_written_with_both_sides(name: str) -> None:
    substrate = f"bach_or_stravinsky_in_the_matrix__{name}"
    Path("own.toml").write_text(game_file(substrate))
    game, shipped = check_game(Path("own.toml")), game_named(f"bach_or_stravinsky_{name}", MatrixFacts)
    assert isinstance(game, MatrixFacts)
    assert game.column == shipped.column
    assert game.column is not None
    assert (game.payoff, game.column.payoff) == (((3, 0), (0, 2)), ((2, 0), (0, 3)))
    assert [one.columns for one in game.scenarios] == [one.columns for one in shipped.scenarios]


@pytest.mark.parametrize(
    ("substrate", "right", "wrong", "message"),
    [
        ("chicken_in_the_matrix__arena", "focal = 5", "focal = 4", "focal 4 contradicts chicken.*arena_1, which has 5"),
        ("prisoners_dilemma_in_the_matrix__arena", "players = 2", "players = 3", "players 3 contradicts .*has 2"),
        ("bach_or_stravinsky_in_the_matrix__repeated", "columns = [0]", "columns = [1]", r"columns \(1,\) contradicts"),
        ("bach_or_stravinsky_in_the_matrix__repeated", "[[2, 0], [0, 3]]", "[[3, 0], [0, 2]]", "column.payoff: "),
        ("pure_coordination_in_the_matrix__arena", "alike = 7", "alike = 6", "6 are named, but 7 play"),
    ],
)
def test_a_wrong_cast_is_named(substrate: str, right: str, wrong: str, message: str) -> None:
    text = game_file(substrate)
    assert right in text
    Path("wrong.toml").write_text(text.replace(right, wrong, 1))
    with pytest.raises(ConfigError, match=message):
        check_game(Path("wrong.toml"))


def test_a_shipped_game_agrees_with_its_substrate() -> None:
    for game in load_games():
        assert problems(game) == [], game.short_name


@pytest.mark.parametrize("short_name", ["pd_repeated", "pure_coordination_arena", "rws_one_shot"])
def test_a_written_game_has_what_the_shipped_one_has(short_name: str, tmp_path: Path) -> None:
    path, shipped = tmp_path / "own.toml", game_named(short_name, MatrixFacts)
    path.write_text(game_file(shipped.substrate))
    written = load_game(path)
    assert isinstance(written, MatrixFacts)
    for name in ("payoff", "length", "regrowth", "timing", "sprites", "behaviours", "goals", "reward_per_steps"):
        assert getattr(written, name) == getattr(shipped, name), name
    goals = [(one.collect_goals, one.interact_goals) for one in written.resources]
    assert goals == [(one.collect_goals, one.interact_goals) for one in shipped.resources]
    assert len(written.scenarios) == len(shipped.scenarios)


def test_the_scenarios_of_any_substrate_are_written_and_checked() -> None:
    def without_words(game: GameFacts) -> Sequence[ScenarioFacts]:
        return [replace(one, about="") for one in game.scenarios]

    shipped = {game.substrate: game for game in load_games()}
    for substrate in ("clean_up", "predator_prey__open", "territory__rooms"):
        Path("own.toml").write_text(open_game_file(substrate))
        assert without_words(load_game(Path("own.toml"))) == without_words(shipped[substrate])
    assert [one.focal for one in shipped["territory__rooms"].scenarios if one.number == 12] == [(1, 2)]
    text = open_game_file("territory__rooms")
    Path("wrong.toml").write_text(text.replace("focal = [1, 2]\nnumber = 12", "focal = [0, 1]\nnumber = 6"))
    with pytest.raises(ConfigError, match=r"number 6 contradicts .*_12, .* 12; .*focal \(0, 1\) .*has \(1, 2\)$"):
        check_game(Path("wrong.toml"))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            CHICKEN,
            "chickn_in_the_matrix__repeated",
            f"no substrate 'chickn_in_the_matrix__repeated': did you mean {CHICKEN}. there are allelopathic",
        ),
        ('"resource_class1_sprite"', '"resource_klass1_sprite"', "'resource_klass1_sprite' stands for nothing"),
        ('"Ready"', '"Redy"', "'Redy' stands for nothing.*did you mean Ready"),
        (
            "[[3, 2], [5, 0]]",
            "[[3, 2], [4, 0]]",
            "payoff: .*contradicts.*5.0.*of your own are for a file in matrix_games",
        ),
        ("length = 3", "length = 4", "beam.length: 4 contradicts.*has 3"),
        ("least = 1000", "least = 900", "length: .*contradicts"),
        ('Other = "opponent"', 'Other = "opponent", Wall = "x"', "sprites.players: 2 are named, but 1"),
        ("delay = 10", "delay = 11", "regrowth.delay: 11 contradicts"),
        ("chance = 0.1", "chance = 0.1\none_interaction = true", "length: .*one_interaction=True.* contradicts"),
        ("interact_goals = [3]", "interact_goals = [2]", r"resources.interact_goals: \[2\] of 'hawk' .*has \[3\]"),
        ("collect_goals = [0]\n", "", r"resources.collect_goals: \[\] of 'dove' .*has \[0\]"),
    ],
)
def test_what_contradicts_the_substrate_is_named(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    text = game_file(CHICKEN)
    assert right in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(right, wrong))
    with pytest.raises(ConfigError, match=message) as caught:
        check_game(path)
    assert "\n" not in str(caught.value)


def test_a_game_without_any_goals_is_refused_in_one_line() -> None:
    lines = game_file(CHICKEN).splitlines()
    Path("wrong.toml").write_text("\n".join(line for line in lines if "_goals = " not in line))
    with pytest.raises(ConfigError, match=r"collect_goals: \[\] of 'dove'.*interact_goals: \[\] of 'hawk'"):
        check_game(Path("wrong.toml"))


@pytest.mark.parametrize(
    ("played_by", "message"),
    [
        ('puppeteer = "cycles"', "chicken_unseen_0: unknown puppeteer 'cycles': there is cycle,"),
        ('puppeteer = "cycle"\nparameters = { cycles = ["dove"] }', "no parameter 'cycles': there is cycle, first"),
        ('puppeteer = "cycle"\nparameters = { cycle = ["dove", "hark"] }', "unknown kind 'hark': there is dove, hawk"),
        ('puppeteer = "outguess"\nparameters = { first = "hark" }', "unknown kind 'hark': there is dove, hawk"),
        ('puppeteer = "outguess"\nparameters = { first = 2 }', "unknown kind 2: there is dove, hawk"),
        ('puppeteer = "gradual"', "unknown kind 'cooperate': there is dove, hawk"),
        ('puppeteer = "noisy_copy"', "chicken_unseen_0: noisy_copy: a parameter is missing: say 'noise'"),
        ('puppeteer = "deeper_when_beaten"\nparameters = { order = 9 }', "chicken_unseen_0: order: say a whole number"),
    ],
)
def test_an_opponent_of_ones_own_that_cannot_play_is_refused_before_anything_is_played(
    played_by: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    unseen = f'[[unseen]]\nshort_name = "chicken_unseen_0"\nabout = "mine"\nheld_out = false\n{played_by}\n'
    Path("own.toml").write_text(game_file(CHICKEN) + unseen)
    assert main(["hm-agent", "play", "--scenarios_dir=.", "--scenario=chicken_unseen_0", "--bots=scripted"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("runs").exists()


def test_a_written_game_is_played_and_its_changed_file_is_not_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "game-file", CHICKEN, "mine/chicken.toml"]) == 0  # makes the folder, too
    assert "--scenarios_dir=mine --scenario=chicken_repeated_0" in capsys.readouterr().out
    command = ["play", "--scenarios_dir=mine", "--scenario=chicken_repeated_0", "--max_steps=120", "--noreplay"]
    assert main(["hm-agent", *command, "--bots=scripted"]) == 0
    (result,) = hm_agent.load("runs").to_dict("records")
    assert (result["scenario"], result["status"]) == ("chicken_repeated_0", "max_steps")
    assert result["metrics.unknown_patches"] == 0
    assert main(["hm-agent", "game-file", CHICKEN, "my games/chicken.toml"]) == 0
    assert "--scenarios_dir='my games' --scenario=chicken_repeated_0" in capsys.readouterr().out
    assert main(["hm-agent", "game-file", CHICKEN, "mine/chicken.toml"]) == 2
    assert "is there already" in capsys.readouterr().err
    text = Path("mine/chicken.toml").read_text()
    Path("other").mkdir()
    Path("other/chicken.toml").write_text(text.replace('behaviour = "dove"', 'behaviour = "swerve"'))
    for folders, refused in ((["mine"], 0), (["other"], 2), ([], 2)):
        ADDED.folders.clear()
        command[1] = f"--scenarios_dir={','.join(folders)}"
        assert main(["hm-agent", *command, "--bots=scripted"]) == refused
        assert ("played with --scenarios_dir=sha256:" in capsys.readouterr().err) == bool(refused)


def test_own_games_are_refused_before_anything_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.toml").write_text(game_file(CHICKEN).replace("radius = 1", "radius = 2"))
    assert main(["hm-agent", "play", "--scenarios_dir=.", "--scenario=chicken_repeated_1", "--bots=scripted"]) == 2
    assert "beam.radius: 2 contradicts" in capsys.readouterr().err
    assert not Path("runs").exists()
    ADDED.folders.clear()
    Path("again").mkdir()
    Path("again/stag.toml").write_text(game_file("stag_hunt_in_the_matrix__repeated"))
    Path("again/twice.toml").write_text(game_file("stag_hunt_in_the_matrix__repeated"))
    with pytest.raises(ConfigError, match="has the game 'stag_hunt_repeated' already"):
        hm_agent.register_scenarios("again")
    with pytest.raises(ConfigError, match="nowhere: no such folder"):
        hm_agent.register_scenarios("nowhere")
    Path("misnamed/matrix_game").mkdir(parents=True)
    Path("misnamed/matrix_game/mine.toml").touch()
    names = r"\*\.toml for Melting Pot, \*\.json for EnactToM and matrix_games/\*\.toml for Matrix games"
    with pytest.raises(ConfigError, match=f"misnamed has no file of a scenario: looked for {names}"):
        hm_agent.register_scenarios("misnamed")
    assert not ADDED.folders


def test_the_help_of_game_file_speaks_to_who_types_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["hm-agent", "game-file", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "Writes the file of one of Melting Pot's substrates" in shown
    assert "ConfigError" not in shown
