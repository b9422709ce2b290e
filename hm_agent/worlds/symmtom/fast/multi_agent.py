"""SymmToM with the interface of JaxMARL's environments: pure functions, and dictionaries by agent."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from hm_agent.worlds.symmtom.fast.beliefs import FIRST_HAND
from hm_agent.worlds.symmtom.fast.core import Array
from hm_agent.worlds.symmtom.fast.observations import DIRECTIONS, observation_size
from hm_agent.worlds.symmtom.fast.play import Believed, advance, begin, look, seeds_of
from hm_agent.worlds.symmtom.rules import is_over
from hm_agent.worlds.symmtom.settings import GameSettings

ByAgent = dict[str, Array]


class SymmtomMultiAgentEnv:
    """One game. An action is direction * c + piece, 0 to 5 c - 1. kind: of the K in the observations (`beliefs.KINDS`).

    Observations are (D,) float32 (observations.py), rewards () float32. A key decides a game's seed, and the seed all
    random numbers of the game, so `step` uses its key only to begin the next game.
    """

    def __init__(self, settings: GameSettings, kind: str = FIRST_HAND) -> None:
        self.settings, self.kind = settings, kind
        self.agents = list(settings.seats)
        self.num_agents = settings.agents
        self.num_actions = DIRECTIONS * settings.pieces
        self.observation_size = observation_size(settings)

    def reset(self, key: Array) -> tuple[ByAgent, Believed]:
        state = begin(self.settings, self.kind, seeds_of(key, 1)[0])
        return self.get_obs(state), state

    def step(
        self, key: Array, state: Believed, actions: Mapping[str, Array]
    ) -> tuple[ByAgent, Believed, ByAgent, ByAgent, ByAgent]:
        """Takes a step, and begins a new game if this one is over after it.

        Returns observations, state, rewards, dones (with `__all__`) and infos; after the last step of a game,
        observations and state are those of the new one.
        """
        observations, after, rewards, dones, infos = self.step_env(key, state, actions)
        new = self.reset(key)
        observations, after = jax.tree.map(
            lambda begun, kept: jnp.where(dones["__all__"], begun, kept), new, (observations, after)
        )
        return observations, after, rewards, dones, infos

    def step_env(
        self, key: Array, state: Believed, actions: Mapping[str, Array]
    ) -> tuple[ByAgent, Believed, ByAgent, ByAgent, ByAgent]:
        """Takes a step, without a new game after the last one; a game that is over stays as it is."""
        chosen = jnp.stack([actions[agent] for agent in self.agents])
        directions, pieces = chosen // self.settings.pieces, chosen % self.settings.pieces
        after, effects = advance(self.settings, self.kind, state, directions, pieces)
        over = is_over(self.settings, after.game)
        rewards = self._by_agent(effects.rewards.astype(jnp.float32))
        dones = dict.fromkeys([*self.agents, "__all__"], over)
        return self.get_obs(after), after, rewards, dones, {"recharged": effects.recharged, "said": effects.said}

    def get_obs(self, state: Believed) -> ByAgent:
        return self._by_agent(look(self.settings, state)[0])

    def get_avail_actions(self, state: Believed) -> ByAgent:
        """(5 c,) bool of each agent: moves that no wall cancels with pieces that it knows."""
        _, moves, pieces = look(self.settings, state)
        return self._by_agent((moves[:, :, None] & pieces[:, None]).reshape(self.num_agents, -1))

    def _by_agent(self, values: Array) -> ByAgent:
        return {agent: values[at] for at, agent in enumerate(self.agents)}
