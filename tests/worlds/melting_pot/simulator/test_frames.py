"""The picture of the whole map that viewers show belongs to the state that the action was decided on."""

from __future__ import annotations

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.scene import Scene
from tests.support.step_log import StepLog

AVATAR = (200, 100, 50)
(SCENARIO,) = find_scenarios(["rws_repeated_3"])


def test_the_frame_shows_the_map_that_the_action_was_decided_on() -> None:
    world, agents = set_up(SCENARIO, bots="scripted")
    log, shown = StepLog(Scene), []
    play_out(world, agents, seed=5, steps=300, recorders=[log])
    for decision, scene in zip(log.decisions, log.scenes, strict=True):
        assert isinstance(decision.state, SubstrateAgentState)
        if decision.state.pose:
            x, y = decision.state.pose.cell
            tile = scene.frame[8 * y : 8 * y + 8, 8 * x : 8 * x + 8]
            shown.append((tile == AVATAR).all(axis=2).any())
    assert len(shown) > 200
    assert all(shown)
