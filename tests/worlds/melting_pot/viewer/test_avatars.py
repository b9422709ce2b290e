"""Where players stand on the map of an arena, as a replay names them."""

from __future__ import annotations

import random

from hm_agent.worlds.melting_pot.scenarios import load_games, scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from hm_agent.worlds.melting_pot.viewer.avatars import avatars_of


def test_players_are_found_where_they_stand_and_each_has_a_colour_of_its_own() -> None:
    scenario = scenario_named("rws_arena_selfplay")
    avatars = avatars_of(scenario.game)
    assert len(set(avatars.colours.values())) == len(scenario.seats) == 8
    world = SelfPlayWorld(scenario)
    world.is_shown = True
    rng = random.Random(3)
    world.reset(3)
    seen = 0
    for _ in range(60):
        world.step({seat: rng.randrange(8) for seat in scenario.seats})
        scene = world.scene()
        places = avatars.places(scene.frame)
        assert places == {seat: scene.cell(seat) for seat in places}
        seen += len(places)
    world.close()
    assert seen > 400


def test_no_two_players_of_a_game_have_the_same_colour() -> None:
    for game in load_games():
        colours = avatars_of(game).colours
        assert len(set(colours.values())) == len(colours), game.short_name
