from __future__ import annotations

from collections.abc import Mapping

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


NOBODY: frozenset[Offset] = frozenset()
HIDDEN = WINDOW - {(3, 1), (2, 1)}
STEPS: Mapping[str, tuple[RelativeScene, RelativeScene, float]] = {
    "a thing came nearer": (scene((3, 1)), scene((2, 1)), UNLIKELY),
    "a thing kept its place in view": (scene((3, 1)), scene((3, 1)), LIKELY),
    "a thing left the view": (scene((-1, 1), players=NEAR), scene(players=NEAR), UNLIKELY),
    "a thing should have been in view before": (scene((3, 1)), scene((3, 1), (2, 2)), LIKELY),
    "a row of like things has a new end": (scene((1, 1), (2, 1)), scene((0, 1), (1, 1)), UNLIKELY),
    "a beam hides the thing, and a player is in the way": (
        scene((3, 1), players=NEAR),
        scene(players=NEAR, seen=HIDDEN, has_beam=True),
        LIKELY,
    ),
    "a player is in the way in both frames": (scene(players=NEAR), scene(players=NEAR), LIKELY),
    "a player came into the way": (scene(players=FAR), scene(players=NEAR), UNDECIDED),
    "a player is beside the way": (scene(players=FAR), scene(players=FAR), UNLIKELY),
    "a beam may hide who blocked it": (scene(players=NOBODY), scene(players=NOBODY, has_beam=True), UNLIKELY),
}


def test_frames_before_and_after_a_step_tell_whether_it_failed() -> None:
    for what, (before, now, odds) in STEPS.items():
        assert odds_of_staying(before, now, Move.FORWARD) == odds, what


def test_a_turn_is_told_by_things_and_failed_by_no_player() -> None:
    assert odds_of_staying(scene((2, 0)), scene((0, -2)), Move.TURN_RIGHT) == UNLIKELY
    assert odds_of_staying(scene(players=NEAR), scene(players=NEAR), Move.TURN_LEFT) == UNLIKELY
