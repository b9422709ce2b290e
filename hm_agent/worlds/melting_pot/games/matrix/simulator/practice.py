"""What puppets of matrix games learn from: goals by Melting Pot's own Specialists, and rewards for pursuing them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import dm_env
import numpy as np
import numpy.typing as npt
from meltingpot.utils.puppeteers import in_the_matrix

from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import goal_of, resources_of
from hm_agent.worlds.melting_pot.scene import held_in_interaction
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL

MARGINS = (1, 3, 5, 7)
"""Those of Melting Pot's puppeteers."""
COLLECTED = 1.0
"""For each thing of the kind to collect."""
OTHER = -0.25
"""For each thing of another kind: so little that to collect at random is better than to collect nothing."""
PLAYED = 5.0
"""For an interaction, where the goal was to play, if more was held of the goal's kind than of any other; else lost."""
NEARER = 0.1
"""For each cell that the nearest other player came nearer, where the goal was to play; lost if it went farther."""


class MatrixPractice:
    """The goals of a Specialist, whose kind and margin are drawn anew after each interaction."""

    def __init__(self, game: MatrixFacts, rng: random.Random) -> None:
        self._game, self._rng = game, rng
        self._resources = list(resources_of(game).values())
        self._goal: npt.NDArray[np.int32] = np.zeros(game.goals, np.int32)
        self._held: npt.NDArray[np.float64] = np.zeros(len(self._resources))
        self._distance = 0
        self._draw()

    def _draw(self) -> None:
        target, margin = self._rng.choice(self._resources), self._rng.choice(MARGINS)
        self._puppeteer = in_the_matrix.Specialist(target=target, margin=margin)

    def goal(self, observation: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int32]:
        told, _ = self._puppeteer.step(dm_env.restart(observation), ())
        self._goal, self._held = told.observation[GOAL], np.array(observation["INVENTORY"])
        return self._goal

    def reward(
        self, observation: Mapping[str, npt.NDArray[Any]], others: Sequence[Mapping[str, npt.NDArray[Any]]]
    ) -> float:
        kind, plays = goal_of(self._game, self._goal)
        ways = (int(abs(observation["POSITION"] - other["POSITION"]).sum()) for other in others)
        before, self._distance = self._distance, min(ways)  # at least so many moves to the nearest other player
        if interaction := held_in_interaction(observation):
            self._draw()
            own, _ = interaction
            is_pure = own[kind] > max(own[:kind] + own[kind + 1 :])
            return (PLAYED if is_pure else -PLAYED) if plays else 0.0
        gained = np.maximum(observation["INVENTORY"] - self._held, 0)
        wanted, unwanted = float(gained[kind]), float(gained.sum() - gained[kind])
        nearer = before - self._distance
        pursued = NEARER * nearer * (abs(nearer) <= 2) if plays else COLLECTED * wanted
        return OTHER * unwanted + pursued
