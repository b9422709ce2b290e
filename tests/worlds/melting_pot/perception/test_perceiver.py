from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.facts import FOCAL, GameFacts
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.calls import Call, FireAt, MoveTo
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs
from hm_agent.worlds.melting_pot.planning.walking import seek_bearings
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.support.melting_pot.accuracy import pose_of

STEPS = 500
SETTLED = 20
"""From this step of a life on, the pose is to be exact."""
CLUMSINESS = 0.1


class Player:
    """Collects what it sees, seeks its opponent and zaps it, all by the package's own perception and planning."""

    def __init__(self, game: GameFacts, vision: SubstrateVision, seed: int) -> None:
        self._vision, self._rng = vision, random.Random(seed)
        self._planner = ActionPlanner(vision.layout, game.beam, vision.window, ready_mark="ready")
        self._memory = EntityMemory(vision.layout, PlayerBeliefMap(vision.layout, ("opponent",), vision.window.left))
        self._move = Move.NOOP
        self._perceiver = Perceiver(vision)

    def look(self, observation: Observation[View]) -> TextualMap:
        view = self._perceiver.see(np.asarray(observation.view["RGB"]), self._move)
        self._memory.update(observation.step, view)
        return view

    def act(self, observation: Observation[View], view: TextualMap) -> Move:
        self._move = self._choose(observation, view)
        return self._move

    def _choose(self, observation: Observation[View], view: TextualMap) -> Move:
        if not view.present or self._rng.random() < CLUMSINESS:
            return Move(self._rng.randrange(len(Move)))
        if view.pose is None:
            return seek_bearings(view, observation.step)
        loaded = float(observation.view["READY_TO_SHOOT"]) == 1.0
        situation = MoveInputs(observation.step, view, self._memory, loaded)
        move = self._planner.next_move(situation)
        if move is None:
            self._planner.follow(self._plan(view.pose.cell))
            move = self._planner.next_move(situation)
        return Move.TURN_RIGHT if move is None else move

    def _plan(self, here: Cell) -> Iterator[Call]:
        things = sorted(self._memory.things)
        if things:
            yield MoveTo(self._rng.choice(things))
        yield FireAt(self._rng.choice(self._vision.layout.open_cells))


@dataclass(frozen=True)
class Moment:
    """What was perceived in one frame, and the truth. alive: the steps since the player entered the map."""

    rgb: Pixels
    view: TextualMap
    pose: Pose
    other: Pose
    other_present: bool
    alive: int


def watch(scenario: Scenario, seed: int, vision: SubstrateVision) -> Iterator[Moment]:
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=True)
    focal = Player(scenario.game, vision, seed=seed)
    observation = world.reset(seed).observations[FOCAL]
    alive = 0
    for _ in range(STEPS):
        view = focal.look(observation)
        alive = alive + 1 if view.present else 0
        pose, other = (pose_of(world.truth(player)) for player in (0, 1))
        yield Moment(np.asarray(observation.view["RGB"]), view, pose, other, bool(world.truth(1)["RGB"].any()), alive)
        observation = world.step({FOCAL: focal.act(observation, view)}).observations[FOCAL]
    world.close()


@pytest.fixture(scope="module")
def moments(rws_vision: SubstrateVision) -> list[Moment]:
    """Runs of every fourth scenario."""
    return [
        moment
        for number in range(0, 9, 4)
        for moment in watch(scenario_named(f"rws_repeated_{number}"), number, rws_vision)
    ]


def test_real_frames_have_no_unknown_patch(moments: list[Moment]) -> None:
    assert sum(moment.view.unknown_patches for moment in moments) == 0


def test_pose_is_exact_from_the_twentieth_step_of_a_life_on(moments: list[Moment]) -> None:
    settled = [moment for moment in moments if moment.alive >= SETTLED]
    exact = [moment for moment in settled if moment.view.pose == moment.pose]
    assert len(settled) > len(moments) / 2
    assert len(exact) >= 0.999 * len(settled)


