"""Scenarios and substrates of Melting Pot as a ParallelEnv of PettingZoo; needs the extra `envs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete
from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from pettingzoo import ParallelEnv

from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.substrate import settings_of
from hm_agent.worlds.melting_pot.simulator.world import SubstrateWorld

Observations = dict[str, dict[str, npt.NDArray[Any]]]
PICTURE = "WORLD.RGB"


class MeltingPotParallelEnv(ParallelEnv):
    """All seats act at every step; all end together, by truncation, since the length is drawn and no state ends it.

    Observations and actions are Melting Pot's official ones: `RGB` (H, W, 3) uint8 and, where the substrate has them,
    `INVENTORY` and `READY_TO_SHOOT`; a number for each entry of the substrate's action set. Rewards are those of the
    step. One seed is one episode, bit for bit; without a seed, `reset` goes on to the next episode of the last one.
    `state` and `render` give the whole map.
    """

    def __init__(self, world: SubstrateWorld, scenario: Scenario, render_mode: str | None = None) -> None:
        self._world, self.render_mode = world, render_mode
        self.metadata: dict[str, Any] = {"name": scenario.name, "render_modes": ["rgb_array"], "render_fps": 8}
        self.possible_agents = list(world.seats)
        self.agents: list[str] = []
        substrate = scenario.game.substrate
        config = mp_substrate.get_config(substrate)
        specs = config.timestep_spec.observation
        # A step takes one thing at most, so that nobody holds more than an episode has steps and it began with.
        most = 2 * settings_of(substrate, config.default_player_roles)["maxEpisodeLengthFrames"]
        spaces = {
            name: _space(name, specs[name], most)
            for name in sorted(specs)
            if name in mp_scenario.PERMITTED_OBSERVATIONS
        }
        self.observation_spaces = {seat: Dict(spaces) for seat in self.possible_agents}
        self.action_spaces = {seat: Discrete(len(config.action_set)) for seat in self.possible_agents}
        self.state_space = _space(PICTURE, specs[PICTURE], most)
        self._kinds = {name: space.dtype for name, space in spaces.items()}
        self._seeds = np.random.default_rng()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        turn = self._world.reset(int(self._seeds.integers(2**32)) if seed is None else seed)
        self.agents = self.possible_agents.copy()
        return self._seen(turn.observations), {seat: {} for seat in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        seats = self.agents
        turn = self._world.step({seat: int(actions[seat]) for seat in seats})
        if turn.is_over:
            self.agents = []
        return (
            self._seen(turn.observations),
            {seat: turn.rewards[seat] for seat in seats},
            dict.fromkeys(seats, False),
            dict.fromkeys(seats, turn.is_over),
            {seat: {} for seat in seats},
        )

    def state(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) the whole map now."""
        return np.array(self._world.truth(0)[PICTURE], np.uint8)

    def render(self) -> npt.NDArray[np.uint8] | None:
        return self.state() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        self._world.close()

    def _seen(self, observations: Mapping[str, Any]) -> Observations:
        return {
            seat: {name: np.array(one.view[name], kind) for name, kind in self._kinds.items()}
            for seat, one in observations.items()
        }


def _space(name: str, spec: Any, most: int) -> Box:
    """The space of an observation. most: an upper bound of what an inventory holds."""
    high = 255 if spec.dtype == np.uint8 else most if name == "INVENTORY" else 1
    return Box(0, high, spec.shape, spec.dtype)
