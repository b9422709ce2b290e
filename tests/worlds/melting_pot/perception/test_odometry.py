from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Facing, Move, Pose
from hm_agent.worlds.melting_pot.perception.odometry import (
    LIKELY,
    UNDECIDED,
    UNLIKELY,
    Offset,
    Scene,
    carry,
    odds_of_staying,
)

NEAR = frozenset({(1, 0)})
FAR = frozenset({(2, 2)})
WINDOW = frozenset((ahead, right) for ahead in range(-1, 4) for right in range(-2, 3)) - {(0, 0)}


def scene(
    *boxes: Offset, players: frozenset[Offset] = FAR, seen: frozenset[Offset] = WINDOW, has_beam: bool = False
) -> Scene:
    return Scene(dict.fromkeys(boxes, "yellow_box"), players, seen, has_beam)


@given(
    st.builds(Pose, st.integers(0, 20), st.integers(0, 20), st.sampled_from(Facing)),
    st.tuples(st.integers(-3, 3), st.integers(-3, 3)),
    st.sampled_from(Move),
)
def test_what_stands_still_is_carried_as_the_new_pose_sees_it(pose: Pose, offset: Offset, move: Move) -> None:
    assert carry(offset, move) == pose.after(move).offset(pose.place(*offset))


@pytest.mark.parametrize("move", Move)
def test_nothing_can_fail_a_move_where_nobody_is_near(move: Move) -> None:
    alone: frozenset[Offset] = frozenset()
    assert odds_of_staying(scene((2, 0), players=alone), scene((2, 0), players=alone), move) == 0.0


def test_thing_that_came_nearer_says_the_move_happened() -> None:
    assert odds_of_staying(scene((3, 1)), scene((2, 1)), Move.FORWARD) == UNLIKELY


def test_thing_that_kept_its_place_in_view_says_the_move_failed() -> None:
    assert odds_of_staying(scene((3, 1)), scene((3, 1)), Move.FORWARD) == LIKELY


def test_thing_that_swept_around_says_the_turn_happened() -> None:
    assert odds_of_staying(scene((2, 0)), scene((0, -2)), Move.TURN_RIGHT) == UNLIKELY


def test_thing_that_left_the_view_says_the_move_happened() -> None:
    assert odds_of_staying(scene((-1, 1), players=NEAR), scene(players=NEAR), Move.FORWARD) == UNLIKELY


def test_thing_that_would_have_come_into_view_before_the_eyes_says_the_move_failed() -> None:
    assert odds_of_staying(scene((3, 1)), scene((3, 1), (2, 2)), Move.FORWARD) == LIKELY


def test_row_of_alike_things_says_the_move_happened_by_its_new_end() -> None:
    before, now = scene((1, 1), (2, 1)), scene((0, 1), (1, 1))
    assert odds_of_staying(before, now, Move.FORWARD) == UNLIKELY


def test_thing_behind_a_beam_says_nothing() -> None:
    without = WINDOW - {(3, 1), (2, 1)}
    before, now = scene((3, 1), players=NEAR), scene(players=NEAR, seen=without, has_beam=True)
    assert odds_of_staying(before, now, Move.FORWARD) == LIKELY  # by who stands in the way


def test_player_that_blocks_the_way_in_both_frames_says_the_move_failed() -> None:
    assert odds_of_staying(scene(players=NEAR), scene(players=NEAR), Move.FORWARD) == LIKELY


def test_player_that_came_into_the_way_leaves_it_open() -> None:
    assert odds_of_staying(scene(players=FAR), scene(players=NEAR), Move.FORWARD) == UNDECIDED


def test_player_beside_the_way_does_not_fail_a_move() -> None:
    assert odds_of_staying(scene(players=FAR), scene(players=FAR), Move.FORWARD) == UNLIKELY


def test_player_ahead_does_not_fail_a_turn() -> None:
    assert odds_of_staying(scene(players=NEAR), scene(players=NEAR), Move.TURN_LEFT) == UNLIKELY


def test_beam_may_hide_who_failed_a_move() -> None:
    nobody: frozenset[Offset] = frozenset()
    before, now = scene(players=nobody), scene(players=nobody, has_beam=True)
    assert odds_of_staying(before, now, Move.FORWARD) == UNLIKELY
