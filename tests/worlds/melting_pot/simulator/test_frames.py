"""The picture of the whole map that viewers show belongs to the state that the action was decided on."""

from __future__ import annotations

import numpy as np

from hm_agent.core import Step
from hm_agent.finding import find_scenarios
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.scene import Scene

AVATAR = (200, 100, 50)
(SCENARIO,) = find_scenarios(["rws_repeated_3"])


class FrameCheck:
    """A recorder that checks that the frame shows an avatar where the agent decided from."""

    def __init__(self) -> None:
        self.verdicts: list[bool] = []

    def record(self, step: Step) -> None:
        state, scene = step.decisions[FOCAL].state, step.scene
        assert isinstance(state, SubstrateAgentState)
        assert isinstance(scene, Scene)
        if state.pose is None:
            return
        x, y = state.pose.cell
        tile = scene.frame[8 * y : 8 * y + 8, 8 * x : 8 * x + 8]
        self.verdicts.append(bool(np.any(np.all(tile == AVATAR, axis=2))))

    def close(self) -> None:
        """Keeps its verdicts."""


def test_the_frame_shows_the_map_that_the_action_was_decided_on() -> None:
    world, agents = set_up(SCENARIO, bots="scripted")
    check = FrameCheck()
    play_out(world, agents, seed=5, steps=300, recorders=[check])
    assert len(check.verdicts) > 200
    assert all(check.verdicts)
