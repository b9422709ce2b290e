"""The picture of the whole map that videos show belongs to the step at hand."""

from __future__ import annotations

import asyncio

import numpy as np

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

AVATAR = (200, 100, 50)
(SCENARIO,) = find_scenarios(["rws_repeated_3"])


class Look:
    """Checks that an avatar stands where the agent decided from."""

    def __init__(self, world: MeltingPotWorld) -> None:
        self._world = world
        self.verdicts: list[bool] = []

    def record(self, step: Step) -> None:
        if step.decision.pose is None:
            return
        x, y = step.decision.pose.cell
        tile = self._world.frame()[8 * y : 8 * y + 8, 8 * x : 8 * x + 8]
        self.verdicts.append(bool(np.any(np.all(tile == AVATAR, axis=2))))

    def close(self) -> None:
        """Keeps what it has seen."""


def test_the_frame_shows_the_map_that_the_action_was_decided_on() -> None:
    world = MeltingPotWorld(SCENARIO, Bots.SCRIPTED)
    eyes = vision_of(SCENARIO.game.short_name)
    agent = AGENTS["hypothetical_minds"](Ingredients(SCENARIO.game, eyes, BuiltinReasoner(), 0, world.tell))
    look = Look(world)
    asyncio.run(run_episode(world, agent, seed=5, max_steps=300, recorders=[look]))
    world.close()
    assert len(look.verdicts) > 200
    assert all(look.verdicts)
