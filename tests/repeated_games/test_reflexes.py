"""The best reflex against brute force over all reflexes, in games small enough for that."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from hm_agent.repeated_games.policy_classes import Mixture, myopic_value, open_loop_value
from hm_agent.repeated_games.reflexes import MOST_ACTIONS, reflex_value
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.worlds.matrix_games.settings import table_scenarios
from tests.repeated_games.test_policy_classes import MIXTURES, PD, rule

ROUNDS = 4


def earned(opponent: RuleOfPlay, state: Any, own: int, answers: Mapping[tuple[int, int], int], left: int) -> float:
    """The expected sum of payoffs of one that plays `own` now, and then answers each last round."""
    if not left:
        return 0.0
    side, total = opponent.side.opposite, 0.0
    for other, chance in enumerate(opponent.chances(state)):
        if chance:
            after = opponent.after(state, other, own)
            total += chance * (
                side.payoff[own][other] + earned(opponent, after, answers[own, other], answers, left - 1)
            )
    return total


def best_by_trying(mixture: Mixture, rounds: int) -> float:
    """What the best first action and answers to the four last rounds of a game of two actions earn."""
    found = []
    for first, *rest in product(range(2), repeat=5):
        answers = {(own, other): rest[2 * own + other] for own, other in product(range(2), range(2))}
        found.append(
            sum(share * earned(opponent, opponent.start, first, answers, rounds) for opponent, share in mixture.items())
        )
    return max(found)


def test_the_best_reflex_is_the_best_of_all() -> None:
    dilemmas: tuple[Mixture, ...] = (
        MIXTURES[3],
        {rule("corrigible", PD, times=2, tremble=0.2): 0.5, rule("copy", PD, tremble=0.1): 0.5},
    )
    for mixture in dilemmas:
        assert reflex_value(mixture, ROUNDS) == pytest.approx(best_by_trying(mixture, ROUNDS))


def test_a_reflex_earns_no_more_than_the_best_response_and_sees_what_an_open_loop_does_not() -> None:
    trembling = {rule("deeper_when_beaten", tremble=0.2): 1.0}
    assert open_loop_value(trembling, ROUNDS) < reflex_value(trembling, ROUNDS) < myopic_value(trembling, ROUNDS)


def test_in_large_games_a_reflex_sees_how_far_apart_both_were() -> None:
    side = table_scenarios()["mg_mod_copy"].side
    assert len(side.actions) > MOST_ACTIONS
    assert reflex_value({rule("copy", side.opposite): 1.0}, 30) == pytest.approx(29)
    assert reflex_value({rule("step", side.opposite, step=2): 1.0}, 30) == pytest.approx(29)
