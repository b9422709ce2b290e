from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.perception.view import Window
from hm_agent.worlds.melting_pot.planning.action_planner import PATIENCE, ActionPlanner, Situation
from hm_agent.worlds.melting_pot.planning.beam import reaches
from hm_agent.worlds.melting_pot.planning.concealment import LONGEST_WATCH
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo, Subgoal

BEAM = Beam(length=3, radius=1)
WINDOW = Window(left=2, right=2, forward=3, backward=1)
READY = "ready"
ROOM = Layout.from_ascii("\n".join(["WWWWWWWWW", *["W       W"] * 7, "WWWWWWWWW"]))
HERE = Pose(4, 6, Facing.NORTH)


def opponent(cell: Cell, mark: str | None = READY, facing: Facing = Facing.NORTH) -> Detection:
    return Detection("opponent", (0, 0), cell, facing, mark, is_player=True)


def box(cell: Cell) -> Detection:
    return Detection("yellow_box", (0, 0), cell)


class Stage:
    """What a planner is told step by step, as an agent's perception and memory would."""

    def __init__(self) -> None:
        self.memory = EntityMemory(PlayerBeliefMap(ROOM, ("opponent",), 2))

    def shows(
        self,
        *sights: Detection,
        pose: Pose = HERE,
        step: int = 0,
        loaded: bool = True,
        in_view: Sequence[Cell] = (),
        covert: bool = False,
    ) -> Situation:
        cells = (*in_view, *(sight.cell for sight in sights if sight.cell))
        view = TextualMap(pose, True, None, sights, cells, 0)
        self.memory.update(step, view)
        return Situation(step, view, self.memory, loaded, covert=covert)


def planner_of(*plan: Subgoal, ready_mark: str | None = READY) -> ActionPlanner:
    planner = ActionPlanner(ROOM, BEAM, WINDOW, ready_mark)
    planner.follow(plan)
    return planner


def test_empty_plan_has_no_next_move() -> None:
    assert planner_of().next_move(Stage().shows()) is None


def test_move_to_goes_towards_its_target() -> None:
    assert planner_of(MoveTo((4, 6), (4, 3))).next_move(Stage().shows()) is Move.FORWARD


def test_move_to_starts_from_the_true_pose_whatever_its_source() -> None:
    assert planner_of(MoveTo((1, 1), (5, 6))).next_move(Stage().shows()) is Move.STEP_RIGHT


def test_arrival_goes_on_with_the_next_subgoal_at_once() -> None:
    planner = planner_of(MoveTo((4, 6), (4, 6)), MoveTo((4, 6), (3, 6)))
    assert planner.next_move(Stage().shows()) is Move.STEP_LEFT
    assert planner.subgoal == MoveTo((4, 6), (3, 6))
    assert (len(planner.plan), planner.place, planner.route) == (2, 1, ((3, 6),))


def test_arrival_at_the_last_target_uses_the_plan_up() -> None:
    planner = planner_of(MoveTo((4, 6), (4, 6)))
    assert planner.next_move(Stage().shows()) is None
    assert planner.subgoal is None


def test_a_thing_is_not_taken_before_the_eyes_of_others_by_who_is_covert() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 5)))
    assert planner.next_move(stage.shows(box((4, 5)), opponent((4, 7)), covert=True)) is Move.NOOP
    away = opponent((4, 7), facing=Facing.SOUTH)
    assert planner.next_move(stage.shows(box((4, 5)), away, step=1, covert=True)) is Move.FORWARD


@pytest.mark.parametrize(("cell", "move"), [((4, 7), Move.NOOP), ((1, 1), Move.FORWARD)])
def test_who_is_covert_minds_somebody_near_that_has_gone_out_of_view(cell: Cell, move: Move) -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 5)))
    stage.shows(box((4, 5)), opponent(cell))
    assert planner.next_move(stage.shows(box((4, 5)), step=1, covert=True)) is move


def test_who_is_not_covert_takes_things_before_the_eyes_of_others() -> None:
    planner = planner_of(MoveTo((4, 6), (4, 5)))
    assert planner.next_move(Stage().shows(box((4, 5)), opponent((4, 7)))) is Move.FORWARD


def test_who_is_covert_comes_closer_to_a_thing_while_watched() -> None:
    planner = planner_of(MoveTo((4, 6), (4, 4)))
    assert planner.next_move(Stage().shows(box((4, 4)), opponent((4, 7)), covert=True)) is Move.FORWARD


def test_nobody_waits_for_ever_for_others_to_look_away() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 5)))
    watched = [stage.shows(box((4, 5)), opponent((4, 7)), step=step, covert=True) for step in range(LONGEST_WATCH + 1)]
    moves = [planner.next_move(situation) for situation in watched]
    assert moves == [Move.NOOP] * LONGEST_WATCH + [Move.FORWARD]


def test_move_to_a_thing_seen_gone_is_given_up() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 3)))
    assert planner.next_move(stage.shows(box((4, 3)))) is Move.FORWARD
    assert planner.next_move(stage.shows(step=1, in_view=[(4, 3)])) is None


def test_what_follows_a_thing_seen_gone_is_given_up_with_it() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 3)), FireAt((4, 2)))
    planner.next_move(stage.shows(box((4, 3))))
    assert planner.next_move(stage.shows(step=1, in_view=[(4, 3)])) is None
    assert planner.subgoal is None


