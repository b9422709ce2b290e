from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose
from hm_agent.worlds.melting_pot.planning.beam import find_approach, reaches

BEAM = Beam(length=3, radius=1)
NORTH = Pose(5, 5, Facing.NORTH)
ROOM = Layout.from_ascii("\n".join(["WWWWWWWWW", *["W       W"] * 7, "WWWWWWWWW"]))
ISLANDS = Layout.from_ascii("WWWWWWWWW\nW  WWW  W\nWWWWWWWWW")
HORIZON = 6


def first_move(layout: Layout, start: Pose, target: Cell, beam: Beam, things: frozenset[Cell]) -> Move | None:
    approach = find_approach(layout, start, target, beam, things)
    return approach.move if approach else None


def test_beam_covers_three_cells_ahead_and_three_on_either_side() -> None:
    reached = {(x, y) for x in range(9) for y in range(9) if reaches(NORTH, (x, y), BEAM, frozenset())}
    assert reached == {(5, 4), (5, 3), (5, 2), (4, 5), (4, 4), (4, 3), (6, 5), (6, 4), (6, 3)}


@pytest.mark.parametrize(
    ("target", "blocker"), [((5, 2), (5, 4)), ((4, 3), (4, 5)), ((6, 4), (6, 5))], ids=["ahead", "left", "right"]
)
def test_ray_ends_at_what_blocks_it(target: Cell, blocker: Cell) -> None:
    assert reaches(NORTH, target, BEAM, frozenset())
    assert not reaches(NORTH, target, BEAM, {blocker})


def test_side_ray_passes_what_stands_ahead_and_a_target_is_hit_although_it_blocks() -> None:
    assert reaches(NORTH, (4, 3), BEAM, {(5, 4)})
    assert reaches(NORTH, (5, 3), BEAM, {(5, 3)})


def test_agent_turns_to_an_opponent_behind() -> None:
    assert first_move(ROOM, Pose(4, 2, Facing.NORTH), (4, 5), BEAM, frozenset()) in (Move.TURN_LEFT, Move.TURN_RIGHT)


def test_approach_lists_the_cells_entered_and_none_for_a_turn() -> None:
    approach = find_approach(ROOM, Pose(4, 6, Facing.NORTH), (4, 1), BEAM, frozenset())
    assert approach is not None
    assert (approach.move, approach.cells) == (Move.FORWARD, ((4, 5), (4, 4)))
    turned = find_approach(ROOM, Pose(4, 2, Facing.NORTH), (4, 5), BEAM, frozenset())
    assert turned is not None
    assert turned.cells == ()


def test_unreachable_opponent_has_no_approach() -> None:
    assert first_move(ISLANDS, Pose(1, 1, Facing.WEST), (7, 1), BEAM, frozenset()) is None


@given(st.data())
def test_interact_comes_exactly_where_the_beam_reaches(data: st.DataObject) -> None:
    cells = st.sampled_from(ROOM.open_cells)
    pose = Pose(*data.draw(cells), data.draw(st.sampled_from(Facing)))
    target = data.draw(cells.filter(lambda cell: cell != pose.cell))
    things = data.draw(st.frozensets(cells.filter(lambda cell: cell not in (target, pose.cell)), max_size=15))
    move = first_move(ROOM, pose, target, BEAM, things)
    assert (move is Move.INTERACT) == reaches(pose, target, BEAM, ROOM.walls | things)


@given(st.data())
def test_lining_up_leads_past_things_to_where_the_beam_reaches(data: st.DataObject) -> None:
    cells = st.sampled_from(ROOM.open_cells)
    pose = Pose(*data.draw(cells), data.draw(st.sampled_from(Facing)))
    target = data.draw(cells.filter(lambda cell: cell != pose.cell))
    things = data.draw(st.frozensets(cells.filter(lambda cell: cell not in (target, pose.cell)), max_size=15))
    taken = 0
    while (move := first_move(ROOM, pose, target, BEAM, things)) not in (Move.INTERACT, None):
        assert move is not None
        pose, taken = pose.after(move), taken + 1
        assert pose.cell not in ROOM.walls | things | {target}
        assert taken <= HORIZON
    assert move is Move.INTERACT or taken == 0


def test_a_target_beyond_the_edge_of_a_torus_is_approached_that_way() -> None:
    torus = Layout(9, 9, frozenset({(7, 1)}), is_torus=True)
    approach = find_approach(torus, Pose(0, 4, Facing.WEST), (6, 4), Beam(1, 0), frozenset())
    assert approach is not None
    assert (approach.move, approach.moves) == (Move.FORWARD, 2)
    assert find_approach(torus, Pose(8, 1, Facing.WEST), (6, 1), Beam(2, 0), frozenset(), horizon=0) is None
