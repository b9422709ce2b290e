"""What an interaction costs in steps, estimated from the agent's own rounds and pickups."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.facts import Timing
from hm_agent.worlds.melting_pot.games.matrix.pace import Pace

PRIOR = Timing(frozen=17, away=6, per_round=50, per_thing=3)


def played(rounds: int, length: int, things: int, gap: int) -> Pace:
    """The pace after an interaction and some rounds that all last as long, with some things taken at equal gaps."""
    pace, held = Pace(PRIOR), (1, 1, 1)
    pace.end_round(0)
    for number in range(rounds):
        for step in range(length):
            is_taken = 20 <= step < 20 + things * gap and (step - 20) % gap == 0
            held = (held[0] + is_taken, 1, 1)
            pace.read(number * length + step, held)
        held = (1, 1, 1)
        pace.read((number + 1) * length, held)
        pace.end_round((number + 1) * length)
    return pace


def test_without_rounds_the_pace_is_that_of_the_game() -> None:
    pace = Pace(PRIOR)
    assert pace.timing == PRIOR
    pace.end_round(400)  # before the first interaction comes no full round
    assert pace.timing == PRIOR


def test_few_rounds_move_the_estimate_a_little() -> None:
    assert played(1, length=130, things=0, gap=1).timing == replace(PRIOR, per_round=70)


@pytest.mark.parametrize(("length", "things", "gap"), [(90, 6, 2), (70, 1, 4), (120, 8, 5)])
def test_many_rounds_explain_how_long_they_take(length: int, things: int, gap: int) -> None:
    timing = played(200, length, things, gap).timing
    assert timing.steps_with(things) == pytest.approx(length, abs=4)
    if things > 1:
        assert timing.per_thing == pytest.approx(gap, abs=0.25)
