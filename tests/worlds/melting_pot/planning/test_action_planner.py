from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose, Window
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import FIRE_AT_STEPS, SHADOW_STEPS, ActionPlanner, Situation
from hm_agent.worlds.melting_pot.planning.beam import reaches
from hm_agent.worlds.melting_pot.planning.concealment import MAX_WAIT
from hm_agent.worlds.melting_pot.planning.subgoals import (
    USED_UP,
    FireAt,
    FireOnSight,
    MoveTo,
    Pause,
    PreviousPlan,
    Shadow,
    Subgoal,
)

BEAM = Beam(length=3, radius=1)
WINDOW = Window(left=2, right=2, forward=3, backward=1)
READY = "ready"
ROOM = Layout.from_ascii("\n".join(["WWWWWWWWW", *["W       W"] * 7, "WWWWWWWWW"]))
HERE = Pose(4, 6, Facing.NORTH)


def opponent(cell: Cell, mark: str | None = READY, facing: Facing = Facing.NORTH) -> Detection:
    return Detection("opponent", (0, 0), cell, facing, mark, is_player=True)


def box(cell: Cell) -> Detection:
    return Detection("yellow_box", (0, 0), cell)


class Situations:
    """Builds the situation of each step and keeps the memory between them."""

    def __init__(self) -> None:
        self.memory = EntityMemory(PlayerBeliefMap(ROOM, ("opponent",), 2))

    def at(
        self,
        *sights: Detection,
        pose: Pose = HERE,
        step: int = 0,
        loaded: bool = True,
        in_view: Sequence[Cell] = (),
        covert: bool = False,
        armed: bool = True,
        wanted: frozenset[str] = frozenset(),
        leading: Callable[[str], str | None] = lambda player: None,
    ) -> Situation:
        cells = (*in_view, *(sight.cell for sight in sights if sight.cell))
        view = TextualMap(pose, True, None, sights, cells, 0)
        self.memory.update(step, view)
        return Situation(step, view, self.memory, loaded, armed=armed, covert=covert, wanted=wanted, leading=leading)


def planner_of(*plan: Subgoal, ready_mark: str | None = READY) -> ActionPlanner:
    planner = ActionPlanner(ROOM, BEAM, WINDOW, ready_mark)
    planner.follow(plan)
    return planner


def test_empty_plan_has_no_next_move() -> None:
    assert planner_of().next_move(Situations().at()) is None


def test_move_to_goes_towards_its_target() -> None:
    assert planner_of(MoveTo((4, 3))).next_move(Situations().at()) is Move.FORWARD


def test_walk_to_a_cell_without_a_thing_faces_the_way() -> None:
    assert planner_of(MoveTo((5, 6))).next_move(Situations().at()) is Move.TURN_RIGHT


def test_walk_to_a_thing_steps_sideways() -> None:
    assert planner_of(MoveTo((5, 6))).next_move(Situations().at(box((5, 6)))) is Move.STEP_RIGHT


def test_arrival_goes_on_with_the_next_subgoal_at_once() -> None:
    planner = planner_of(MoveTo((4, 6)), MoveTo((3, 6)))
    assert planner.next_move(Situations().at()) is Move.TURN_LEFT
    assert planner.subgoal == MoveTo((3, 6))
    assert (len(planner.plan), planner.place, planner.route) == (2, 1, ((3, 6),))


def test_arrival_at_the_last_target_uses_the_plan_up() -> None:
    planner = planner_of(MoveTo((4, 6)))
    assert planner.next_move(Situations().at()) is None
    assert planner.subgoal is None


def test_covert_agent_takes_no_thing_in_view_of_others() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)))
    assert planner.next_move(situations.at(box((4, 5)), opponent((4, 7)), covert=True)) is Move.NOOP
    away = opponent((4, 7), facing=Facing.SOUTH)
    assert planner.next_move(situations.at(box((4, 5)), away, step=1, covert=True)) is Move.FORWARD


@pytest.mark.parametrize(("cell", "move"), [((4, 7), Move.NOOP), ((1, 1), Move.FORWARD)])
def test_covert_agent_also_waits_for_a_near_player_that_went_out_of_view(cell: Cell, move: Move) -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)))
    situations.at(box((4, 5)), opponent(cell))
    assert planner.next_move(situations.at(box((4, 5)), step=1, covert=True)) is move


def test_agent_that_is_not_covert_takes_things_in_view_of_others() -> None:
    planner = planner_of(MoveTo((4, 5)))
    assert planner.next_move(Situations().at(box((4, 5)), opponent((4, 7)))) is Move.FORWARD


def test_covert_agent_approaches_a_thing_while_watched() -> None:
    planner = planner_of(MoveTo((4, 4)))
    assert planner.next_move(Situations().at(box((4, 4)), opponent((4, 7)), covert=True)) is Move.FORWARD


