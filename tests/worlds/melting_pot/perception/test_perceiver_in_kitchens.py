"""Perception in kitchens, with a focal player that cooks on either side and with one that moves at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.simulator.chef import SKILLED, Chef
from hm_agent.worlds.melting_pot.grid import Facing, Move, Pose
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.support.melting_pot.accuracy import pose_of

SCENARIOS = [scenario_named(f"cooking_asymmetric_{number}") for number in range(2)]
SEEDS = (1000, 1001)
"""With these the focal player begins on the right and on the left."""
STEPS = 200
SETTLED = 5
"""From this step on, the pose is to be exact."""
ALIKE = {Pose(2, 3, Facing.SOUTH), Pose(6, 3, Facing.SOUTH)}
"""The only poses that the walls in view don't tell apart."""


@dataclass(frozen=True)
class Moment:
    """What was perceived in one frame, and the truth. held: by the teammate, as its own view shows it."""

    step: int
    view: TextualMap
    pose: Pose
    other: Pose
    held: str | None


def hands(vision: SubstrateVision, rgb: Pixels) -> str | None:
    return vision.meanings[int(vision.read(rgb)[vision.window.own_index])].mark


def watch(scenario: Scenario, seed: int, *, wanders: bool) -> Iterator[Moment]:
    assert isinstance(scenario.game, KitchenFacts)
    vision, rng = vision_of(scenario.game.short_name, 0), random.Random(seed)
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=True)
    turn = world.reset(seed)
    perceiver, chef, move = Perceiver(vision), Chef(scenario.game, vision, SKILLED, rng), Move.NOOP
    for step in range(STEPS):
        rgb = np.asarray(turn.observations[FOCAL].view["RGB"])
        me, other = world.truth(0), world.truth(1)
        yield Moment(step, perceiver.see(rgb, move), pose_of(me), pose_of(other), hands(vision, other["RGB"]))
        move = rng.choice(list(Move)) if wanders else chef.act({"RGB": rgb}, 0.0)
        turn = world.step({FOCAL: move})
    world.close()


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    runs = [
        (scenario, seed, wanders) for scenario, seed in zip(SCENARIOS, SEEDS, strict=True) for wanders in (False, True)
    ]
    return [moment for scenario, seed, wanders in runs for moment in watch(scenario, seed, wanders=wanders)]


@pytest.fixture(scope="module")
def vision() -> SubstrateVision:
    return vision_of(SCENARIOS[0].game.short_name, 0)


def test_frames_of_kitchens_have_no_unknown_patch(moments: list[Moment]) -> None:
    assert sum(moment.view.unknown_patches for moment in moments) == 0


def test_both_sides_are_played(moments: list[Moment]) -> None:
    assert {moment.pose.x < 4 for moment in moments if moment.step == 0} == {True, False}


def test_pose_is_exact_in_every_settled_step(moments: list[Moment]) -> None:
    assert [moment for moment in moments if moment.step >= SETTLED and moment.view.pose != moment.pose] == []


def test_pose_is_never_wrong_even_before(moments: list[Moment]) -> None:
    assert [moment for moment in moments if moment.view.pose not in (None, moment.pose)] == []


def test_poses_that_look_alike_are_told_apart_by_the_moves_before(
    moments: list[Moment], vision: SubstrateVision
) -> None:
    shown = vision.patterns.wall_sets
    first, second = (shown[vision.patterns.number[pose]] for pose in sorted(ALIKE))
    assert first == second
    assert len(set(shown)) == len(shown) - 1
    assert {moment.view.pose for moment in moments} >= ALIKE


def test_teammate_is_seen_with_its_true_cell_facing_and_item(moments: list[Moment]) -> None:
    shown = [moment for moment in moments if moment.other.cell in moment.view.in_view]
    seen = [[(player.cell, player.facing, player.mark) for player in moment.view.players] for moment in shown]
    assert seen == [[(moment.other.cell, moment.other.facing, moment.held)] for moment in shown]
    assert {moment.held for moment in shown} == {None, "tomato", "dish", "soup"}
