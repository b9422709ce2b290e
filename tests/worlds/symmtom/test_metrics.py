"""What is counted of actions, on worked examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hm_agent.worlds.symmtom import metrics, rules
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy
from hm_agent.worlds.symmtom.rules import Direction, GameState
from hm_agent.worlds.symmtom.selfplay import measure
from hm_agent.worlds.symmtom.settings import GameSettings

LEFT, RIGHT, UP, DOWN, STAY = Direction
SETTINGS = GameSettings(6, 3, 3)


def game(positions: Sequence[tuple[int, int]], known: Sequence[set[int]], base: tuple[int, int] = (5, 5)) -> GameState:
    """Agent i knows piece i first-hand; base: of agent 0."""
    second_hand = np.zeros((1, 3, 3), bool)
    for agent, pieces in enumerate(known):
        second_hand[0, agent, list(pieces)] = True
    return GameState(
        seeds=np.zeros(1, np.uint32),
        step=np.zeros(1, np.int32),
        positions=np.array([positions], np.int32),
        bases=np.array([[base, (5, 4), (5, 3)]], np.int32),
        first_hand=np.eye(3, dtype=bool)[None],
        second_hand=second_hand & ~np.eye(3, dtype=bool),
        recharges=np.zeros((1, 3), np.int32),
        changed=np.zeros((1, 3, 3), bool),
    )


def counted(before: GameState, directions: Sequence[Direction], pieces: Sequence[int], name: str) -> list[int]:
    after, effects = rules.step(SETTINGS, before, [directions], [pieces])
    found: list[int] = metrics.count_step(SETTINGS, before, [directions], after, effects)[name][0].tolist()
    return found


def test_stepping_on_the_base_without_all_pieces_is_wrong_and_staying_there_is_not_counted_again() -> None:
    start = game([(4, 5), (0, 0), (2, 2)], [set()] * 3)
    assert counted(start, [RIGHT, STAY, STAY], [0, 1, 2], metrics.WRONG_BASE_USES) == [1, 0, 0]
    there = game([(5, 5), (0, 0), (2, 2)], [set()] * 3)
    assert counted(there, [STAY, STAY, STAY], [0, 1, 2], metrics.WRONG_BASE_USES) == [0, 0, 0]
    complete = game([(4, 5), (0, 0), (2, 2)], [{1, 2}, set(), set()])
    assert counted(complete, [RIGHT, STAY, STAY], [0, 1, 2], metrics.WRONG_BASE_USES) == [0, 0, 0]
    assert counted(complete, [RIGHT, STAY, STAY], [0, 1, 2], metrics.RECHARGES) == [1, 0, 0]


def test_saying_an_unknown_piece_is_counted() -> None:
    start = game([(0, 0), (1, 0), (5, 0)], [set(), {0}, set()])
    assert counted(start, [STAY] * 3, [1, 0, 2], metrics.UNKNOWN_PIECES_SAID) == [1, 0, 0]


def test_what_all_listeners_know_is_useless_only_if_something_else_would_be_news() -> None:
    start = game([(0, 0), (1, 0), (5, 0)], [{2}, {0}, set()])
    assert counted(start, [STAY] * 3, [0, 0, 2], metrics.USELESS_PIECES_SAID) == [1, 1, 0]
    assert counted(start, [STAY] * 3, [2, 1, 2], metrics.USELESS_PIECES_SAID) == [0, 0, 0]
    nothing_new = game([(0, 0), (1, 0), (5, 0)], [{1}, {0}, set()])
    assert counted(nothing_new, [STAY] * 3, [0, 1, 2], metrics.USELESS_PIECES_SAID) == [0, 0, 0]


def test_moving_away_from_all_who_know_something_else_is_useless() -> None:
    start = game([(2, 2), (4, 2), (0, 2)], [set(), set(), set()])
    assert counted(start, [LEFT, STAY, STAY], [0, 1, 2], metrics.USELESS_MOVES) == [0, 0, 0]
    assert counted(start, [UP, RIGHT, STAY], [0, 1, 2], metrics.USELESS_MOVES) == [1, 1, 0]
    complete = game([(2, 2), (4, 2), (0, 2)], [{1, 2}, set(), set()])
    assert counted(complete, [UP, STAY, STAY], [0, 1, 2], metrics.USELESS_MOVES) == [0, 0, 0]


def test_moving_away_from_one_who_knows_the_same_is_not_useless() -> None:
    start = game([(2, 2), (4, 2), (0, 2)], [{1}, {0}, set()])
    assert counted(start, [LEFT, STAY, STAY], [0, 1, 2], metrics.USELESS_MOVES) == [0, 0, 0]
    assert counted(start, [RIGHT, STAY, STAY], [0, 1, 2], metrics.USELESS_MOVES) == [1, 0, 0]


def test_nothing_is_counted_once_a_game_of_a_batch_is_over() -> None:
    settings, seeds = GameSettings(6, 3, 3, is_competitive=True), np.arange(20, dtype=np.uint32)
    found = measure(settings, HeuristicPolicy, seeds)
    assert not found[metrics.UNKNOWN_PIECES_SAID].any()
    alone = [measure(settings, HeuristicPolicy, seeds[[game]]) for game in range(20)]
    for name, counts in found.items():
        assert counts.tolist() == [one[name][0].tolist() for one in alone]