def test_covert_agent_waits_no_longer_than_the_limit() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)))
    watched = [situations.at(box((4, 5)), opponent((4, 7)), step=step, covert=True) for step in range(MAX_WAIT + 1)]
    moves = [planner.next_move(situation) for situation in watched]
    assert moves == [Move.NOOP] * MAX_WAIT + [Move.FORWARD]


def test_move_to_a_thing_that_has_disappeared_is_given_up() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)))
    assert planner.next_move(situations.at(box((4, 3)))) is Move.FORWARD
    assert planner.next_move(situations.at(step=1, in_view=[(4, 3)])) is None


def test_a_disappeared_thing_costs_its_call_and_not_the_plan() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 3))))
    assert planner.next_move(situations.at(step=1, in_view=[(4, 3)])) is Move.FORWARD
    assert planner.subgoal == FireAt((4, 2))
    assert planner.skipped == (MoveTo((4, 3)),)


WALL_OF_BOXES = [box((x, 2)) for x in range(1, 8)]


def test_a_disappeared_thing_is_replaced_by_the_nearest_of_its_kind_if_nothing_is_collected() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 3)), box((7, 6)), box((2, 6)), armed=False))
    assert planner.next_move(situations.at(step=1, in_view=[(4, 3)], armed=False)) is Move.STEP_LEFT
    assert planner.plan == (MoveTo((4, 3)), MoveTo((2, 6)), FireAt((4, 2)))
    assert (planner.skipped, planner.subgoal) == ((MoveTo((4, 3)),), MoveTo((2, 6)))


@pytest.mark.parametrize(("armed", "rest"), [(True, (FireAt((4, 2)),)), (False, (MoveTo((7, 6)),))])
def test_a_disappeared_thing_is_not_replaced_if_the_plan_works_without(armed: bool, rest: tuple[Subgoal, ...]) -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), *rest)
    planner.next_move(situations.at(box((4, 3)), box((7, 6)), box((2, 6)), armed=armed))
    planner.next_move(situations.at(step=1, in_view=[(4, 3)], armed=armed))
    assert planner.plan == (MoveTo((4, 3)), *rest)


def searched(unwanted: frozenset[str], steps: int = 20) -> set[Cell]:
    """The cells that a search enters whose first goal lies behind things."""
    situations, planner, pose, entered = Situations(), planner_of(FireAt((4, 1))), HERE, set()
    situations.at(*WALL_OF_BOXES)
    for step in range(1, steps):
        ahead = [(x, y) for x in range(1, 8) for y in range(pose.y - 1, pose.y + 1)]
        situation = replace(situations.at(*WALL_OF_BOXES, pose=pose, step=step, in_view=ahead), unwanted=unwanted)
        move = planner.next_move(situation)
        assert move is not None
        pose = pose.after(move)
        entered.add(pose.cell)
    return entered


def test_a_search_takes_nothing_that_would_cost_the_lead() -> None:
    things = {thing.cell for thing in WALL_OF_BOXES}
    assert searched(frozenset()) & things
    entered = searched(frozenset({"yellow_box"}))
    assert not entered & things
    assert len(entered) > 3


def test_subgoals_after_a_collected_thing_are_followed() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 5))))
    arrived = Pose(4, 5, Facing.NORTH)
    assert planner.next_move(situations.at(pose=arrived, step=1, in_view=[(4, 5)])) is Move.FORWARD
    assert planner.subgoal == FireAt((4, 2))


def test_move_to_a_thing_out_of_view_is_kept_up() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)))
    planner.next_move(situations.at(box((4, 3))))
    assert planner.next_move(situations.at(step=1)) is Move.FORWARD


def test_walk_to_a_cell_without_a_thing_ends_when_the_cell_is_in_view() -> None:
    planner = planner_of(MoveTo((4, 3)))
    assert planner.next_move(Situations().at()) is Move.FORWARD
    assert planner.next_move(Situations().at(in_view=[(4, 3)])) is None
    assert planner.why_over == USED_UP


def test_plan_that_explores_ends_when_a_wanted_kind_comes_into_view() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), MoveTo((1, 1)))
    planner.next_move(situations.at())
    assert planner.next_move(situations.at(box((5, 6)), step=1, wanted=frozenset({"blue_box"}))) is not None
    assert planner.next_move(situations.at(box((3, 6)), step=2, wanted=frozenset({"yellow_box"}))) is None
    assert planner.why_over == "yellow_box has come into view"
    assert planner.previous == PreviousPlan((MoveTo((4, 3)), MoveTo((1, 1))), 0)


