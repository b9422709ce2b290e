"""A bot of learned players: a puppet that follows a puppeteer's goals by a network of `hm-agent train --puppets`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.learning.populations import LearnedPlayer, Population, load, puppets_path
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import FramePolicy


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


class LearnedPuppet(LearnedPlayer):
    """Sees what a player may see, and the GOAL."""

    def act(self, frame: Mapping[str, Any], reward: float) -> int:
        """Leaves the reward out, as a puppet's rewards in a game are none for its goals."""
        return self.choose(frame, 0.0)


def learned_puppet(population: Population, stream: random.Random) -> FramePolicy:
    """The policy of a population's puppets. stream: what the seeds of its players are drawn from."""
    return FramePolicy(lambda: LearnedPuppet(population, stream.getrandbits(64)))
