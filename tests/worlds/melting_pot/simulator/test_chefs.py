"""Scripted chefs: how much they deliver, by pairing and by side, and which part they take."""

from __future__ import annotations

import random
from functools import cache
from statistics import mean

import pytest

from hm_agent.core import OpponentIntent
from hm_agent.worlds.melting_pot.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import EVERYTHING, LOADS, ROLES, SERVES
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import Scenario, find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of
from hm_agent.worlds.melting_pot.simulator.bots.chef import APPRENTICE, SKILLED, Chef, Skill
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

SCENARIOS = find_scenarios(["cooking_asymmetric_*"])
WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY = range(3)
SEEDS = (1000, 1001, 1002, 1003)
"""With these the focal player begins twice on either side."""
LEFT, RIGHT = "left", "right"
WALL_OF_POTS = 4
"""Its column."""


class Shift:
    """An episode with a focal chef. told: which parts the other one was after."""

    def __init__(self, scenario: Scenario, skill: Skill | None, seed: int) -> None:
        assert isinstance(scenario.game, KitchenFacts)
        world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=True)
        observation = world.reset(seed)
        eyes = vision_of(scenario.game.short_name)
        chef = Chef(scenario.game, eyes, skill, random.Random(seed)) if skill else None
        self.side = LEFT if world.truth(0)["POSITION"][0] < WALL_OF_POTS else RIGHT
        self.told: set[OpponentIntent] = set()
        self.deliveries = 0.0
        while not observation.last:
            observation = world.step(chef.act(observation.fields["RGB"]) if chef else Move.NOOP)
            self.deliveries += observation.reward / scenario.game.recipe.reward
            self.told |= set(world.tell())
        self.steps, self.names = observation.step, world.background()
        world.close()


@cache
def shifts(number: int, skill: Skill | None) -> tuple[Shift, ...]:
    return tuple(Shift(SCENARIOS[number], skill, seed) for seed in SEEDS)


def deliveries(number: int, skill: Skill | None, *sides: str) -> float:
    """The mean over the shifts that began on these sides."""
    return mean(shift.deliveries for shift in shifts(number, skill) if shift.side in (sides or (LEFT, RIGHT)))


def test_shifts_begin_on_both_sides() -> None:
    assert {shift.side for shift in shifts(WITH_CHEF, SKILLED)} == {LEFT, RIGHT}
    assert {shift.steps for shift in shifts(WITH_CHEF, SKILLED)} == {1000}


def test_two_skilled_chefs_deliver_as_many_as_trained_ones() -> None:
    assert deliveries(WITH_CHEF, SKILLED) == pytest.approx(23, abs=3)


def test_two_apprentices_deliver_half_of_that() -> None:
    assert deliveries(WITH_APPRENTICE, APPRENTICE) == pytest.approx(11.5, abs=2)


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_more_comes_of_a_better_partner(side: str) -> None:
    able, clumsy, none = (deliveries(each, SKILLED, side) for each in (WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY))
    assert able > clumsy > none > 5


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_a_skilled_chef_does_not_let_a_partner_that_stands_still_starve(side: str) -> None:
    assert deliveries(WITH_CHEF, None, side) > 5


def test_a_chef_beside_one_that_does_nothing_does_everything() -> None:
    told = {told.behaviour for shift in shifts(WITH_CHEF, None) for told in shift.told}
    assert EVERYTHING in told
    assert told <= {None, *ROLES}


@pytest.mark.parametrize(("focal", "part"), [(LEFT, LOADS), (RIGHT, SERVES)])
def test_a_chef_takes_the_part_of_its_side(focal: str, part: str) -> None:
    own = [shift for shift in shifts(WITH_CHEF, SKILLED) if shift.side == focal]
    told = [{told.behaviour for told in shift.told} for shift in own]
    assert all(part in each and each <= {None, part, EVERYTHING} for each in told)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.short_name)
def test_all_of_the_cast_is_drawn_from(scenario: Scenario) -> None:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED)
    drawn = set()
    for seed in range(1000, 1008):
        world.reset(seed)
        drawn |= set(world.background())
    world.close()
    assert drawn == set(cast_of(scenario))
