"""The interactions that a world counts, whoever plays, against the engine's own record."""

from __future__ import annotations

import random

import pytest

from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SelfPlayWorld, SubstrateWorld

STEPS = 600


def play(world: SubstrateWorld, *, seed: int, steps: int = STEPS) -> list[list[int]]:
    """Plays random moves in every seat; returns, by step, the slots of the players that interact by the engine."""
    moves, interacting = random.Random(seed), []
    world.reset(seed)
    for _ in range(steps):
        world.step({seat: moves.randrange(len(Move)) for seat in world.seats})
        players = range(len(world.timestep.observation))  # type: ignore[union-attr]
        held = [world.truth(player).get("INTERACTION_INVENTORIES") for player in players]
        interacting.append([player for player, counts in enumerate(held) if counts is not None and counts.min() >= 0])
    return interacting


@pytest.mark.parametrize(("name", "seeds"), [("rws_repeated_0", range(2)), ("rws_arena_0", range(1))])
def test_interactions_of_a_player_that_moves_at_random_are_counted(name: str, seeds: range) -> None:
    """Those among others are not, of which there are some in the arena."""
    world, total, others = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED), 0, 0
    for seed in seeds:
        happened = play(world, seed=seed)
        own = sum(0 in players for players in happened)
        assert world.metrics()["interactions"] == own
        total += own
        others += sum(map(bool, happened)) - own
    assert total > 0
    assert (others > 0) == (name == "rws_arena_0")
    world.close()


def test_self_play_counts_the_mean_over_its_seats() -> None:
    world = SelfPlayWorld(scenario_named("rws_arena_selfplay"))
    happened = play(world, seed=4)
    taking_part = sum(map(len, happened))
    assert taking_part > 0
    assert world.metrics()["interactions"] == taking_part / 8
    world.close()


def test_a_kitchen_counts_the_soups_that_were_delivered_by_anybody() -> None:
    scenario = scenario_named("cooking_asymmetric_0")
    world = MeltingPotWorld(scenario, Bots.SCRIPTED)
    assert isinstance(scenario.game, KitchenFacts)
    world.reset(1)
    rewards = [world.step({FOCAL: Move.NOOP}).rewards[FOCAL] for _ in range(STEPS)]
    assert world.metrics()["interactions"] == sum(reward == scenario.game.recipe.reward for reward in rewards) > 3
    world.close()


def test_a_world_that_is_reset_counts_anew() -> None:
    world = MeltingPotWorld(scenario_named("rws_repeated_0"), Bots.SCRIPTED)
    play(world, seed=2, steps=100)
    world.reset(0)
    assert world.metrics() == {}
    world.step({FOCAL: Move.NOOP})
    assert world.metrics()["interactions"] == 0
    world.close()
