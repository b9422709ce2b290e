from __future__ import annotations

import random

import pytest
from meltingpot import scenario as mp_scenario
from meltingpot.scenario import PERMITTED_OBSERVATIONS

from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bots_of, build_bots, cast_of
from hm_agent.worlds.melting_pot.simulator.bots.intents import IntentLog
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

IN_THE_MATRIX = {"INVENTORY", "READY_TO_SHOOT"}
BESIDE_THE_VIEW = {"matrix": IN_THE_MATRIX, "cooking": set[str](), "agenda": {*IN_THE_MATRIX, "VOTING"}}
"""What players are told beside their view and what all earned, by kind of games."""
SCENARIOS = [scenario for scenario in all_scenarios() if not (scenario.is_self_play or scenario.pairs)]


def test_all_scenarios_are_covered() -> None:
    names = {scenario.name for scenario in SCENARIOS if not scenario.is_unseen}
    assert len(names) == len([scenario for scenario in SCENARIOS if not scenario.is_unseen])
    assert names == mp_scenario.SCENARIOS


def test_every_scenario_has_scripted_players_for_its_whole_cast() -> None:
    for scenario in SCENARIOS:
        bots = bots_of(scenario.game)
        built = build_bots(scenario, bots.visions, Bots.SCRIPTED, None, random.Random(0), IntentLog(bots, []))
        assert list(built) == list(cast_of(scenario)) != []


FIRST = [*{(each.game.game, min(len(each.seats), 3)): each for each in reversed(SCENARIOS)}.values()]
"""The first of those of the same kind of games with one seat, with two, and with more."""
PLAYED = [pytest.param(each, marks=() if each in FIRST else pytest.mark.heavy) for each in SCENARIOS]


@pytest.mark.parametrize("scenario", PLAYED, ids=lambda scenario: scenario.short_name)
def test_player_receives_permitted_observations_only(scenario: Scenario) -> None:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=scenario.number == 0)
    moves = random.Random(0)
    turns = [world.reset(0), *(world.step(_moves(world, moves)) for _ in range(4))]
    world.close()
    assert all(set(turn.observations) == set(scenario.seats) for turn in turns)
    received = {frozenset(seen.view) for turn in turns for seen in turn.observations.values()}
    (told,) = received
    assert {"RGB", "COLLECTIVE_REWARD"} <= told <= PERMITTED_OBSERVATIONS
    if scenario.game.game in BESIDE_THE_VIEW:
        assert told - {"RGB", "COLLECTIVE_REWARD"} == BESIDE_THE_VIEW[scenario.game.game]


def _moves(world: MeltingPotWorld, moves: random.Random) -> dict[str, Move]:
    return {seat: Move(moves.randrange(len(Move))) for seat in world.seats}


def test_player_sees_its_own_window_not_the_world() -> None:
    world = MeltingPotWorld(scenario_named("rws_repeated_0"), Bots.SCRIPTED)
    turn = world.reset(0)
    assert turn.observations[FOCAL].view["RGB"].shape == (40, 40, 3)
    assert world.scene().frame.shape == (120, 184, 3)
    world.close()
