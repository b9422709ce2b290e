"""How plans are followed, and how cells and things are walked to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Move, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection
from hm_agent.worlds.melting_pot.planning.action_planner import SHOW_STEPS
from hm_agent.worlds.melting_pot.planning.calls import (
    USED_UP,
    Aim,
    Call,
    FireAt,
    FireOnSight,
    MoveTo,
    Pause,
    Show,
    plan_record,
)
from hm_agent.worlds.melting_pot.planning.concealment import MAX_WAIT
from hm_agent.worlds.melting_pot.planning.pursuit import FIRE_AT_STEPS
from tests.worlds.melting_pot.planning.planner_examples import Situations, box, opponent, planner_of


def test_a_walk_to_a_thing_steps_sideways_and_one_to_a_bare_cell_faces_the_way() -> None:
    assert planner_of().next_move(Situations().at()) is None
    assert planner_of(MoveTo((4, 3))).next_move(Situations().at()) is Move.FORWARD
    assert planner_of(MoveTo((5, 6))).next_move(Situations().at()) is Move.TURN_RIGHT
    assert planner_of(MoveTo((5, 6))).next_move(Situations().at(box((5, 6)))) is Move.STEP_RIGHT


def test_arrival_goes_on_with_the_next_call_at_once() -> None:
    planner = planner_of(MoveTo((4, 6)), MoveTo((3, 6)))
    assert planner.next_move(Situations().at()) is Move.TURN_LEFT
    assert planner.call == MoveTo((3, 6))
    assert (len(planner.plan), planner.current, planner.route) == (2, 1, ((3, 6),))


def test_arrival_at_the_last_target_uses_the_plan_up() -> None:
    planner = planner_of(MoveTo((4, 6)))
    assert planner.next_move(Situations().at()) is None
    assert planner.call is None


def test_covert_agent_takes_no_thing_in_view_of_others_but_walks_up_to_one() -> None:
    watching, away = opponent((4, 7)), opponent((4, 7), facing=Facing.SOUTH)
    for cell, other, covert, move in (
        ((4, 5), watching, True, Move.NOOP),
        ((4, 5), away, True, Move.FORWARD),
        ((4, 5), watching, False, Move.FORWARD),
        ((4, 4), watching, True, Move.FORWARD),
    ):
        assert planner_of(MoveTo(cell)).next_move(Situations().at(box(cell), other, covert=covert)) is move


@pytest.mark.parametrize(("cell", "move"), [((4, 7), Move.NOOP), ((1, 1), Move.FORWARD)])
def test_covert_agent_also_waits_for_a_near_player_that_went_out_of_view(cell: Cell, move: Move) -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)))
    situations.at(box((4, 5)), opponent(cell))
    assert planner.next_move(situations.at(box((4, 5)), step=1, covert=True)) is move


def test_covert_agent_waits_no_longer_than_the_limit() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)))
    watched = [situations.at(box((4, 5)), opponent((4, 7)), step=step, covert=True) for step in range(MAX_WAIT + 1)]
    moves = [planner.next_move(inputs) for inputs in watched]
    assert moves == [Move.NOOP] * MAX_WAIT + [Move.FORWARD]


def test_a_thing_is_shown_only_to_who_has_it_in_view() -> None:
    situations, planner = Situations(), planner_of(Show((4, 5)))
    unseeing = opponent((4, 7), facing=Facing.SOUTH)
    assert planner.next_move(situations.at(box((4, 5)), unseeing)) is Move.NOOP
    assert planner.next_move(situations.at(box((4, 5)), opponent((4, 7)), step=1)) is Move.FORWARD


def test_a_thing_that_is_to_be_shown_is_walked_up_to_seen_or_not_and_given_up_once_it_is_gone() -> None:
    assert planner_of(Show((4, 4))).next_move(Situations().at(box((4, 4)))) is Move.FORWARD
    assert planner_of(Show((4, 5))).next_move(Situations().at(in_view=[(4, 5)])) is None


def test_a_thing_that_nobody_sees_is_left_after_some_steps_of_looking_round() -> None:
    situations, planner = Situations(), planner_of(Show((4, 5)), Pause(5))
    moves = [planner.next_move(situations.at(box((4, 5)), step=step)) for step in range(SHOW_STEPS)]
    assert set(moves) == {Move.NOOP, Move.TURN_RIGHT}
    assert str(planner.call) == "show((4, 5))"
    planner.next_move(situations.at(box((4, 5)), step=SHOW_STEPS))
    assert str(planner.call) == "wait(5)"


def test_move_to_a_thing_is_given_up_once_that_has_disappeared_and_kept_up_while_it_is_out_of_view() -> None:
    for in_view, move in (([(4, 3)], None), ([], Move.FORWARD)):
        situations, planner = Situations(), planner_of(MoveTo((4, 3)))
        assert planner.next_move(situations.at(box((4, 3)))) is Move.FORWARD
        assert planner.next_move(situations.at(step=1, in_view=in_view)) is move


def test_a_disappeared_thing_costs_its_call_and_not_the_plan() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 3))))
    assert planner.next_move(situations.at(step=1, in_view=[(4, 3)])) is Move.FORWARD
    assert planner.call == FireAt((4, 2))
    assert planner.skipped == (MoveTo((4, 3)),)


def test_a_disappeared_thing_is_replaced_by_the_nearest_of_its_kind_if_nothing_is_collected() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 3)), box((7, 6)), box((2, 6)), armed=False))
    assert planner.next_move(situations.at(step=1, in_view=[(4, 3)], armed=False)) is Move.STEP_LEFT
    assert planner.plan == (MoveTo((4, 3)), MoveTo((2, 6)), FireAt((4, 2)))
    assert (planner.skipped, planner.call) == ((MoveTo((4, 3)),), MoveTo((2, 6)))


@pytest.mark.parametrize(("armed", "rest"), [(True, (FireAt((4, 2)),)), (False, (MoveTo((7, 6)),))])
def test_a_disappeared_thing_is_not_replaced_if_the_plan_works_without(armed: bool, rest: tuple[Call, ...]) -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), *rest)
    planner.next_move(situations.at(box((4, 3)), box((7, 6)), box((2, 6)), armed=armed))
    planner.next_move(situations.at(step=1, in_view=[(4, 3)], armed=armed))
    assert planner.plan == (MoveTo((4, 3)), *rest)


def test_calls_after_a_collected_thing_are_followed() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 5)), FireAt((4, 2)))
    planner.next_move(situations.at(box((4, 5))))
    arrived = Pose(4, 5, Facing.NORTH)
    assert planner.next_move(situations.at(pose=arrived, step=1, in_view=[(4, 5)])) is Move.FORWARD
    assert planner.call == FireAt((4, 2))


def test_walk_to_a_cell_without_a_thing_ends_when_the_cell_is_in_view() -> None:
    planner = planner_of(MoveTo((4, 3)))
    assert planner.next_move(Situations().at()) is Move.FORWARD
    assert planner.next_move(Situations().at(in_view=[(4, 3)])) is None
    assert planner.why_over == USED_UP


@pytest.mark.parametrize(
    ("call", "things", "in_view", "done"),
    [
        (MoveTo((4, 5)), [box((4, 5))], [], 1),  # stood upon
        (MoveTo((4, 3)), [box((4, 3))], [(4, 3)], 0),  # seen, but not fetched yet
        (MoveTo((4, 3)), [], [(4, 3)], 1),  # a look around
        (MoveTo((4, 3)), [], [], 0),
        (FireAt((4, 5)), [], [(4, 5)], 0),
    ],
)
def test_plan_that_is_ended_counts_the_walk_that_has_just_arrived(
    call: Call, things: list[Detection], in_view: list[Cell], done: int
) -> None:
    situations, planner = Situations(), planner_of(call, FireAt((1, 1)))
    planner.next_move(situations.at(*things))
    planner.count_arrival(situations.at(*things, pose=Pose(4, 5, Facing.NORTH), in_view=in_view, step=1))
    assert planner.previous == plan_record((call, FireAt((1, 1))), done)


def test_a_look_around_leaves_what_turns_out_to_lie_there() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), MoveTo((1, 1)))
    assert planner.next_move(situations.at()) is Move.FORWARD
    assert planner.next_move(situations.at(box((4, 3)), pose=Pose(4, 5, Facing.NORTH), step=1)) is not None
    assert planner.call == MoveTo((1, 1))
    assert planner.skipped == ()


def test_plan_that_explores_ends_when_a_wanted_kind_comes_into_view() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), MoveTo((1, 1)))
    planner.next_move(situations.at())
    assert planner.next_move(situations.at(box((5, 6)), step=1, wanted=frozenset({"blue_box"}))) is not None
    assert planner.next_move(situations.at(box((3, 6)), step=2, wanted=frozenset({"yellow_box"}))) is None
    assert planner.why_over == "yellow_box has come into view"
    assert planner.previous == plan_record((MoveTo((4, 3)), MoveTo((1, 1))), 0)


def test_plan_fires_on_sight_once_it_says_so() -> None:
    near, far = opponent((4, 4)), opponent((1, 1))
    planner = planner_of(MoveTo((4, 5)), FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    assert planner.fires_on_sight
    assert planner.next_move(Situations().at(near)) is Move.FORWARD
    planner.next_move(Situations().at(pose=Pose(4, 5, Facing.NORTH), in_view=[(4, 5)], step=1))
    assert planner.call == MoveTo((7, 7))
    planner.next_move(Situations().at(far, pose=Pose(7, 5, Facing.NORTH), step=2))
    assert planner.call == MoveTo((7, 7))
    for unfit in (Situations().at(opponent((4, 4), mark=None), step=3), Situations().at(near, armed=False, step=3)):
        planner.next_move(unfit)
        assert planner.call == MoveTo((7, 7))
    assert planner.next_move(Situations().at(near, step=4)) is Move.INTERACT
    shot = FireAt((4, 4), Aim(("opponent",)))
    assert list(planner.rest) == [shot]
    plan = (MoveTo((4, 5)), FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    assert planner.previous == plan_record(plan, 2, shot=shot)


def test_plan_is_over_with_a_shot_on_sight_that_hits_nobody() -> None:
    planner = planner_of(FireOnSight(), MoveTo((7, 7)), FireAt((1, 1)))
    planner.next_move(Situations().at())
    assert planner.next_move(Situations().at(opponent((4, 4)), step=1)) is Move.INTERACT
    assert planner.next_move(Situations().at(step=FIRE_AT_STEPS + 1)) is not None
    assert planner.next_move(Situations().at(step=FIRE_AT_STEPS + 2)) is None
    assert planner.call is None
    assert "has hit nobody in 60 steps; such a player was in view in 1 of them" in planner.why_over
    assert (planner.previous and planner.previous.done) == 1
    planner.follow((MoveTo((4, 3)),))
    assert planner.call == MoveTo((4, 3))


def test_plan_fires_on_sight_only_at_a_player_that_took_what_it_says() -> None:
    planner = planner_of(FireOnSight(Aim(holding="rock")), MoveTo((7, 7)))
    shots = []
    for step, taken in enumerate((None, "paper", "rock")):
        planner.next_move(Situations().at(opponent((4, 4)), step=step, leading={"opponent": taken}.get))
        shots.append(planner.shot)
    assert shots == [None, None, FireAt((4, 4), Aim(("opponent",), "rock"))]


def test_fire_on_sight_ends_a_wait() -> None:
    planner = planner_of(FireOnSight(), Pause(10))
    assert planner.next_move(Situations().at()) is Move.NOOP
    assert planner.next_move(Situations().at(opponent((4, 4)), step=1)) is Move.INTERACT


def test_wait_in_place_looks_around_and_ends_after_its_steps_or_when_a_player_comes() -> None:
    planner = planner_of(Pause(10))
    moves = [planner.next_move(Situations().at(step=step)) for step in range(4)]
    assert moves == [Move.NOOP] * 3 + [Move.TURN_RIGHT]
    assert planner.next_move(Situations().at(opponent((4, 4)), step=4)) is None
    short = planner_of(Pause(2))
    assert [short.next_move(Situations().at(step=step)) for step in range(3)] == [Move.NOOP, Move.NOOP, None]


def test_new_plan_takes_the_place_of_the_present_one() -> None:
    planner = planner_of(MoveTo((1, 6)))
    planner.next_move(Situations().at())
    planner.follow([MoveTo((7, 6))])
    assert planner.next_move(Situations().at()) is Move.TURN_RIGHT


def test_a_thing_that_the_agent_takes_on_its_way_is_not_skipped_as_gone() -> None:
    situations, planner = Situations(), planner_of(MoveTo((4, 3)), MoveTo((4, 5)), MoveTo((1, 6)))
    planner.next_move(situations.at(box((4, 3)), box((4, 5))))
    planner.next_move(situations.at(box((4, 3)), pose=Pose(4, 5, Facing.NORTH), step=1, in_view=((4, 5),)))
    planner.next_move(situations.at(pose=Pose(4, 3, Facing.NORTH), step=3, in_view=((4, 3), (4, 5))))
    assert planner.call == MoveTo((1, 6))
    assert planner.skipped == ()


def test_a_plan_that_nobody_was_asked_for_is_not_told_as_the_latest() -> None:
    planner, asked = planner_of(FireAt((4, 4))), FireAt((4, 4))
    assert planner.next_move(Situations().at(armed=False)) is None
    planner.replace_plan((MoveTo((4, 6)),))
    planner.replace_plan((MoveTo((4, 5)),))
    assert planner.latest_asked == (
        replace(plan_record((asked,), 0), went_on=True),
        f"{asked} has no effect: nothing is collected yet",
    )
    planner.next_move(Situations().at())
    planner.next_move(Situations().at(box((1, 6)), step=1, wanted=frozenset({"yellow_box"})))
    assert planner.latest_asked[1] == "yellow_box has come into view"
    planner.follow((MoveTo((4, 4)),))
    assert planner.latest_asked[0] == plan_record((MoveTo((4, 4)),), 0)


def test_what_comes_into_view_as_a_plan_is_made_does_not_end_it() -> None:
    situations, planner = Situations(), planner_of(MoveTo((1, 1)))
    yellow = frozenset({"yellow_box"})
    assert planner.next_move(situations.at(box((7, 6)), wanted=yellow)) is not None
    assert planner.next_move(situations.at(box((7, 6)), box((6, 6)), step=1, wanted=yellow)) is None
    assert planner.why_over == "yellow_box has come into view"
