"""Trained bots, loaded from a folder with the layout of Melting Pot's and driven by the real puppeteers.

Those that can't play are refused when bots are chosen, in one line that says what was found. All tests that make one
are here, so that one process alone imports TensorFlow, which takes two seconds.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import FOCAL, slot_of
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.scene import PlayerIntent
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of, choose_bots, goals_of, model_path
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.support.commands import ROOT
from tests.worlds.melting_pot.simulator.saved_puppet import save_other, save_puppet
from tests.worlds.melting_pot.simulator.test_unseen_scenarios import GOALS, first_of_each_game, game_of, opened

SUBSTRATE = "running_with_scissors_in_the_matrix__repeated"
ARENA, KITCHEN = "running_with_scissors_in_the_matrix__arena", "collaborative_cooking__asymmetric"
ROCK, SCISSORS, FREE, FREE_CROWD = map(
    scenario_named, ("rws_repeated_6", "rws_repeated_8", "rws_repeated_5", "rws_arena_1")
)
CLEANER, RULED = map(scenario_named, ("clean_up_17", "clean_up_12"))
CHEF, APPRENTICE, NOBODY = (scenario_named(f"cooking_asymmetric_{number}") for number in range(3))


@pytest.fixture(scope="module")
def bots_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    save_puppet(folder / SUBSTRATE / "puppet_1", goals=9)
    save_puppet(folder / SUBSTRATE / "free_0", goals=0)
    save_puppet(folder / ARENA / "free_0", goals=0, view=88)
    for name in cast_of(CLEANER):
        save_puppet(model_path(name, folder), goals=0, view=88)
    for model in ("chef_0", "chef_1", "apprentice_0", "apprentice_1"):
        save_puppet(folder / KITCHEN / model, goals=0)
    return folder


def test_auto_chooses_trained_bots_where_they_are_installed(bots_dir: Path) -> None:
    assert choose_bots(ROCK, "auto", bots_dir) is Bots.TRAINED


def test_auto_falls_back_to_scripted_bots_without_an_archive() -> None:
    expected = Bots.SCRIPTED if not _archive_is_installed() else Bots.TRAINED
    assert choose_bots(ROCK, "auto", None) is expected


def test_error_of_missing_trained_bots_says_what_would_be_right(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"puppet_1.*--bots=scripted"):
        choose_bots(ROCK, "trained", tmp_path)


def test_a_saved_puppet_gets_the_puppeteers_goal_and_its_action_reaches_the_world(bots_dir: Path) -> None:
    # The scissors bot's goal is number 2 while it collects, and move 2 is a step back: the avatar must go backwards.
    world = MeltingPotWorld(SCISSORS, Bots.TRAINED, bots_dir, ground_truth=True)
    world.reset(0)
    before = world.truth(1)
    for _ in range(3):
        world.step({FOCAL: 0})
    after = world.truth(1)
    assert world.intents() == (PlayerIntent("scissors"),)
    assert after["ORIENTATION"] == before["ORIENTATION"]
    assert not (after["POSITION"] == before["POSITION"]).all()
    world.close()


@pytest.mark.parametrize("scenario", [FREE, FREE_CROWD, CHEF, APPRENTICE], ids=lambda scenario: scenario.short_name)
def test_saved_bots_without_puppeteer_play_and_have_no_intent(scenario: Scenario, bots_dir: Path) -> None:
    world = MeltingPotWorld(scenario, Bots.TRAINED, bots_dir)
    world.reset(0)
    assert not any(world.step({FOCAL: 0}).is_over for _ in range(5))
    assert world.background()
    assert set(world.background()) <= set(cast_of(scenario))
    assert set(world.intents()) == {PlayerIntent(None, watches=scenario in (FREE, FREE_CROWD))}
    world.close()


def test_bots_of_any_game_play_the_slots_without_a_seat(bots_dir: Path) -> None:
    # The saved bot, which has the first slot of four, steps forward at every step, and agents stand still.
    assert CLEANER.seats == ("player_1", "player_2", "player_3")
    world = MeltingPotWorld(CLEANER, choose_bots(CLEANER, "auto", bots_dir), bots_dir, ground_truth=True)
    turn, before = world.reset(1), [world.truth(slot)["POSITION"] for slot in range(4)]
    for _ in range(3):
        turn = world.step(dict.fromkeys(world.seats, 0))
    assert [(world.truth(slot)["POSITION"] != before[slot]).any() for slot in range(4)] == [True, False, False, False]
    assert [player.policy for player in world.scene().players] == [*world.background(), None, None, None]
    for seat in world.seats:
        assert (turn.observations[seat].view["RGB"] == world.truth(slot_of(seat))["RGB"]).all()
        assert world.scene().cell(seat) == tuple(world.scene().before[slot_of(seat)]["POSITION"])
    world.close()


def test_as_many_goals_are_asked_of_a_model_as_its_puppeteer_has() -> None:
    assert {goals_of(name, RULED.game) for name in cast_of(RULED)} == {3}
    assert {goals_of(name, CLEANER.game) for name in cast_of(CLEANER)} == {0}


@pytest.mark.parametrize("wanted", ["auto", "trained"])
def test_a_bot_that_stands_still_needs_no_model_in_a_folder(wanted: str, tmp_path: Path) -> None:
    assert choose_bots(NOBODY, wanted, tmp_path) is Bots.TRAINED


def test_without_a_folder_a_bot_that_stands_still_is_of_the_kind_of_the_games_others() -> None:
    assert choose_bots(NOBODY, "auto", None) is choose_bots(CHEF, "auto", None)
    assert choose_bots(NOBODY, "trained", None) is Bots.TRAINED


@pytest.mark.parametrize("bots", list(Bots))
def test_bot_that_stands_still_never_moves_and_has_that_intent(bots: Bots) -> None:
    world = MeltingPotWorld(NOBODY, bots, ground_truth=True)
    world.reset(1000)
    before = world.truth(1)
    for _ in range(20):
        world.step({FOCAL: 0})
    after = world.truth(1)
    assert all((after[name] == before[name]).all() for name in ("POSITION", "ORIENTATION"))
    assert world.background() == ("noop_bot",)
    assert world.intents() == (PlayerIntent("stands around"),)
    world.close()


@first_of_each_game
def test_bots_with_the_puppets_model_play_and_report_their_goals(name: str, tmp_path: Path) -> None:
    scenario, game = scenario_named(name), game_of(name)
    save_puppet(tmp_path / scenario.game.substrate / "puppet_1", goals=GOALS[name.split("_", maxsplit=1)[0]])
    assert choose_bots(scenario, "auto", tmp_path) is Bots.TRAINED
    with opened(name, Bots.TRAINED, tmp_path) as world:
        world.reset(0)
        assert not any(world.step({FOCAL: 0}).is_over for _ in range(5))
        assert world.background() == (scenario.name,) == cast_of(scenario)
        (intent,) = world.intents()
        assert intent.behaviour in game.behaviours


# Models that can't play

PUPPET = "rws_repeated_6"
UNFIT: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "an empty folder": (PUPPET, lambda folder: folder.mkdir(parents=True), "OSError: SavedModel file does not exist"),
    "another model": (PUPPET, save_other, "no attribute 'function_tables'"),
    "a puppet without goals": (PUPPET, lambda folder: save_puppet(folder, goals=0), "it observes no GOAL"),
    "another game's puppet": (PUPPET, lambda folder: save_puppet(folder, goals=4), r"it observes GOAL int32 \(4,\)"),
    "another view": (
        PUPPET,
        lambda folder: save_puppet(folder, goals=9, view=88),
        r"it observes RGB uint8 \(88, 88, 3\)",
    ),
    "a puppet for a free bot": (
        "rws_repeated_5",
        lambda folder: save_puppet(folder, goals=9),
        r"it observes GOAL int32 \(9,\)",
    ),
    "an action too many": (
        "rws_repeated_5",
        lambda folder: save_puppet(folder, goals=0, action=8),
        "it took action 8 of 8",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
@pytest.mark.parametrize("wanted", ["auto", "trained"])
def test_unfit_model_is_refused_in_one_line_with_what_was_found(case: str, wanted: str, tmp_path: Path) -> None:
    name, save, found = UNFIT[case]
    scenario = scenario_named(name)
    path = model_path(cast_of(scenario)[0], tmp_path)
    save(path)
    with pytest.raises(ConfigError) as refusal:
        choose_bots(scenario, wanted, tmp_path)
    message = str(refusal.value)
    assert message.startswith(f"{path}: no bot for {scenario.game.substrate}: ")
    assert re.search(f"{found}.*; expected a SavedModel with .*step.*RGB uint8 \\(40, 40, 3\\)", message)
    assert "\n" not in message


def test_check_draws_nothing_from_the_global_generator(tmp_path: Path) -> None:
    scenario = scenario_named(PUPPET)
    save_puppet(model_path(cast_of(scenario)[0], tmp_path), goals=9)
    before = random.getstate()
    assert choose_bots(scenario, "trained", tmp_path) is Bots.TRAINED
    assert random.getstate() == before


def test_tensorflow_is_imported_only_where_a_trained_bot_is_asked_for() -> None:
    code = """
import sys
from hm_agent.worlds.melting_pot.simulator import world
from hm_agent.worlds.melting_pot.simulator.bots import casting
print("meltingpot.bot" in sys.modules, "tensorflow" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True False\n", "")


def test_trained_policies_draw_from_the_episode_once_they_are_there() -> None:
    trained = sys.modules["meltingpot.utils.policies.saved_model_policy"]
    assert trained.SavedModelPolicy.__module__ == trained.__name__
    assert trained.random is EPISODE_RANDOM


def _archive_is_installed() -> bool:
    return all(model_path(name, None).is_dir() for name in cast_of(ROCK))
