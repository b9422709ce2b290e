"""Equilibria of known games."""

from __future__ import annotations

import random

import pytest

from hm_agent.repeated_games.equilibria import equilibria, equilibrium, maximin
from hm_agent.repeated_games.levels import naive_action
from hm_agent.repeated_games.payoffs import Side, Table, transposed


def game(payoff: Table, others: Table | None = None) -> Side:
    names = tuple("abcdef"[: len(payoff)])
    return Side(names, names, payoff, others or transposed(payoff))


RPS = game(((0, -10, 10), (10, 0, -10), (-10, 10, 0)))
DILEMMA = game(((3, 0), (5, 1)))
STAG_HUNT = game(((4, 0), (2, 2)))
CHICKEN = game(((3, 2), (5, 0)))
BACH = game(((3, 0), (0, 2)), ((2, 0), (0, 3)))
PENNIES = game(((1, -1), (-1, 1)), ((-1, 1), (1, -1)))


def test_equilibria_of_known_games() -> None:
    assert list(equilibria(DILEMMA)) == [((0, 1), (0, 1))]
    assert list(equilibria(STAG_HUNT)) == [((1, 0), (1, 0)), ((0, 1), (0, 1)), ((0.5, 0.5), (0.5, 0.5))]
    assert list(equilibria(CHICKEN)) == [((1, 0), (0, 1)), ((0, 1), (1, 0)), ((0.5, 0.5), (0.5, 0.5))]
    assert list(equilibria(PENNIES)) == [((0.5, 0.5), (0.5, 0.5))]
    *pure, mixed = equilibria(BACH)
    assert pure == [((1, 0), (1, 0)), ((0, 1), (0, 1))]
    assert [*mixed[0], *mixed[1]] == pytest.approx([0.6, 0.4, 0.4, 0.6])
    ((own, other),) = equilibria(RPS)
    assert [*own, *other] == pytest.approx([1 / 3] * 6)


def test_the_chosen_equilibrium_pays_most() -> None:
    assert equilibrium(STAG_HUNT) == (1, 0)
    assert equilibrium(DILEMMA) == (0, 1)
    assert equilibrium(RPS) == pytest.approx([1 / 3] * 3)


def test_maximin_of_a_zero_sum_game_is_its_equilibrium() -> None:
    rng = random.Random(0)
    for _ in range(20):
        payoff = tuple(tuple(float(rng.randrange(-9, 10)) for _ in range(3)) for _ in range(3))
        side = game(payoff, tuple(tuple(-paid for paid in row) for row in payoff))
        mixture, value = maximin(side)
        other, lost = maximin(side.opposite)
        assert value == pytest.approx(-lost)
        assert min(side.opposite.opposite.expected(own, other) for own in range(3)) <= value + 1e-9
        assert sum(mixture) == pytest.approx(1)


def test_safest_action_has_the_largest_least_payoff() -> None:
    assert [naive_action(side, "safest") for side in (DILEMMA, STAG_HUNT, CHICKEN, RPS)] == [1, 1, 0, 0]
