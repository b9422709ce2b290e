from __future__ import annotations

import random

import pytest
from meltingpot.scenario import PERMITTED_OBSERVATIONS

from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

IN_THE_MATRIX = {"RGB", "INVENTORY", "READY_TO_SHOOT", "COLLECTIVE_REWARD"}
IN_A_KITCHEN = {"RGB", "COLLECTIVE_REWARD"}
SCENARIOS = list(all_scenarios())


def test_all_scenarios_are_covered() -> None:
    assert len(SCENARIOS) == 9 + 10 + 10 + 8 + 3


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.short_name)
@pytest.mark.parametrize("ground_truth", [False, True], ids=["playing", "with ground truth for tests"])
def test_player_receives_permitted_observations_only(scenario: Scenario, ground_truth: bool) -> None:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=ground_truth)
    moves = random.Random(0)
    observations = [world.reset(0), *(world.step(moves.randrange(len(Move))) for _ in range(20))]
    world.close()
    received = {frozenset(observation.fields) for observation in observations}
    permitted = IN_THE_MATRIX if isinstance(scenario.game, MatrixFacts) else IN_A_KITCHEN
    assert received == {frozenset(permitted)}
    assert permitted <= PERMITTED_OBSERVATIONS


def test_player_sees_its_own_window_not_the_world() -> None:
    world = MeltingPotWorld(find_scenarios(["rws_repeated_0"])[0], Bots.SCRIPTED)
    observation = world.reset(0)
    assert observation.fields["RGB"].shape == (40, 40, 3)
    assert world.frame().shape == (120, 184, 3)
    world.close()
