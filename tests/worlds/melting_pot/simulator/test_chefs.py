"""Scripted chefs: how much they deliver, by pairing and by side, and which role they take."""

from __future__ import annotations

import random
from functools import cache
from statistics import mean

import pytest

from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.roles import EVERYTHING, LOADS, ROLES, SERVES
from hm_agent.worlds.melting_pot.games.cooking.simulator.chef import APPRENTICE, SKILLED, Chef, Skill
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.scene import PlayerIntent
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, cast_of
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

SCENARIOS = [scenario_named(f"cooking_asymmetric_{number}") for number in range(3)]
WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY = range(3)
SEEDS = (1000, 1001)
"""With these the focal player begins on the right and on the left."""
LEFT, RIGHT = "left", "right"
WALL_OF_POTS = 4
"""Its column."""


class Shift:
    """An episode with a focal chef. intents: the roles that the other chef intended to play."""

    def __init__(self, scenario: Scenario, skill: Skill | None, seed: int) -> None:
        assert isinstance(scenario.game, KitchenFacts)
        world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=True)
        turn = world.reset(seed)
        vision = vision_of(scenario.game.short_name, 0)
        chef = Chef(scenario.game, vision, skill, random.Random(seed)) if skill else None
        self.side = LEFT if world.truth(0)["POSITION"][0] < WALL_OF_POTS else RIGHT
        self.intents: set[PlayerIntent] = set()
        self.deliveries = 0.0
        while not turn.is_over:
            turn = world.step({FOCAL: chef.act(turn.observations[FOCAL].view, 0.0) if chef else Move.NOOP})
            self.deliveries += turn.rewards[FOCAL] / scenario.game.recipe.reward
            self.intents |= set(world.intents())
        self.steps, self.names = turn.step, world.background()
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
def test_better_partners_lead_to_more_deliveries(side: str) -> None:
    able, clumsy, none = (deliveries(each, SKILLED, side) for each in (WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY))
    assert able > clumsy > none > 5


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_skilled_chef_delivers_beside_a_partner_that_stands_still(side: str) -> None:
    assert deliveries(WITH_CHEF, None, side) > 5


def test_chef_beside_an_idle_partner_does_everything() -> None:
    intended = {intent.behaviour for shift in shifts(WITH_CHEF, None) for intent in shift.intents}
    assert EVERYTHING in intended
    assert intended <= {None, *ROLES}


@pytest.mark.parametrize(("focal", "part"), [(LEFT, LOADS), (RIGHT, SERVES)])
def test_chef_takes_the_role_of_its_side(focal: str, part: str) -> None:
    own = [shift for shift in shifts(WITH_CHEF, SKILLED) if shift.side == focal]
    intended = [{intent.behaviour for intent in shift.intents} for shift in own]
    assert all(part in each and each <= {None, part, EVERYTHING} for each in intended)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.short_name)
def test_every_bot_of_the_cast_is_drawn(scenario: Scenario) -> None:
    world, cast, drawn = MeltingPotWorld(scenario, Bots.SCRIPTED), set(cast_of(scenario)), set[str]()
    for seed in range(1000, 1008):
        if not cast <= drawn:
            world.reset(seed)
            drawn |= set(world.background())
    world.close()
    assert drawn == cast
