"""Whether players keep to their kinds, learnt from those that were seen in several lives."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.matrix.pickups import LULL
from hm_agent.worlds.melting_pot.games.matrix.reasoner.steadiness import LIFE, Steadiness, lives_between, lives_since

UNKNOWN = Steadiness(3, ())
STEADY = Steadiness(3, ((True, 1.0),) * 8)
FICKLE = Steadiness(3, ((False, 1.0),) * 6 + ((True, 1.0),) * 3)


def test_before_any_evidence_players_are_thought_to_keep_to_their_kinds_rather() -> None:
    assert 0.7 < UNKNOWN.stays(1.0) < 0.9


def test_evidence_tells_how_steady_players_are() -> None:
    assert FICKLE.stays(1.0) < 0.5 < UNKNOWN.stays(1.0) < 0.9 < STEADY.stays(1.0)


def test_in_the_same_life_nobody_changes() -> None:
    assert FICKLE.odds(1, 0.0) == pytest.approx((0.0, 1.0, 0.0))


def test_the_more_lives_ago_the_less_is_known() -> None:
    assert STEADY.stays(1.0) > STEADY.stays(5.0)
    assert FICKLE.stays(20.0) < UNKNOWN.stays(20.0)


def test_a_change_over_many_lives_speaks_less_against_steadiness() -> None:
    assert Steadiness(3, ((False, 1.0),)).stays(1.0) < Steadiness(3, ((False, 8.0),)).stays(1.0)


def test_odds_of_long_ago_draw_level() -> None:
    then = (0.8, 0.2, 0.0)
    assert FICKLE.later(then, 0.0) == pytest.approx(then)
    later = FICKLE.later(then, 3.0)
    assert sum(later) == pytest.approx(1.0)
    assert 1 / 3 < later[0] < 0.8


def test_lives_go_by_with_time() -> None:
    assert lives_since(100, 100 + LULL) == 0.0
    assert lives_between(100, 110) == 1.0
    assert lives_between(0, int(3 * LIFE)) == 3.0
