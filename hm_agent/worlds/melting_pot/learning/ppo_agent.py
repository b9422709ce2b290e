"""The agent `ppo`: plays by a checkpoint that `hm-agent train melting_pot` left."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from hm_agent.config import ConfigError
from hm_agent.core import Agent, Decision, Observation
from hm_agent.suite import Setting
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.learning.populations import LearnedPlayer, Population, load


class PpoAgent(Agent[View, IntEnum]):
    """Plays one seat. actions: those that there are, from 0 on."""

    def __init__(self, population: Population, seed: int, actions: type[IntEnum]) -> None:
        self._player, self._actions = LearnedPlayer(population, seed), actions

    async def act(self, observation: Observation[View]) -> Decision[IntEnum]:
        return Decision(self._actions(self._player.choose(observation.view, observation.reward)))


def population_named(checkpoint: Setting, substrate: str) -> Population:
    """The population of a checkpoint; ConfigError if none is named, or it does not fit."""
    if not checkpoint:
        raise ConfigError(
            "ppo plays by a checkpoint: train one by `hm-agent train melting_pot`, and name it by --checkpoint"
        )
    return load(Path(str(checkpoint)), substrate)[0]
