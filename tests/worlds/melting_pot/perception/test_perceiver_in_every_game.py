"""Perception is exact in every matrix game that ships, from each side of the asymmetric ones."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.scenarios import load_games, scenario_named
from tests.support.melting_pot.accuracy import SETTLING_STEPS, check

STEPS = 100
IN_A_CROWD = {"rws_arena_0": 200}
"""More steps among eight players, who are removed and come back."""
OTHER_CASTS = ("bach_or_stravinsky_repeated_1", "bach_or_stravinsky_arena_2", "pd_arena_7", "pd_arena_8")
"""The other side of an asymmetric game, agents on both, two players only, and a bot in Melting Pot's first slot."""
NO_INNER_WALLS = {"rws_one_shot_0": 40}
"""Games on whose map it takes longer until the walls in view tell a pose, with the steps that are given for it.

There, too, a step that another player may have blocked can leave two poses possible for a while.
"""
NAMES = [*(f"{game.short_name}_0" for game in load_games() if isinstance(game, MatrixFacts)), *OTHER_CASTS]


@pytest.mark.parametrize("name", NAMES)
def test_every_pose_is_exact_and_every_patch_known(name: str) -> None:
    settling = NO_INNER_WALLS.get(name, SETTLING_STEPS)
    steps = IN_A_CROWD.get(name, STEPS)
    verdicts, unknown = check(scenario_named(name), steps=steps, settling=settling)
    assert unknown == 0
    assert set(verdicts) - ({"lost"} if name in NO_INNER_WALLS else set()) == {"exact"}
    assert SETTLING_STEPS // 2 <= verdicts["exact"] <= steps
