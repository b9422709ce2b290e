from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import meltingpot
import pytest
from meltingpot.substrate import get_config
from meltingpot.utils.substrates import builder
from meltingpot.utils.substrates.substrate import build_substrate

from hm_agent.storage import scratch
from hm_agent.worlds.melting_pot.simulator import determinism
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, atlas_of, settings_of
from tests.support.commands import ROOT

ORIGINAL = Path(meltingpot.__file__).parent / "lua"


@pytest.fixture(scope="module")
def copy() -> Path:
    determinism.use_deterministic_lua()
    return Path(builder._MELTINGPOT_ROOT) / "meltingpot" / "lua"


def test_engine_is_pointed_at_a_copy_with_every_module(copy: Path) -> None:
    assert copy != ORIGINAL
    assert {path.relative_to(copy) for path in copy.rglob("*.lua")} == {
        path.relative_to(ORIGINAL) for path in ORIGINAL.rglob("*.lua")
    }


def test_every_level_of_the_copy_sorts_its_loops_and_other_code_is_left_as_it_is(copy: Path) -> None:
    levels = {*ORIGINAL.glob("levels/*/init.lua")}
    assert {"the_matrix", "clean_up"} <= {level.parent.name for level in levels}
    for path in ORIGINAL.rglob("*.lua"):
        name = path.relative_to(ORIGINAL)
        if str(name) not in determinism._REPAIRS:
            code = path.read_text("utf-8")
            assert (copy / name).read_text("utf-8") == (determinism._IN_ORDER + code if path in levels else code)


@pytest.mark.parametrize("name", determinism._REPAIRS)
def test_code_is_repaired_in_the_copy_only(copy: Path, name: str) -> None:
    original, repaired = ((folder / name).read_text("utf-8") for folder in (ORIGINAL, copy))
    for code, better in determinism._REPAIRS[name].items():
        assert code in original
        assert better in repaired
        assert code not in (repaired.replace(better, "") if better else repaired)


def test_a_machine_of_factory_commons_makes_two_apples_of_a_cube(copy: Path) -> None:
    settings = settings_of("factory_commons__either_or", ["default"])
    settings["simulation"]["charPrefabMap"] = {
        **settings["simulation"]["charPrefabMap"],
        "P": {"type": "all", "list": ["tiled_floor", "spawn_point"]},
        "a": {"type": "all", "list": ["tiled_floor", "apple"]},
        "C": {"type": "all", "list": ["tiled_floor", "blue_cube_live"]},
    }
    settings["simulation"]["map"] = "______\n!aazz|\n!ltzz|\n!O#zz|\n!Cxzz|\n!P|zz|\n______\n"
    substrate = build_substrate(
        lab2d_settings=settings,
        individual_observations=[],
        global_observations=["WORLD.RGB"],
        action_table=get_config("factory_commons__either_or").action_set,
    )
    actions, atlas = actions_of("factory_commons__either_or"), atlas_of("factory_commons__either_or")
    timestep = substrate.reset()
    for action in ["TURN_RIGHT", "GRASP", "FORWARD"] * 4 + ["NOOP"] * 14:
        timestep = substrate.step([actions[action]])
    labels = [atlas.labels[number] for number in atlas.label(timestep.observation[0]["WORLD.RGB"])]
    assert sum(label.find("apple") is not None for label in labels) == 2
    substrate.close()


def test_the_copy_of_a_killed_process_is_removed_by_the_next_command() -> None:
    killed = (
        f"from {determinism.__name__} import use_deterministic_lua; import os; use_deterministic_lua(); os._exit(9)"
    )
    following = f"from {scratch.__name__} import use_scratch_folder; use_scratch_folder()"
    with TemporaryDirectory(dir="/tmp") as temporary:
        environment = {**os.environ, "TMPDIR": temporary, "PYTHONPATH": str(ROOT)}
        assert subprocess.run([sys.executable, "-c", killed], env=environment, check=False).returncode == 9
        assert [path.name.startswith("hm_agent_lua_") for path in Path(temporary).iterdir()] == [True]
        subprocess.run([sys.executable, "-c", following], env=environment, check=True)
        assert not list(Path(temporary).iterdir())
