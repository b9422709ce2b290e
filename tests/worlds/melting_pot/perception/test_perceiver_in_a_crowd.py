"""Perception among eight players: the agent itself at play, its pose against the engine's own."""

from __future__ import annotations

from collections import Counter

import pytest

from hm_agent.worlds.melting_pot.scenarios import scenario_named
from tests.support.melting_pot.accuracy import check


@pytest.fixture(scope="module")
def checked() -> tuple[Counter[str], int]:
    return check(scenario_named("rws_arena_0"), seed=1000, steps=300)


def test_crowd_has_no_unknown_patch(checked: tuple[Counter[str], int]) -> None:
    assert checked[1] == 0


def test_pose_in_a_crowd_is_exact(checked: tuple[Counter[str], int]) -> None:
    verdicts, _ = checked
    assert verdicts.total() > 120
    assert verdicts["wrong"] == 0
    assert verdicts["exact"] >= 0.999 * verdicts.total()
