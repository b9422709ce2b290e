"""Measures perception: the agent's pose against the engine's own record of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hm_agent.catalogue.registry import scenario_named
from hm_agent.core import Recorder, Step
from hm_agent.testing.episodes import play_out, seat_agents
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.grid import Pose
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

STEPS = 1000
SETTLING_STEPS = 20
"""For how many steps after each entry into the map the pose is not checked, by default."""


def pose_of(truth: Mapping[str, Any]) -> Pose:
    """A player's pose by what the engine tells of it, if it is asked for the ground truth."""
    x, y = map(int, truth["POSITION"])
    return Pose(x, y, int(truth["ORIENTATION"]))


class PoseCheck(Recorder):
    """A recorder that counts the steps in which the agent's pose is exact, wrong or lost (unknown).

    settling: for how many steps after each entry into the map the pose is not checked.
    """

    def __init__(self, world: MeltingPotWorld, settling: int = SETTLING_STEPS) -> None:
        self._world, self._settling = world, settling
        self._steps_on_map = 0
        self.verdicts: Counter[str] = Counter()

    def record(self, step: Step) -> None:
        self._steps_on_map = self._steps_on_map + 1 if step.turn.observations[FOCAL].view["RGB"].any() else 0
        if self._steps_on_map < self._settling:
            return
        state = step.decisions[FOCAL].state
        assert isinstance(state, SubstrateAgentState)
        is_exact = state.pose == pose_of(self._world.scene().before[0])
        self.verdicts["lost" if state.pose is None else "exact" if is_exact else "wrong"] += 1


def check(
    scenario: Scenario, seed: int = 0, steps: int = STEPS, settling: int = SETTLING_STEPS
) -> tuple[Counter[str], int]:
    """Plays an episode; returns the verdicts on the first seat's agent, and how many unknown patches all agents saw."""
    world = MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=True)
    agents = seat_agents(world, scenario_named(scenario.name), seed=seed)
    poses = PoseCheck(world, settling)
    play_out(world, agents, seed=seed, steps=steps, recorders=[poses])
    return poses.verdicts, sum(int(agent.metrics()["unknown_patches"]) for agent in agents.values())
