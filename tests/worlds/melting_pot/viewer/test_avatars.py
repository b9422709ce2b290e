"""Where players stand on the map of an arena, as a replay names them."""

from __future__ import annotations

import random

from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from hm_agent.worlds.melting_pot.viewer.avatars import avatars_of


def test_players_are_found_where_they_stand_and_each_has_a_colour_of_its_own() -> None:
    scenario = scenario_named("rws_arena_selfplay")
    avatars = avatars_of(scenario.game)
    assert avatars
    assert len(set(avatars.colours.values())) == len(avatars.players) == len(scenario.seats) == 8
    world = SelfPlayWorld(scenario)
    world.is_shown = True
    rng = random.Random(3)
    world.reset(3)
    seen = 0
    for _ in range(60):
        world.step({seat: rng.randrange(8) for seat in scenario.seats})
        scene = world.scene()
        places = avatars.places(scene.frame)
        for slot, place in enumerate(places):
            if place is not None:
                assert place == scene.cell(scenario.seats[slot])
                seen += 1
    world.close()
    assert seen > 400


def test_a_game_of_two_needs_no_names() -> None:
    assert avatars_of(scenario_named("rws_repeated_1").game) is None
