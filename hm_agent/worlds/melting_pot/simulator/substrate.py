"""Builds a game's substrate, and what perception needs of it: its map, its window and its sprites."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from meltingpot.utils.substrates import builder
from meltingpot.utils.substrates import substrate as substrate_lib
from meltingpot.utils.substrates.wrappers.base import Lab2dWrapper
from ml_collections import ConfigDict

from hm_agent.extensions import ADDED
from hm_agent.grouping import grouped
from hm_agent.worlds.melting_pot.facts import FELLOW, FOCAL, GameFacts
from hm_agent.worlds.melting_pot.grid import Layout, Window
from hm_agent.worlds.melting_pot.perception.atlas import Atlas
from hm_agent.worlds.melting_pot.perception.localizer import WallPatterns
from hm_agent.worlds.melting_pot.perception.perceiver import SpriteRoles, SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import Layer, components, layers_of, merged
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from, use_deterministic_lua

POSITION = "POSITION"
GROUND_TRUTH = (POSITION, "ORIENTATION")


def settings_of(substrate: str, roles: Sequence[str]) -> dict[str, Any]:
    """A fresh copy of a substrate's lab2d settings, with a blank for what means nothing on its map.

    The engine, which ignores both, prints a warning for each of the latter.
    """
    config = mp_substrate.get_config(substrate)
    settings = dict(config.lab2d_settings_builder(roles=roles, config=config))
    simulation = settings["simulation"]
    simulation.setdefault("scene", _bare_scene())
    known = {*simulation["charPrefabMap"], "\n"}
    simulation["map"] = "".join(char if char in known else " " for char in simulation["map"])
    return settings


def _bare_scene() -> dict[str, Any]:
    """The engine's default scene; given explicitly, since the engine prints two warnings whenever it is missing."""
    states = {"initialState": "scene", "stateConfigs": [{"state": "scene"}]}
    transform = {"position": (0, 0), "orientation": "N"}
    return {
        "name": "scene",
        "components": [
            {"component": "StateManager", "kwargs": states},
            {"component": "Transform", "kwargs": transform},
        ],
    }


MOTIONS: Mapping[str, Mapping[int, str]] = {
    "move": {1: "forward", 2: "step_right", 3: "backward", 4: "step_left"},
    "turn": {-1: "turn_left", 1: "turn_right"},
}
"""The names of the values of Melting Pot's `move` and `turn`."""


@cache
def actions_of(substrate: str) -> type[IntEnum]:
    """A substrate's actions as Melting Pot numbers them, named after its configuration: FORWARD, FIRE_ZAP, VOTE_2."""
    action_set = mp_substrate.get_config(substrate).action_set
    values = grouped(part_and_value for action in action_set for part_and_value in action.items())
    several = {part for part, found in values.items() if len({*found} - {0}) > 1}
    return cast(type[IntEnum], IntEnum("Action", [_action_name(action, several) for action in action_set], start=0))


def _action_name(action: Mapping[str, int], several: Set[str]) -> str:
    """The names of the parts of an action that are not 0; NOOP if all are. several: those told by their values."""
    names = (
        MOTIONS.get(part, {}).get(value, f"{part}_{value}".replace("-", "minus_") if part in several else part)
        for part, value in action.items()
        if value
    )
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", "_".join(names) or "noop").upper()


def blank_observations(substrate: str) -> dict[str, npt.NDArray[Any]]:
    """The observations that a bot gets of a substrate, by name, all 0."""
    specs = mp_substrate.get_config(substrate).timestep_spec.observation
    blank = {name: np.zeros(spec.shape, spec.dtype) for name, spec in sorted(specs.items())}
    return {**blank, "COLLECTIVE_REWARD": np.zeros((), np.float64)}


def permitted_shapes(substrate: str) -> dict[str, tuple[int, ...]]:
    """The shapes of the observations that a player may use, by name."""
    blank = blank_observations(substrate)
    return {name: value.shape for name, value in blank.items() if name in mp_scenario.PERMITTED_OBSERVATIONS}


def build_substrate(
    name: str, roles: Sequence[str], stream: random.Random, *, ground_truth: Collection[str] = ()
) -> substrate_lib.Substrate:
    """Builds a substrate whose episodes are determined by the stream alone.

    ground_truth: the ones of `GROUND_TRUTH` to add to every player's observations, for viewers and tests; these are not
    permitted observations and never reach a focal player.
    """
    use_deterministic_lua()
    config = mp_substrate.get_config(name)
    with drawing_from(stream):
        settings = settings_of(name, roles)
    names = list(config.individual_observation_names)
    if ground_truth:
        names += ground_truth
        _add_location_observers(settings)
    with drawing_from(stream):
        substrate = substrate_lib.build_substrate(
            lab2d_settings=settings,
            individual_observations=names,
            global_observations=config.global_observation_names,
            action_table=config.action_set,
        )
    _limit_observations(substrate, {*names, "REWARD"}, set(config.global_observation_names))
    return substrate


