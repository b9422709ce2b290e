"""The agent `ppo`: plays by a checkpoint that `hm-agent train melting_pot` left."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.core import Agent, Decision, Observation
from hm_agent.wording import listed
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.learning.populations import LEARNED, LearnedPlayer, Population, load
from hm_agent.worlds.melting_pot.scenarios import Scenario

BEST_RESPONSE, SELF_PLAY = SHIPPED = "best_response", "self_play"
"""The checkpoints that ship: against the scripted bots of a scenario, and of a substrate's population."""


class PpoAgent(Agent[View, IntEnum]):
    """Plays one seat. actions: those that there are, from 0 on."""

    def __init__(self, population: Population, seed: int, actions: type[IntEnum]) -> None:
        self._player, self._actions = LearnedPlayer(population, seed), actions

    async def act(self, observation: Observation[View]) -> Decision[IntEnum]:
        return Decision(self._actions(self._player.choose(observation.view, observation.reward)))


def population_named(checkpoint: Setting, scenario: Scenario) -> Population:
    """The population of a checkpoint: a file, or the name of what ships. ConfigError if none is named, or none fits."""
    path = checkpoint_path(checkpoint, scenario)
    population = load(path, scenario.game.substrate)[0]
    if population.shape.sizes.goals:
        raise ConfigError(f"{path} holds puppets, which need a puppeteer: they play by --bots=learned")
    return population


def checkpoint_path(checkpoint: Setting, scenario: Scenario) -> Path:
    """The file of a checkpoint; ConfigError if none is named, or none of this name ships for the scenario."""
    if not checkpoint:
        raise ConfigError(
            "ppo plays by a checkpoint: name one by --checkpoint, which `hm-agent train melting_pot` left, "
            f"or {listed(SHIPPED, 'or')}, which ship for some scenarios"
        )
    return _shipped(str(checkpoint), scenario) if checkpoint in SHIPPED else Path(str(checkpoint))


def _shipped(kind: str, scenario: Scenario) -> Path:
    """The file of a checkpoint that ships; ConfigError if there is none for the scenario. kind: one of SHIPPED."""
    name = scenario.name if kind == BEST_RESPONSE else scenario.game.substrate
    path = LEARNED / kind / f"{name}.npz"
    if not path.exists():
        others = sorted(each.stem for each in path.parent.glob("*.npz"))
        raise ConfigError(f"--checkpoint={kind}: none ships for {name}, but for {listed(others)}")
    return path
