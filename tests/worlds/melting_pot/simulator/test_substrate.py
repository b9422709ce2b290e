from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from meltingpot import substrate as mp_substrate

from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.scenarios import load_games
from hm_agent.worlds.melting_pot.simulator import substrate
from hm_agent.worlds.melting_pot.simulator.substrate import build_substrate, settings_of

MOST = 10
"""Of each thing on a map. Some substrates have hundreds, which the engine takes two seconds to build."""


def settings_with_few(name: str, roles: Sequence[str]) -> dict[str, Any]:
    settings, seen = settings_of(name, roles), Counter[str]()
    simulation = settings["simulation"]
    few = ""
    for char in simulation["map"]:
        seen[char] += 1
        few += char if char == "\n" or seen[char] <= MOST else " "
    return settings | {"simulation": simulation | {"map": few}}


def family_of(game: GameFacts) -> str:
    """What a substrate shares its configuration's code with: its first name or, in matrix games, the second."""
    first, _, second = game.substrate.partition("__")
    return second if isinstance(game, MatrixFacts) else first


FIRST = [*{family_of(game): game for game in reversed(load_games())}.values()]
"""The first game of each family."""
BUILT = [pytest.param(game, marks=() if game in FIRST else pytest.mark.heavy) for game in load_games()]


@pytest.mark.parametrize("game", BUILT, ids=lambda game: game.short_name)
def test_engine_builds_all_things_of_every_substrate_without_output(
    game: GameFacts, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(substrate, "settings_of", settings_with_few)
    roles = mp_substrate.get_config(game.substrate).default_player_roles
    build_substrate(game.substrate, roles, random.Random(1000)).close()
    assert capfd.readouterr() == ("", "")


def test_scene_of_a_substrate_is_kept() -> None:
    for game in load_games():
        config = mp_substrate.get_config(game.substrate)
        original = config.lab2d_settings_builder(roles=config.default_player_roles, config=config)
        ours = components_of_scene(settings_of(game.substrate, config.default_player_roles))
        assert ours == (components_of_scene(original) or ["StateManager", "Transform"]), game.short_name


def test_three_hits_destroy_a_thing_of_a_matrix_game_as_prompts_say() -> None:
    for game in load_games():
        config = mp_substrate.get_config(game.substrate)
        prefabs = settings_of(game.substrate, config.default_player_roles)["simulation"]["prefabs"]
        healths = [
            component["kwargs"]["initialHealth"]
            for prefab in prefabs.values()
            for component in prefab["components"]
            if component["component"] == "Destroyable"
        ]
        if isinstance(game, MatrixFacts):
            assert healths == [3] * len(game.resources), game.short_name
        else:
            assert 3 not in healths, game.short_name


def components_of_scene(settings: Any) -> list[str]:
    scene = settings["simulation"].get("scene", {"components": []})
    return [component["component"] for component in scene["components"]]