def _limit_observations(substrate: substrate_lib.Substrate, individual: Set[str], common: Set[str]) -> None:
    """Limits the engine's observations to these, since Melting Pot reads all at every step and drops the others.

    individual: the names of each player's observations, which the engine prefixes by player, e.g. `1.RGB`. common: the
    names of the global ones.
    """
    engine: Any = substrate
    while isinstance(engine, Lab2dWrapper):
        engine = engine._env
    engine._obs_names = [name for name in engine._obs_names if name in common or name.partition(".")[2] in individual]


def _add_location_observers(settings: Mapping[str, Any]) -> None:
    observer = {"component": "LocationObserver", "kwargs": {"objectIsAvatar": True, "alsoReportOrientation": True}}
    prefab = settings["simulation"]["prefabs"].get("avatar")
    for avatar in [prefab] if prefab else avatars_in(settings):
        avatar["components"].append(observer)


def layout_of(game: GameFacts) -> Layout:
    """The map of a game's walls."""
    return Layout.from_ascii(default_settings(game.substrate)["simulation"]["map"], game.walls)


def vision_of(game_name: str, slot: int, *, is_column: bool = False) -> SubstrateVision:
    """The substrate-dependent parts of perception for the player of a slot; computed once per process.

    is_column: True for a column player of an asymmetric game.
    """
    return _vision_in(tuple(ADDED.folders), game_name, slot, is_column)


@cache
def _vision_in(folders: tuple[str, ...], game_name: str, slot: int, is_column: bool) -> SubstrateVision:
    """As `vision_of`. folders: the registered ones, whose files may take the place of shipped ones; the cache's key."""
    game = game_named(game_name, GameFacts)
    side = game.as_column if is_column else game
    return SubstrateVision(atlas_of(game.substrate), _wall_patterns(folders, game_name), sprite_roles(side, slot))


@cache
def _wall_patterns(folders: tuple[str, ...], game_name: str) -> WallPatterns:
    """The wall patterns of a game; cached by themselves, since all slots share them and they are slow to build."""
    game = game_named(game_name, GameFacts)
    window = window_of(next(avatars_in(default_settings(game.substrate))))
    text = default_settings(game.substrate)["simulation"]["map"]
    landmarks = {kind: Layout.from_ascii(text, char).walls for char, kind in game.landmarks.items()}
    return WallPatterns(layout_of(game), window, landmarks)


@cache
def atlas_of(substrate: str) -> Atlas:
    """The atlas of all that can be seen in a substrate, which all players and episodes of this process share."""
    return Atlas(default_layers(substrate))


@cache
def default_layers(substrate: str) -> tuple[Layer, ...]:
    """The layers of a substrate with its usual players, with all that some drawing of its configuration has."""
    stream, roles = random.Random(0), usual_roles(substrate)
    return merged(layers_of(_settings_drawn(substrate, stream, roles)) for _ in range(DRAWS.get(substrate, 1)))


DRAWS = {"coins": 60}
"""How often a configuration that is drawn anew for each episode is drawn, so as to know all that can be seen."""


def default_settings(substrate: str) -> dict[str, Any]:
    """The settings of a substrate with its usual players, including the avatars that Melting Pot's builder adds."""
    return settings_with(substrate, usual_roles(substrate))


@cache
def settings_with(substrate: str, roles: tuple[str, ...]) -> dict[str, Any]:
    """The settings of a substrate with players of these roles, including the avatars that the builder adds."""
    return _settings_drawn(substrate, random.Random(0), roles)


def usual_roles(substrate: str) -> tuple[str, ...]:
    """The roles of a substrate's players by slot, unless a scenario says otherwise."""
    return tuple(mp_substrate.get_config(substrate).default_player_roles)


def _settings_drawn(substrate: str, stream: random.Random, roles: tuple[str, ...]) -> dict[str, Any]:
    with drawing_from(stream):
        settings = settings_of(substrate, roles)
    if "avatar" not in settings["simulation"]["prefabs"]:
        return settings
    added = ConfigDict(settings)
    builder.maybe_build_and_add_avatar_objects(added)
    return cast(dict[str, Any], added.to_dict())


def avatars_in(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The avatars' game objects, in the order of slots."""
    objects = settings["simulation"]["gameObjects"]
    avatars = {kwargs["index"]: each for each in objects for kwargs in components(each, "Avatar")}
    return (avatars[index] for index in sorted(avatars))


def window_of(avatar: Mapping[str, Any]) -> Window:
    """What an avatar's player sees around it. avatar: its game object."""
    view = next(components(avatar, "Avatar"))["view"]
    return Window(view["left"], view["right"], view["forward"], view["backward"])


def sprite_roles(game: GameFacts, slot: int = 0) -> SpriteRoles:
    """The meaning of a game's sprites, as the player of a slot sees them."""
    sprites, others = game.sprites, game.others(slot)
    name_of_focal = others[0] if slot and len(others) == 1 else FOCAL
    focal = {sprites.focal: name_of_focal} if sprites.focal else {}
    return SpriteRoles(
        wall=sprites.wall,
        solid=game.solid,
        own=sprites.own,
        players={**focal, **sprites.players},
        kinds=game.kinds,
        marks=game.marks,
        beams=sprites.beams,
        freezing_mark=game.freezing_mark,
        fellow=FELLOW if game.is_asymmetric else None,
        is_crowd=len(others) > 1 or game.alike > 1,
    )