def test_player_is_present_exactly_while_it_sees_anything(moments: list[Moment]) -> None:
    assert all(moment.view.present == bool(moment.rgb.any()) for moment in moments)
    assert any(not moment.view.present for moment in moments)


def test_every_wall_patch_is_an_exact_compass(moments: list[Moment], rws_vision: SubstrateVision) -> None:
    told = [
        (-meaning.turns % 4, moment.pose.facing)
        for moment in moments
        for label in rws_vision.read(moment.rgb)
        if (meaning := rws_vision.meanings[label]).is_wall
    ]
    assert {facing for facing, _ in told} == set(Facing)
    assert all(facing == true for facing, true in told)


def test_other_player_is_seen_with_its_true_cell_and_facing(moments: list[Moment]) -> None:
    seen = [(moment, sight) for moment in moments for sight in moment.view.players if moment.view.pose == moment.pose]
    assert len(seen) > 100
    assert all((sight.cell, sight.facing) == (moment.other.cell, moment.other.facing) for moment, sight in seen)


def test_other_player_is_seen_whenever_it_is_in_view(moments: list[Moment]) -> None:
    shown = [moment for moment in moments if moment.other_present and moment.other.cell in moment.view.in_view]
    exact = [moment for moment in shown if moment.view.pose == moment.pose]
    assert len(exact) > 100
    assert all(moment.view.players for moment in exact)


def spoilt(rgb: Pixels) -> Pixels:
    """A copy of a frame with a patch in the corner that is not in the atlas."""
    frame = rgb.copy()
    frame[:8, :8] = 7
    return frame


def test_unknown_patch_is_counted_and_never_guessed(moments: list[Moment], rws_vision: SubstrateVision) -> None:
    perceiver, corner = Perceiver(rws_vision), rws_vision.window.offsets[0]
    frame = next(moment.rgb for moment in moments if any(sight.offset == corner for sight in moment.view.detections))
    view = perceiver.see(spoilt(frame), Move.NOOP)
    assert (view.unknown_patches, perceiver.unknown_patches) == (1, 1)
    assert not any(sight.offset == corner for sight in view.detections)


def test_cell_of_an_unknown_patch_is_not_in_view(moments: list[Moment], rws_vision: SubstrateVision) -> None:
    views = (Perceiver(rws_vision).see(spoilt(moment.rgb), Move.NOOP) for moment in moments)
    pose, in_view = next((view.pose, view.in_view) for view in views if view.pose)
    assert in_view == rws_vision.layout.area(rws_vision.window.cells(pose)[1:])


def test_empty_frame_means_absence_not_a_lost_pose(rws_vision: SubstrateVision) -> None:
    perceiver = Perceiver(rws_vision)
    view = perceiver.see(np.zeros((40, 40, 3), np.uint8), Move.NOOP)
    assert (view.present, view.pose, view.detections) == (False, None, ())
    assert perceiver.lost_steps == 0


def test_frames_off_the_map_are_told_apart_from_each_other_and_from_the_return(
    moments: list[Moment], rws_vision: SubstrateVision
) -> None:
    """Two equal frames without the avatar, one with an unknown patch, twice; then the avatar is back."""
    perceiver, black = Perceiver(rws_vision), np.zeros((40, 40, 3), np.uint8)
    there = next(moment for moment in moments if moment.view.pose)
    frames = black, black, spoilt(black), spoilt(black), there.rgb
    views = [perceiver.see(frame, Move.NOOP) for frame in frames]
    assert [view.present for view in views] == [False, False, False, False, True]
    assert [view.unknown_patches for view in views] == [0, 0, 1, 1, 0]
    assert perceiver.unknown_patches == 2
    assert views[0] == views[1] != views[2] == views[3]
    assert {detection.offset for detection in views[4].detections} == {
        detection.offset for detection in there.view.detections
    }