def test_fire_at_a_named_player_leaves_the_others_alone() -> None:
    planner = planner_of(FireAt((1, 6), ("somebody_else",)))
    assert planner.next_move(Situations().at(opponent((4, 4)))) is not Move.INTERACT


@pytest.mark.parametrize(("leading", "move"), [("rock", Move.INTERACT), (None, Move.NOOP), ("paper", None)])
def test_fire_at_looks_at_what_a_player_took_before_it_fires(leading: str | None, move: Move | None) -> None:
    planner = planner_of(FireAt((4, 4), holding="rock"))
    assert planner.next_move(Situations().at(opponent((4, 4)), leading=lambda player: leading)) is move


def test_fire_at_with_nothing_collected_is_over_at_once() -> None:
    planner = planner_of(FireAt((4, 4)))
    assert planner.next_move(Situations().at(opponent((4, 4)), armed=False)) is None
    assert "nothing is collected" in planner.why_over


def test_plan_fires_on_sight_once_it_says_so() -> None:
    near, far = opponent((4, 4)), opponent((1, 1))
    planner = planner_of(MoveTo((4, 5)), FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    assert planner.fires_on_sight
    assert planner.next_move(Situations().at(near)) is Move.FORWARD
    planner.next_move(Situations().at(pose=Pose(4, 5, Facing.NORTH), in_view=[(4, 5)], step=1))
    assert planner.subgoal == MoveTo((7, 7))
    planner.next_move(Situations().at(far, pose=Pose(7, 5, Facing.NORTH), step=2))
    assert planner.subgoal == MoveTo((7, 7))
    for unfit in (Situations().at(opponent((4, 4), mark=None), step=3), Situations().at(near, armed=False, step=3)):
        planner.next_move(unfit)
        assert planner.subgoal == MoveTo((7, 7))
    assert planner.next_move(Situations().at(near, step=4)) is Move.INTERACT
    shot = FireAt((4, 4), ("opponent",))
    assert list(planner.rest) == [shot]
    plan = (MoveTo((4, 5)), FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    assert planner.previous == PreviousPlan(plan, 2, shot=shot)


def test_plan_is_over_with_a_shot_on_sight_that_hits_nobody() -> None:
    planner = planner_of(FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    planner.next_move(Situations().at())
    assert planner.next_move(Situations().at(opponent((4, 4)), step=1)) is Move.INTERACT
    assert planner.next_move(Situations().at(step=FIRE_AT_STEPS + 1)) is not None
    assert planner.next_move(Situations().at(step=FIRE_AT_STEPS + 2)) is None
    assert planner.subgoal is None
    assert "has hit nobody" in planner.why_over
    assert (planner.previous and planner.previous.done) == 1
    planner.follow((MoveTo((4, 3)),))
    assert planner.subgoal == MoveTo((4, 3))


def test_fire_on_sight_ends_a_wait() -> None:
    planner = planner_of(FireOnSight(), Pause(10))
    assert planner.next_move(Situations().at()) is Move.NOOP
    assert planner.next_move(Situations().at(opponent((4, 4)), step=1)) is Move.INTERACT


def test_shadow_keeps_a_player_in_view_without_firing() -> None:
    planner = planner_of(Shadow("opponent"))
    assert planner.next_move(Situations().at(opponent((4, 4)))) is Move.NOOP
    assert planner.next_move(Situations().at(opponent((6, 6)))) is Move.TURN_RIGHT
    assert planner.next_move(Situations().at(opponent((4, 1)))) is Move.FORWARD
    assert planner.next_move(Situations().at(opponent((4, 4)), step=SHADOW_STEPS)) is None


def test_wait_in_place_looks_around_and_ends_when_a_player_comes() -> None:
    planner = planner_of(Pause(10))
    moves = [planner.next_move(Situations().at(step=step)) for step in range(4)]
    assert moves == [Move.NOOP] * 3 + [Move.TURN_RIGHT]
    assert planner.next_move(Situations().at(opponent((4, 4)), step=4)) is None


def test_wait_in_place_ends_after_its_steps() -> None:
    planner = planner_of(Pause(2))
    assert [planner.next_move(Situations().at(step=step)) for step in range(3)] == [Move.NOOP, Move.NOOP, None]


def test_fire_at_zaps_a_ready_opponent_within_reach() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Situations().at(opponent((4, 4)))) is Move.INTERACT


@pytest.mark.parametrize(
    ("bystander", "move"),
    [
        (opponent((5, 5)), Move.NOOP),
        (opponent((5, 5), mark=None), Move.INTERACT),
        (opponent((7, 5)), Move.INTERACT),
        (opponent((4, 7)), Move.INTERACT),
    ],
    ids=["in the beam", "not ready", "beside the beam", "behind"],
)
def test_fire_is_held_while_an_unsought_player_that_is_ready_stands_in_the_beam(
    bystander: Detection, move: Move
) -> None:
    others = opponent((4, 4)), replace(bystander, kind="bystander")
    assert planner_of(FireAt((4, 4), ("opponent",))).next_move(Situations().at(*others)) is move
    assert planner_of(FireAt((4, 4))).next_move(Situations().at(*others)) is Move.INTERACT


def test_fire_at_waits_while_the_beam_cools() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Situations().at(opponent((4, 4)), loaded=False)) is Move.NOOP


def test_fire_at_waits_for_an_opponent_without_the_ready_mark() -> None:
    assert planner_of(FireAt((4, 4))).next_move(Situations().at(opponent((4, 4), mark=None))) is Move.NOOP


def test_fire_at_zaps_any_player_where_the_game_has_no_ready_mark() -> None:
    planner = planner_of(FireAt((4, 4)), ready_mark=None)
    assert planner.next_move(Situations().at(opponent((4, 4), mark=None))) is Move.INTERACT


def test_fire_at_moves_on_where_a_thing_blocks_the_beam() -> None:
    move = planner_of(FireAt((4, 4))).next_move(Situations().at(opponent((4, 4)), box((4, 5))))
    assert move not in (Move.INTERACT, Move.NOOP, None)


@given(
    data=st.data(),
    facing=st.sampled_from(Facing),
    loaded=st.booleans(),
    mark=st.sampled_from([READY, "interacting", None]),
)
def test_fire_at_zaps_exactly_when_the_beam_can_hit_a_ready_opponent(
    data: st.DataObject, facing: Facing, loaded: bool, mark: str | None
) -> None:
    *things, target, own = data.draw(st.lists(st.sampled_from(ROOM.open_cells), min_size=2, max_size=15, unique=True))
    pose = Pose(*own, facing)
    situation = Situations().at(opponent(target, mark), *map(box, things), pose=pose, loaded=loaded)
    move = planner_of(FireAt(target)).next_move(situation)
    in_reach = reaches(pose, target, BEAM, ROOM.walls.union(things))
    assert (move is Move.INTERACT) == (loaded and mark == READY and in_reach)


def test_fire_at_follows_an_opponent_that_just_went_out_of_view() -> None:
    situations, planner = Situations(), planner_of(FireAt((1, 6)))
    situations.at(opponent((7, 6)), step=0)
    assert planner.next_move(situations.at(step=1)) is Move.STEP_RIGHT


def test_fire_at_steps_towards_an_opponent_and_keeps_it_in_view() -> None:
    assert planner_of(FireAt((6, 6))).next_move(Situations().at(opponent((6, 6)))) is Move.STEP_RIGHT


def test_agent_in_search_of_an_opponent_does_not_walk_backwards() -> None:
    here = Pose(4, 3, Facing.NORTH)
    assert planner_of(FireAt((4, 7))).next_move(Situations().at(pose=here)) is Move.TURN_RIGHT


def test_fire_at_goes_to_the_place_named_where_nobody_was_seen() -> None:
    assert planner_of(FireAt((1, 6))).next_move(Situations().at()) is Move.STEP_LEFT


def test_fire_at_looks_elsewhere_where_the_place_named_is_empty() -> None:
    south = [(x, y) for x, y in ROOM.open_cells if y >= 4]
    assert planner_of(FireAt((1, 6))).next_move(Situations().at(in_view=south)) is not Move.STEP_LEFT


@pytest.mark.parametrize("place", [(0, 0), (8, 3)])
def test_fire_at_a_wall_looks_where_the_opponent_may_be(place: Cell) -> None:
    assert planner_of(FireAt(place)).next_move(Situations().at()) is not None


def test_fire_at_is_given_up_after_its_time_limit() -> None:
    situations, planner = Situations(), planner_of(FireAt((1, 6)))
    assert planner.next_move(situations.at(step=0)) is not None
    assert planner.next_move(situations.at(step=FIRE_AT_STEPS)) is not None
    assert planner.next_move(situations.at(step=FIRE_AT_STEPS + 1)) is None


def test_each_fire_at_has_its_own_time_limit() -> None:
    situations, planner = Situations(), planner_of(FireAt((1, 6)), FireAt((7, 6)))
    planner.next_move(situations.at(step=0))
    planner.next_move(situations.at(step=FIRE_AT_STEPS + 1))
    assert planner.next_move(situations.at(step=2 * FIRE_AT_STEPS)) is not None


def test_new_plan_takes_the_place_of_the_present_one() -> None:
    planner = planner_of(MoveTo((1, 6)))
    planner.next_move(Situations().at())
    planner.follow([MoveTo((7, 6))])
    assert planner.next_move(Situations().at()) is Move.TURN_RIGHT
