"""When a matrix game's mind takes the latest interactions for a repetition, after which nothing need be asked."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction
from tests.strategists import dyad
from tests.worlds.melting_pot.games.matrix_examples import interaction

ROCK, PAPER = (6, 1, 1), (1, 6, 1)


def met(own: Counts, other: Counts) -> MatrixInteraction:
    return interaction(96, own, other, (0, 0, 0))


ALIKE = met(ROCK, PAPER)


def repeats(*history: MatrixInteraction, validated: bool = True) -> bool:
    return dyad().mind.repeats(history, validated=validated)


def test_the_same_moves_three_times_are_a_repetition_whatever_came_before() -> None:
    assert repeats(ALIKE, ALIKE, ALIKE)
    assert repeats(met(PAPER, ROCK), ALIKE, ALIKE, ALIKE)
    assert repeats(ALIKE, met((5, 1, 2), (1, 7, 2)), ALIKE)


def test_the_same_moves_twice_may_be_part_of_a_longer_pattern() -> None:
    assert not repeats(ALIKE, ALIKE)
    assert not repeats(met(ROCK, ROCK), ALIKE, ALIKE)
    assert not repeats(met(PAPER, PAPER), ALIKE, ALIKE)


def test_every_fourth_equal_interaction_is_thought_over() -> None:
    assert [repeats(*[ALIKE] * times) for times in range(4, 9)] == [False, True, True, True, False]


def test_nothing_repeats_before_a_hypothesis_is_validated() -> None:
    assert not repeats(ALIKE, ALIKE, ALIKE, validated=False)


def test_moves_that_are_not_known_repeat_nothing() -> None:
    assert not repeats(*[replace(ALIKE, behaviour=None)] * 3)
