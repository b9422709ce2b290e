"""The regression finds out from a few tables which payoffs foretell another's actions, where they do so directly."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from hm_agent.repeated_games.choice_regression import ChoiceRegression
from hm_agent.repeated_games.levels import NAIVE, drawn_side, level_action
from hm_agent.repeated_games.payoffs import Side

ACTIONS = ("red", "blue", "green", "gold", "white")


def foretold(level: int, naive: str) -> float:
    """The mean probability that it gives to the other's action in new tables, after twelve others."""
    sides, regression = [drawn_side(Random(seed), ACTIONS, 99) for seed in range(52)], ChoiceRegression()
    played = [level_action(side.opposite, level, naive) for side in sides]
    for side, other in zip(sides[:12], played, strict=False):
        regression.learn(side, other)
    return mean(regression.chances(side)[other] for side, other in zip(sides[12:], played[12:], strict=True))


def test_before_anything_is_seen_all_actions_are_alike() -> None:
    assert ChoiceRegression().chances(drawn_side(Random(0), ACTIONS, 99)) == pytest.approx([0.2] * 5)


def test_twelve_tables_tell_how_level_1_plays_in_others_and_not_how_level_3_does() -> None:
    for naive in NAIVE:
        assert foretold(1, naive) > 0.7, naive
        assert foretold(3, naive) < 0.4, naive


def test_an_action_that_was_played_often_in_one_table_is_likely() -> None:
    side, regression = (
        Side(("a", "b"), ("x", "y", "z"), ((1, 2, 0), (0, 1, 4)), ((3, 0, 1), (0, 2, 1))),
        ChoiceRegression(),
    )
    for other in (2, 2, 1, 2, 2):
        regression.learn(side, other)
    assert regression.chances(side) == pytest.approx([0.0, 0.2, 0.8], abs=0.1)
