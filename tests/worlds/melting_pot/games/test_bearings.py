"""Where a player of an open game is, from its own frames, against the engine's own record."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from hm_agent.worlds.melting_pot.games.open.bearings import START, Bearings
from hm_agent.worlds.melting_pot.games.open.known_map import CellKind, MapReader, MapSprite
from hm_agent.worlds.melting_pot.grid import Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import Labels
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from tests.support.melting_pot.accuracy import pose_of

Seen = tuple[Labels, Move, Pose]
"""What a player sees, its step or turn before, and where it really is."""


STEPS = 40


@cache
def played(name: str) -> list[tuple[Seen, Seen]]:
    """What the first two players of a substrate see in STEPS steps of random play."""
    world, rng = SelfPlayWorld(scenario_named(f"{name}_selfplay"), ground_truth=True), random.Random(1)
    turn, actions = world.reset(seed=1), dict.fromkeys(world.seats, 0)
    steps = []
    for _ in range(STEPS):
        views = [turn.observations[seat].view["RGB"] for seat in world.seats[:2]]
        moves = [Move.__members__.get(world.actions(actions[seat]).name, Move.NOOP) for seat in world.seats[:2]]
        first, second = [
            (atlas_of(name).label(views[slot]), moves[slot], pose_of(world.truth(slot))) for slot in range(2)
        ]
        steps.append((first, second))
        actions = {seat: rng.randrange(len(world.actions)) for seat in world.seats}
        turn = world.step(actions)
    world.close()
    return steps


@pytest.mark.parametrize("game", ["commons_harvest__open", "collaborative_cooking__circuit", "hidden_agenda"])
def test_on_a_known_map_the_pose_is_exact_or_unknown(game: str) -> None:
    bearings, exact = [Bearings.of(game, slot) for slot in range(2)], 0
    for both in played(game):
        for each, (labels, move, truth) in zip(bearings, both, strict=True):
            pose = each.update(labels, move)
            assert not each.is_own_map
            assert pose in (None, truth)
            assert truth.cell not in each.layout.walls
            exact += pose is not None
    assert exact > STEPS


def test_where_the_map_is_not_known_the_pose_is_relative_to_the_start() -> None:
    bearings = Bearings.of("coins", 0)
    assert bearings.is_own_map
    start = played("coins")[0][0][2]
    for (labels, move, truth), _ in played("coins"):
        pose = bearings.update(labels, move)
        assert pose == (*START.place(*start.offset(truth.cell)), (truth.facing - start.facing) % 4)


def test_a_player_that_was_off_the_map_starts_anew_where_the_map_is_not_known() -> None:
    bearings = Bearings.of("coins", 0)
    labels, _, _ = played("coins")[0][0]
    black = atlas_of("coins").label(np.zeros((88, 88, 3), np.uint8))
    assert bearings.update(labels, Move.NOOP) == START
    assert bearings.starts == 0
    assert bearings.update(black, Move.FORWARD) is None
    assert bearings.update(labels, Move.NOOP) == START
    assert bearings.starts == 1


def test_a_player_that_is_carried_off_is_found_again_or_unknown() -> None:
    bearings = Bearings.of("commons_harvest__open", 0)
    (labels, _, truth), (others, _, other) = played("commons_harvest__open")[-1]
    assert bearings.update(labels, Move.NOOP) in (None, truth)
    assert bearings.update(others, Move.FORWARD) in (None, other)


def test_what_lies_on_a_map_is_read_in_its_configuration() -> None:
    def thing(name: str, *layers: str, component: str = "Transform") -> object:
        states = [{"state": f"{name}{n}", "layer": layer, "sprite": name} for n, layer in enumerate(layers)]
        manager = {"component": "StateManager", "kwargs": {"stateConfigs": states}}
        return {"components": [manager, {"component": component}]}

    prefabs = {
        "wall": thing("Wall", "walkers"),
        "floor": thing("Floor", "ground"),
        "door": thing("Door", "walkers", "ground", component="Door"),
        "ball": thing("Ball", "ground", component="Graspable"),
    }
    characters = {
        "W": "wall",
        ".": {"type": "all", "list": ["floor", "ball"]},
        "d": {"type": "all", "list": ["floor", "door"]},
        "?": {"type": "choice", "list": ["wall", "floor"]},
    }
    settings = {"simulation": {"prefabs": prefabs, "charPrefabMap": characters, "map": "\nW.d?\n"}}
    reader = MapReader(settings, "walkers")
    wall, floor, doors = (
        MapSprite("Wall", "walkers"),
        MapSprite("Floor", "ground"),
        {MapSprite("Door", "walkers"), MapSprite("Door", "ground")},
    )
    assert reader.kinds["W"] == CellKind(frozenset({frozenset({wall})}), frozenset({wall}), is_solid=True)
    assert reader.kinds["."] == CellKind(frozenset({frozenset({floor})}), frozenset({floor}))
    assert reader.kinds["d"].shown == {frozenset({floor}), frozenset(doors)}
    assert reader.kinds["?"] == CellKind(possible=frozenset({wall, floor}))
    assert reader.layout().walls == {(0, 0)}
