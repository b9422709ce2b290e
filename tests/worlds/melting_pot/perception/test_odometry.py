from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.localizer import (
    LIKELY,
    UNDECIDED,
    UNLIKELY,
    Offset,
    RelativeScene,
    odds_of_staying,
)

NEAR = frozenset({(1, 0)})
FAR = frozenset({(2, 2)})
WINDOW = frozenset((ahead, right) for ahead in range(-1, 4) for right in range(-2, 3)) - {(0, 0)}


def scene(
    *boxes: Offset, players: frozenset[Offset] = FAR, seen: frozenset[Offset] = WINDOW, has_beam: bool = False
) -> RelativeScene:
    return RelativeScene(dict.fromkeys(boxes, "yellow_box"), players, seen, has_beam)


@pytest.mark.parametrize("move", Move)
def test_nothing_can_fail_a_move_where_nobody_is_near(move: Move) -> None:
    alone: frozenset[Offset] = frozenset()
    assert odds_of_staying(scene((2, 0), players=alone), scene((2, 0), players=alone), move) == 0.0


def test_thing_that_came_nearer_shows_that_the_move_happened() -> None:
    assert odds_of_staying(scene((3, 1)), scene((2, 1)), Move.FORWARD) == UNLIKELY


def test_thing_that_kept_its_place_in_view_shows_that_the_move_failed() -> None:
    assert odds_of_staying(scene((3, 1)), scene((3, 1)), Move.FORWARD) == LIKELY


def test_thing_that_moved_sideways_shows_that_the_turn_happened() -> None:
    assert odds_of_staying(scene((2, 0)), scene((0, -2)), Move.TURN_RIGHT) == UNLIKELY


def test_thing_that_left_the_view_shows_that_the_move_happened() -> None:
    assert odds_of_staying(scene((-1, 1), players=NEAR), scene(players=NEAR), Move.FORWARD) == UNLIKELY


def test_thing_that_should_have_been_in_view_before_shows_that_the_move_failed() -> None:
    assert odds_of_staying(scene((3, 1)), scene((3, 1), (2, 2)), Move.FORWARD) == LIKELY


def test_new_end_of_a_row_of_like_things_shows_that_the_move_happened() -> None:
    before, now = scene((1, 1), (2, 1)), scene((0, 1), (1, 1))
    assert odds_of_staying(before, now, Move.FORWARD) == UNLIKELY


def test_thing_behind_a_beam_shows_nothing() -> None:
    without = WINDOW - {(3, 1), (2, 1)}
    before, now = scene((3, 1), players=NEAR), scene(players=NEAR, seen=without, has_beam=True)
    assert odds_of_staying(before, now, Move.FORWARD) == LIKELY  # by the player in the way


def test_player_that_blocks_the_way_in_both_frames_shows_that_the_move_failed() -> None:
    assert odds_of_staying(scene(players=NEAR), scene(players=NEAR), Move.FORWARD) == LIKELY


def test_player_that_came_into_the_way_makes_failure_possible() -> None:
    assert odds_of_staying(scene(players=FAR), scene(players=NEAR), Move.FORWARD) == UNDECIDED


def test_player_beside_the_way_does_not_fail_a_move() -> None:
    assert odds_of_staying(scene(players=FAR), scene(players=FAR), Move.FORWARD) == UNLIKELY


def test_player_ahead_does_not_fail_a_turn() -> None:
    assert odds_of_staying(scene(players=NEAR), scene(players=NEAR), Move.TURN_LEFT) == UNLIKELY


def test_beam_may_hide_the_player_that_blocked_a_move() -> None:
    nobody: frozenset[Offset] = frozenset()
    before, now = scene(players=nobody), scene(players=nobody, has_beam=True)
    assert odds_of_staying(before, now, Move.FORWARD) == UNLIKELY
