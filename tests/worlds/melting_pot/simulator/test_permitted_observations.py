from __future__ import annotations

import random

import pytest
from meltingpot.scenario import PERMITTED_OBSERVATIONS

from hm_agent.worlds.melting_pot.facts import FOCAL, MatrixFacts
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

IN_THE_MATRIX = {"RGB", "INVENTORY", "READY_TO_SHOOT", "COLLECTIVE_REWARD"}
IN_A_KITCHEN = {"RGB", "COLLECTIVE_REWARD"}
SCENARIOS = [scenario for scenario in all_scenarios() if not scenario.is_self_play]


def test_all_scenarios_are_covered() -> None:
    assert len(SCENARIOS) == 9 + 8 + 10 + 6 + 10 + 8 + 3 + 3


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.short_name)
@pytest.mark.parametrize("ground_truth", [False, True], ids=["playing", "with ground truth for tests"])
def test_player_receives_permitted_observations_only(scenario: Scenario, ground_truth: bool) -> None:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=ground_truth)
    moves = random.Random(0)
    turns = [world.reset(0), *(world.step({FOCAL: moves.randrange(len(Move))}) for _ in range(20))]
    world.close()
    assert all(set(turn.observations) == {FOCAL} for turn in turns)
    received = {frozenset(turn.observations[FOCAL].view) for turn in turns}
    permitted = IN_THE_MATRIX if isinstance(scenario.game, MatrixFacts) else IN_A_KITCHEN
    assert received == {frozenset(permitted)}
    assert permitted <= PERMITTED_OBSERVATIONS


def test_player_sees_its_own_window_not_the_world() -> None:
    world = MeltingPotWorld(scenario_named("rws_repeated_0"), Bots.SCRIPTED)
    turn = world.reset(0)
    assert turn.observations[FOCAL].view["RGB"].shape == (40, 40, 3)
    assert world.frame().shape == (120, 184, 3)
    world.close()
