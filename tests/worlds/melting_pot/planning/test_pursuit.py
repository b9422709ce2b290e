"""How other players are found, followed and fired at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Cell, Facing, Move, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection
from hm_agent.worlds.melting_pot.planning.beam import reaches
from hm_agent.worlds.melting_pot.planning.calls import USED_UP, Aim, FireAt, MoveTo, Shadow
from hm_agent.worlds.melting_pot.planning.pursuit import FIRE_AT_STEPS, GUARDED_STEPS, SHADOW_STEPS
from tests.worlds.melting_pot.planning.planner_examples import (
    BEAM,
    HERE,
    READY,
    ROOM,
    Situations,
    box,
    opponent,
    planner_of,
)

WALL_OF_BOXES = [box((x, 2)) for x in range(1, 8)]


def searched(unwanted: frozenset[str], steps: int = 20) -> set[Cell]:
    """The cells that a search enters whose first goal lies behind things."""
    situations, planner, pose, entered = Situations(), planner_of(FireAt((4, 1))), HERE, set()
    situations.at(*WALL_OF_BOXES)
    for step in range(1, steps):
        ahead = [(x, y) for x in range(1, 8) for y in range(pose.y - 1, pose.y + 1)]
        inputs = replace(situations.at(*WALL_OF_BOXES, pose=pose, step=step, in_view=ahead), unwanted=unwanted)
        move = planner.next_move(inputs)
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


def test_a_search_goes_where_a_player_was_last_seen_unless_it_is_seen_to_have_left() -> None:
    for looked_at, returns in (((), True), ([(4, 2)], False)):
        situations, planner = Situations(), planner_of(FireAt((7, 7)))
        planner.next_move(situations.at(opponent((4, 2))))
        planner.next_move(situations.at(in_view=looked_at, step=1))
        planner.next_move(situations.at(step=2))
        assert (planner.route[-1] == (4, 2)) is returns


def test_fire_at_a_named_player_leaves_the_others_alone() -> None:
    planner = planner_of(FireAt((1, 6), Aim(("somebody_else",))))
    assert planner.next_move(Situations().at(opponent((4, 4)))) is not Move.INTERACT


@pytest.mark.parametrize(
    ("leading", "is_clear", "move"),
    [("rock", False, Move.INTERACT), (None, False, Move.NOOP), ("paper", False, Move.NOOP), ("paper", True, None)],
)
def test_fire_at_looks_at_what_a_player_took_before_it_fires(
    leading: str | None, is_clear: bool, move: Move | None
) -> None:
    planner = planner_of(FireAt((4, 4), Aim(holding="rock")))
    inputs = Situations().at(opponent((4, 4)), leading=lambda player: leading, has_clear_lead=is_clear)
    assert planner.next_move(inputs) is move


def test_fire_at_waits_until_a_player_has_taken_enough() -> None:
    for aim in (Aim(holding="rock", least=3), Aim(least=3)):
        planner, leading = planner_of(FireAt((4, 4), aim)), dict.fromkeys(["opponent"], "rock").get
        for taken, move in ((1, Move.NOOP), (2, Move.NOOP), (3, Move.INTERACT)):
            inputs = Situations().at(opponent((4, 4)), step=taken, leading=leading, count_taken=taken)
            assert planner.next_move(inputs) is move


def test_fire_at_does_not_stand_forever_before_a_player_that_takes_nothing() -> None:
    situations, planner = Situations(), planner_of(FireAt((4, 4), Aim(holding="rock", least=3)))
    seen = [
        planner.next_move(situations.at(opponent((4, 4)), step=n, leading=lambda player: "rock", count_taken=2))
        for n in range(GUARDED_STEPS + 1)
    ]
    assert seen == [*[Move.NOOP] * GUARDED_STEPS, None]
    assert planner.why_over == (
        "fire_at((4, 4), rock, 3) has held fire for 12 steps: opponent, in view, is known to have taken 2 of rock"
    )


def test_fire_at_with_nothing_collected_is_over_at_once() -> None:
    planner = planner_of(FireAt((4, 4)))
    assert planner.next_move(Situations().at(opponent((4, 4)), armed=False)) is None
    assert "nothing is collected" in planner.why_over


def test_shadow_keeps_a_player_in_view_without_firing() -> None:
    planner = planner_of(Shadow("opponent"))
    assert planner.next_move(Situations().at(opponent((4, 4)))) is Move.NOOP
    assert planner.next_move(Situations().at(opponent((6, 6)))) is Move.TURN_RIGHT
    assert planner.next_move(Situations().at(opponent((4, 1)))) is Move.FORWARD
    assert planner.next_move(Situations().at(opponent((4, 4)), step=SHADOW_STEPS)) is None


def test_who_has_collected_nothing_takes_nothing_while_it_shadows() -> None:
    sights = opponent((4, 1)), *(box((x, 5)) for x in range(1, 8))
    for armed, move in ((True, Move.FORWARD), (False, Move.NOOP)):
        assert planner_of(Shadow("opponent")).next_move(Situations().at(*sights, armed=armed)) is move


def test_shadow_in_vain_is_told() -> None:
    for rest, why in (((), "has not made clear what that player takes in"), ((MoveTo((4, 2)),), USED_UP)):
        planner = planner_of(Shadow("opponent"), *rest)
        planner.next_move(Situations().at(opponent((4, 4))))
        planner.next_move(Situations().at(opponent((4, 4)), step=SHADOW_STEPS))
        assert why in planner.why_over


def test_shadow_is_over_once_it_is_clear_what_the_player_takes() -> None:
    planner = planner_of(Shadow("opponent"), MoveTo((4, 2)))
    assert planner.next_move(Situations().at(opponent((4, 4)))) is Move.NOOP
    planner.next_move(Situations().at(opponent((4, 4)), has_clear_lead=True))
    assert planner.call == MoveTo((4, 2))


def test_a_shadow_that_is_interrupted_by_what_it_shows_is_done() -> None:
    for clear, done in ((True, 1), (False, 0)):
        planner = planner_of(Shadow("opponent"), FireAt((4, 2)))
        planner.next_move(Situations().at(opponent((4, 4))))
        planner.count_arrival(Situations().at(opponent((4, 4)), has_clear_lead=clear))
        assert planner.previous
        assert planner.previous.done == done


def test_fire_at_zaps_an_opponent_within_reach_once_beam_and_opponent_are_ready() -> None:
    for mark, loaded, ready_mark, move in (
        (READY, True, READY, Move.INTERACT),
        (READY, False, READY, Move.NOOP),
        (None, True, READY, Move.NOOP),
        (None, True, None, Move.INTERACT),
    ):
        planner = planner_of(FireAt((4, 4)), ready_mark=ready_mark)
        assert planner.next_move(Situations().at(opponent((4, 4), mark), loaded=loaded)) is move
    behind = planner_of(FireAt((4, 4))).next_move(Situations().at(opponent((4, 4)), box((4, 5))))
    assert behind not in (Move.INTERACT, Move.NOOP, None)


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
    others = opponent((4, 4)), bystander._replace(kind="bystander")
    assert planner_of(FireAt((4, 4), Aim(("opponent",)))).next_move(Situations().at(*others)) is move
    assert planner_of(FireAt((4, 4))).next_move(Situations().at(*others)) is Move.INTERACT


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
    inputs = Situations().at(opponent(target, mark), *map(box, things), pose=pose, loaded=loaded)
    move = planner_of(FireAt(target)).next_move(inputs)
    in_reach = reaches(pose, target, BEAM, ROOM.walls.union(things))
    assert (move is Move.INTERACT) == (loaded and mark == READY and in_reach)


def test_fire_at_follows_an_opponent_that_just_went_out_of_view() -> None:
    situations, planner = Situations(), planner_of(FireAt((1, 6)))
    situations.at(opponent((7, 6)), step=0)
    assert planner.next_move(situations.at(step=1)) is Move.STEP_RIGHT


def test_fire_at_steps_towards_an_opponent_in_view_or_to_the_place_named_and_never_backwards() -> None:
    assert planner_of(FireAt((6, 6))).next_move(Situations().at(opponent((6, 6)))) is Move.STEP_RIGHT
    assert planner_of(FireAt((1, 6))).next_move(Situations().at()) is Move.STEP_LEFT
    assert planner_of(FireAt((4, 7))).next_move(Situations().at(pose=Pose(4, 3, Facing.NORTH))) is Move.TURN_RIGHT


def test_fire_at_looks_elsewhere_where_the_place_named_is_empty_or_a_wall() -> None:
    south = [(x, y) for x, y in ROOM.open_cells if y >= 4]
    assert planner_of(FireAt((1, 6))).next_move(Situations().at(in_view=south)) is not Move.STEP_LEFT
    for wall in ((0, 0), (8, 3)):
        assert planner_of(FireAt(wall)).next_move(Situations().at()) is not None


def test_each_fire_at_is_given_up_after_a_time_limit_of_its_own() -> None:
    situations, planner = Situations(), planner_of(FireAt((1, 6)), FireAt((7, 6)))
    steps = (0, FIRE_AT_STEPS, FIRE_AT_STEPS + 1, 2 * FIRE_AT_STEPS + 1, 2 * FIRE_AT_STEPS + 2)
    moves = [(planner.next_move(situations.at(step=step)), planner.current) for step in steps]
    assert [current for _, current in moves] == [0, 0, 1, 1, 2]
    assert [move is None for move, _ in moves] == [False] * 4 + [True]
