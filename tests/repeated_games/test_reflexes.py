"""The best reflex against brute force over all reflexes, in games small enough for that."""

from __future__ import annotations

from itertools import product

import pytest

from hm_agent.repeated_games.policy_classes import Mixture, myopic_value, open_loop_value
from hm_agent.repeated_games.reflexes import MOST_ACTIONS, reflex_value
from hm_agent.worlds.matrix_games.settings import table_scenarios
from tests.repeated_games.brute_force import PD, Played, earned
from tests.repeated_games.test_policy_classes import MIXTURES, rule

ROUNDS = 4


def best_by_trying(mixture: Mixture) -> float:
    """What the best first action and answers to the four last rounds of a game of two actions earn."""
    found = []
    for first, *rest in product(range(2), repeat=5):
        answers = dict(zip(product(range(2), repeat=2), rest, strict=True))

        def choose(played: Played, first: int = first, answers: dict[tuple[int, ...], int] = answers) -> int:
            return answers[played[-1]] if played else first

        found.append(sum(share * earned(opponent, ROUNDS, choose) for opponent, share in mixture.items()))
    return max(found)


def test_the_best_reflex_is_the_best_of_all() -> None:
    dilemmas: tuple[Mixture, ...] = (
        MIXTURES[3],
        {rule("corrigible", PD, times=2, tremble=0.2): 0.5, rule("copy", PD, tremble=0.1): 0.5},
    )
    for mixture in dilemmas:
        assert reflex_value(mixture, ROUNDS) == pytest.approx(best_by_trying(mixture))


def test_a_reflex_earns_no_more_than_the_best_response_and_sees_what_an_open_loop_does_not() -> None:
    trembling = {rule("deeper_when_beaten", tremble=0.2): 1.0}
    assert open_loop_value(trembling, ROUNDS) < reflex_value(trembling, ROUNDS) < myopic_value(trembling, ROUNDS)


def test_in_large_games_a_reflex_sees_how_far_apart_both_were() -> None:
    side = table_scenarios()["mg_mod_copy"].side
    assert len(side.actions) > MOST_ACTIONS
    assert reflex_value({rule("copy", side.opposite): 1.0}, 30) == pytest.approx(29)
    assert reflex_value({rule("step", side.opposite, step=2): 1.0}, 30) == pytest.approx(29)
