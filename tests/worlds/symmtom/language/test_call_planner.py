"""Plans, move by move, in real games in which the others stand still."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hm_agent.worlds.symmtom.language.board import HasRecharged
from hm_agent.worlds.symmtom.language.call_planner import BLOCKED_STEPS, UNHEARD_STEPS, CallPlanner
from hm_agent.worlds.symmtom.language.calls import Call, CallContext, GoTo, Meet, Recharge, Say, parse_call
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.views import Cell, SpokenMove
from tests.worlds.symmtom.language.test_notebook import FAR, SETTINGS, Game

CONTEXT = CallContext(6, ("player_1", "player_2"), (0, 1))


def carry_out(game: Game, plan: Sequence[Call], most: int = 40) -> tuple[CallPlanner, list[SpokenMove]]:
    """Follows a plan to its end; the planner and the moves made."""
    planner = CallPlanner(SETTINGS, game.notebook)
    moves: list[SpokenMove] = []
    planner.follow(plan)
    while len(moves) < most and planner.why_over is None:
        moves.append(move := planner.next_action(game.board))
        events = game.step({0: move})
        planner.note_move(game.board, recharged=any(isinstance(event, HasRecharged) for event in events))
    return planner, moves


def where(game: Game) -> Cell:
    return game.board.cell


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("go_to((3, 4))", GoTo((3, 4))),
        (" go_to( 3,4 )", GoTo((3, 4))),
        ("go_to([3, 4])  # the centre", GoTo((3, 4))),
        ("meet('player_2')", Meet("player_2")),
        ("recharge( )", Recharge()),
        ('say("1")', Say(1)),
    ],
)
def test_calls_are_read_in_any_spacing_and_brackets(text: str, call: Call) -> None:
    assert parse_call(text, CONTEXT) == call
    assert parse_call(str(call), CONTEXT) == call


def test_a_walk_ends_at_its_cell_and_the_next_one_follows() -> None:
    game = Game([(0, 0), (5, 5), (5, 0)], FAR)
    planner, moves = carry_out(game, [GoTo((2, 1)), GoTo((2, 3))])
    assert (where(game), len(moves)) == ((2, 3), 5)
    assert (planner.why_over, planner.failed) == ("the plan is used up", None)
    assert (planner.record.done, planner.record.of) == (2, 2)


def test_a_meeting_ends_once_every_piece_was_said_to_the_player() -> None:
    game = Game([(0, 0), (3, 0), (0, 5)], FAR)
    game.step({0: SpokenMove(Direction.RIGHT, 0), 1: SpokenMove(Direction.LEFT, 1)})  # learns piece 1
    game.step({0: SpokenMove(Direction.LEFT, 0), 1: SpokenMove(Direction.RIGHT, 1)})
    game.step({1: SpokenMove(Direction.RIGHT, 1)})
    planner, moves = carry_out(game, [Meet("player_1"), Say(1), Say(0)])
    assert [move.piece for move in moves][-2:] == [1, 0]
    assert moves[-1].direction == Direction.STAY
    assert (planner.why_over, where(game)) == ("the plan is used up", (3, 0))


def test_a_walk_to_a_player_ends_as_soon_as_it_hears() -> None:
    game = Game([(0, 0), (4, 3), (0, 5)], FAR)
    _, moves = carry_out(game, [Meet("player_1"), Say(0)])
    assert where(game) == (3, 2)
    assert len([move for move in moves if move.direction != Direction.STAY]) == 5


def test_the_next_piece_waits_until_somebody_has_heard_the_one_before() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    game.step({})
    game.step({1: SpokenMove(Direction.RIGHT, 1)})
    _, moves = carry_out(game, [GoTo((0, 1)), GoTo((2, 2)), GoTo((2, 1)), Say(1), Say(0)])
    assert [move.piece for move in moves] == [1, 1, 1, 1, 0]  # player_1 hears it from (2, 2) on


def test_a_recharge_begins_as_soon_as_all_is_known() -> None:
    game = Game([(1, 1), (2, 1), (1, 2)], [(0, 1), (5, 5), (5, 4)])
    planner, moves = carry_out(game, [Meet("player_1"), Say(0), Say(0), Say(0), Recharge()])
    assert (where(game), game.board.knows) == ((0, 1), (0,))
    assert planner.why_over == "the plan is used up"
    assert [move.direction for move in moves] == [Direction.STAY, Direction.LEFT]


def test_a_recharge_without_all_pieces_ends_the_plan_and_says_what_is_lacking() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    planner, _ = carry_out(game, [Meet("player_1"), Say(0), Recharge()])
    assert planner.why_over == "recharge() waits until you know all pieces, and you lack 2"
    assert planner.failed is None


def test_a_blocked_walk_fails_and_names_who_stands_there() -> None:
    game = Game([(0, 0), (3, 0), (5, 5)], FAR)
    planner, _ = carry_out(game, [GoTo((3, 0)), Say(0)])
    assert planner.failed == GoTo((3, 0))
    assert planner.why_over == f"go_to((3, 0)) came no nearer in {BLOCKED_STEPS} steps: player_1 stands there"


def test_a_player_that_can_not_be_reached_is_given_up() -> None:
    game, planner = Game([(0, 0), (5, 5), (5, 0)], FAR), CallPlanner(SETTINGS, Game(FAR, FAR).notebook)
    planner.follow([Meet("player_1")])
    for _ in range(12):
        game.step({})  # the agent is kept from walking
        planner.note_move(game.board, recharged=False)
    assert planner.failed == Meet("player_1")
    assert planner.why_over == "player_1 was not reached in 12 steps"


def test_a_plan_of_pieces_alone_stays_until_they_are_said_or_nobody_comes() -> None:
    heard, unheard = Game([(1, 1), (2, 1), (5, 5)], FAR), Game(FAR, FAR)
    assert [move.direction for move in carry_out(heard, [Say(0)])[1]] == [Direction.STAY]
    assert len(carry_out(unheard, [Say(0)])[1]) == 1 + UNHEARD_STEPS


def test_without_pieces_all_that_is_known_is_said_in_turn() -> None:
    game = Game([(1, 1), (2, 1), (1, 2)], FAR)
    game.step({})
    _, moves = carry_out(game, [GoTo((5, 1))], most=4)
    assert [move.piece for move in moves] == [1, 2, 0, 1]
