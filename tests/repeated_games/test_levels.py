"""Levels of thought against their definition, and the tables that are drawn for them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from hm_agent.repeated_games.automata import Automata
from hm_agent.repeated_games.choice_regression import ChoiceRegression
from hm_agent.repeated_games.levels import NAIVE, drawn_side, level_action, naive_action
from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.written_rules import rule_from
from tests.repeated_games.brute_force import RPS

ACTIONS = ("a", "b", "c", "d")
SIDES = [drawn_side(Random(seed), ACTIONS, 99) for seed in range(40)]


def thought(side: Side, level: int, naive: str) -> int:
    """What a player of a level does, by comparing all that it might do instead."""
    if level == 1:
        return max(range(len(side.actions)), key=lambda own: NAIVE[naive](side.payoff[own]))
    other = thought(side.opposite, level - 1, naive)
    return max(range(len(side.actions)), key=lambda own: side.payoff[own][other])


def test_each_level_answers_the_one_below_it() -> None:
    for side, level, naive in product(SIDES, range(1, 5), NAIVE):
        assert level_action(side, level, naive) == thought(side, level, naive)


def test_naive_players_want_the_mean_the_largest_or_the_least_payoff_to_be_large() -> None:
    table = ((9.0, 0.0, 0.0), (4.0, 5.0, 1.0), (3.0, 2.0, 3.0))
    side = Side(ACTIONS[:3], ACTIONS[:3], table, transposed(table))
    assert {naive: naive_action(side, naive) for naive in NAIVE} == {"average": 1, "boldest": 0, "safest": 2}


def test_drawn_tables_have_no_pure_equilibrium_and_no_two_payoffs_alike() -> None:
    for side in SIDES:
        for table in (side.payoff, side.others_payoff):
            numbers = [number for row in table for number in row]
            assert len(set(numbers)) == len(numbers) == 16
            assert set(numbers) <= {*range(100)}
        answers = [(side.best_response(other), other) for other in range(4)]
        assert all(side.opposite.best_response(own) != other for own, other in answers)


def test_all_drawn_tables_are_equally_likely() -> None:
    """Where a player's largest payoff lies says nothing of where the other's lies, nor which action is which."""
    places = [0] * 4
    for seed in range(2000):
        side = drawn_side(Random(seed), ACTIONS[:2], 9)
        places[naive_action(side, "boldest") * 2 + naive_action(side.opposite, "boldest")] += 1
    assert all(count == pytest.approx(500, abs=90) for count in places)


def test_a_regression_that_learnt_in_other_tables_foretells_naive_players_alone() -> None:
    sides = [drawn_side(Random(seed), ACTIONS, 99) for seed in range(300)]
    foretold = {}
    for level in (1, 2, 3):
        played, regression = [level_action(side.opposite, level, "average") for side in sides], ChoiceRegression()
        for side, action in zip(sides[:100], played, strict=False):
            regression.learn(side, action)
        guesses = [max(range(4), key=regression.chances(side).__getitem__) for side in sides[100:]]
        foretold[level] = sum(guess == action for guess, action in zip(guesses, played[100:], strict=True)) / 200
    assert foretold[1] > 0.9
    assert max(foretold[2], foretold[3]) < 0.65


@pytest.mark.parametrize("name", ["step", "counter_earlier", "deeper_when_beaten"])
def test_automata_foretell_habits_and_who_changes_them_when_it_is_beaten(name: str) -> None:
    """After some rounds of play at random, each time the most of their weight foretells what the rule plays."""
    rule, rng, automata = rule_from(name, {}, RPS), Random(0), Automata(3)
    state, hits = rule.start, 0
    for number in range(40):
        chances = rule.chances(state)
        played, own = chances.index(max(chances)), rng.randrange(3)
        hits += number >= 20 and automata.chances[played] > 0.5
        automata.learn(RPS, own, played)
        state = rule.after(state, played, own)
    assert hits == 20