def test_what_follows_a_thing_that_was_collected_is_kept_up() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 5)), FireAt((4, 2)))
    planner.next_move(stage.shows(box((4, 5))))
    arrived = Pose(4, 5, Facing.NORTH)
    assert planner.next_move(stage.shows(pose=arrived, step=1, in_view=[(4, 5)])) is Move.FORWARD
    assert planner.subgoal == FireAt((4, 2))


def test_move_to_a_thing_out_of_view_is_kept_up() -> None:
    stage, planner = Stage(), planner_of(MoveTo((4, 6), (4, 3)))
    planner.next_move(stage.shows(box((4, 3))))
    assert planner.next_move(stage.shows(step=1)) is Move.FORWARD


def test_move_to_where_nothing_ever_lay_is_kept_up_in_view() -> None:
    assert planner_of(MoveTo((4, 6), (4, 3))).next_move(Stage().shows(in_view=[(4, 3)])) is Move.FORWARD


def test_fire_at_zaps_a_ready_opponent_within_reach() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Stage().shows(opponent((4, 4)))) is Move.INTERACT


def test_fire_at_waits_while_the_beam_cools() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Stage().shows(opponent((4, 4)), loaded=False)) is Move.NOOP


def test_fire_at_waits_for_an_opponent_without_the_ready_mark() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Stage().shows(opponent((4, 4), mark=None))) is Move.NOOP


def test_fire_at_zaps_anybody_where_the_game_has_no_ready_mark() -> None:
    planner = planner_of(FireAt((4, 4)), ready_mark=None)
    assert planner.next_move(Stage().shows(opponent((4, 4), mark=None))) is Move.INTERACT


def test_fire_at_moves_on_where_a_thing_blocks_the_beam() -> None:
    move = planner_of(FireAt((4, 4))).next_move(Stage().shows(opponent((4, 4)), box((4, 5))))
    assert move not in (Move.INTERACT, Move.NOOP, None)


@given(
    data=st.data(),
    facing=st.sampled_from(Facing),
    loaded=st.booleans(),
    mark=st.sampled_from([READY, "interacting", None]),
)
def test_fire_at_never_zaps_in_vain(data: st.DataObject, facing: Facing, loaded: bool, mark: str | None) -> None:
    *things, target, own = data.draw(st.lists(st.sampled_from(ROOM.open_cells), min_size=2, max_size=15, unique=True))
    pose = Pose(*own, facing)
    situation = Stage().shows(opponent(target, mark), *map(box, things), pose=pose, loaded=loaded)
    move = planner_of(FireAt(target)).next_move(situation)
    in_reach = reaches(pose, target, BEAM, ROOM.walls.union(things))
    assert (move is Move.INTERACT) == (loaded and mark == READY and in_reach)


def test_fire_at_follows_an_opponent_that_just_went_out_of_view() -> None:
    stage, planner = Stage(), planner_of(FireAt((1, 6)))
    stage.shows(opponent((7, 6)), step=0)
    assert planner.next_move(stage.shows(step=1)) is Move.STEP_RIGHT


def test_fire_at_steps_towards_an_opponent_rather_than_turn_its_eyes_away() -> None:
    assert planner_of(FireAt((6, 6))).next_move(Stage().shows(opponent((6, 6)))) is Move.STEP_RIGHT


def test_who_looks_for_an_opponent_does_not_walk_backwards() -> None:
    here = Pose(4, 3, Facing.NORTH)
    assert planner_of(FireAt((4, 7))).next_move(Stage().shows(pose=here)) is Move.TURN_RIGHT


def test_fire_at_goes_to_the_place_named_where_nobody_was_seen() -> None:
    assert planner_of(FireAt((1, 6))).next_move(Stage().shows()) is Move.STEP_LEFT


def test_fire_at_looks_elsewhere_where_the_place_named_is_empty() -> None:
    south = [(x, y) for x, y in ROOM.open_cells if y >= 4]
    assert planner_of(FireAt((1, 6))).next_move(Stage().shows(in_view=south)) is not Move.STEP_LEFT


@pytest.mark.parametrize("place", [(0, 0), (8, 3)])
def test_fire_at_a_wall_looks_where_the_opponent_may_be(place: Cell) -> None:
    assert planner_of(FireAt(place)).next_move(Stage().shows()) is not None


def test_fire_at_is_given_up_when_patience_is_over() -> None:
    stage, planner = Stage(), planner_of(FireAt((1, 6)))
    assert planner.next_move(stage.shows(step=0)) is not None
    assert planner.next_move(stage.shows(step=PATIENCE)) is not None
    assert planner.next_move(stage.shows(step=PATIENCE + 1)) is None


def test_each_fire_at_has_its_own_patience() -> None:
    stage, planner = Stage(), planner_of(FireAt((1, 6)), FireAt((7, 6)))
    planner.next_move(stage.shows(step=0))
    planner.next_move(stage.shows(step=PATIENCE + 1))
    assert planner.next_move(stage.shows(step=2 * PATIENCE)) is not None


def test_new_plan_takes_the_place_of_the_present_one() -> None:
    planner = planner_of(MoveTo((4, 6), (1, 6)))
    planner.next_move(Stage().shows())
    planner.follow([MoveTo((4, 6), (7, 6))])
    assert planner.next_move(Stage().shows()) is Move.STEP_RIGHT
