"""SavedModels that can't play are refused when bots are chosen, in one line that says what was found."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of, choose_bots, model_path
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM
from tests.support.commands import ROOT
from tests.worlds.melting_pot.simulator.saved_puppet import save_other, save_puppet

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
