"""A bot of learned players: a puppet that follows a puppeteer's goals by a network of `hm-agent train --puppets`."""

from __future__ import annotations

import random
from pathlib import Path

import dm_env
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.learning.populations import LearnedPlayer, Population, load, puppets_path
from hm_agent.worlds.melting_pot.simulator.substrate import permitted_shapes


def puppets_of(substrate: str, folder: Path | None) -> Population:
    """Reads a substrate's puppets from a folder of such, or those that ship; ConfigError if none are there, or others.

    They are read anew for each bot, since the file may change, and results record what it holds.
    """
    path = puppets_path(substrate, folder)
    if not path.exists():
        where = f"no {path.name} in --bots_dir={folder}" if folder else f"no puppets ship for {substrate}"
        then = ", and copy their last.npz there by this name" if folder else ""
        raise ConfigError(f"--bots=learned: {where}: train them by hm-agent train melting_pot --puppets{then}")
    population, _ = load(path, substrate)
    if not population.shape.sizes.goals:
        raise ConfigError(f"{path} holds no puppets: train them by hm-agent train melting_pot --puppets")
    return population


class LearnedPuppet(policy_lib.Policy[LearnedPlayer]):
    """Sees what a player may see, and the GOAL. Its state is a player of its own for each slot."""

    def __init__(self, population: Population, stream: random.Random) -> None:
        """stream: what the seeds of its players are drawn from."""
        self._population, self._stream = population, stream
        self._names = ("GOAL", *permitted_shapes(population.substrate))

    def initial_state(self) -> LearnedPlayer:
        return LearnedPlayer(self._population, self._stream.getrandbits(64))

    def step(self, timestep: dm_env.TimeStep, prev_state: LearnedPlayer) -> tuple[int, LearnedPlayer]:
        view = {name: timestep.observation[name] for name in self._names}
        return prev_state.choose(view, 0.0), prev_state

    def close(self) -> None:
        """Nothing to release."""
