"""The worlds that players learn in: as they are or, for puppets, with a goal for each seat that alone is rewarded."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Seat, Turn, World
from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bots_of
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots, Practice
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SelfPlayWorld, SubstrateWorld


def open_world(scenario_name: str, *, is_practice: bool = False) -> World[View, int]:
    """A scenario with scripted bots, or self-play, without what only viewers need. is_practice: True for puppets."""
    scenario = scenario_named(scenario_name)
    world = (
        SelfPlayWorld(scenario, ground_truth=is_practice)
        if scenario.is_self_play
        else MeltingPotWorld(scenario, Bots.SCRIPTED, ground_truth=is_practice)
    )
    return PractisedWorld(world, bots_of(scenario.game)) if is_practice else world


class PractisedWorld(World[View, int]):
    """A world in which seats are puppets that practise: each view has a GOAL, and rewards are for pursuing it alone.

    No reward is observed, since a puppet's rewards in a game are none for its goals. world: tells the ground truth, of
    which rewards may depend, but no view.
    """

    def __init__(self, world: SubstrateWorld, bots: GameBots[Any]) -> None:
        self._world, self._bots = world, bots
        self.seats, self.actions = world.seats, world.actions
        self._practices: Mapping[Seat, Practice] = {}

    def reset(self, seed: int) -> Turn[View]:
        self._practices = {seat: self._bots.practice(random.Random(f"{seed} {seat}")) for seat in self.seats}
        return self._told(self._world.reset(seed), {})

    def step(self, actions: Mapping[Seat, int]) -> Turn[View]:
        turn, rewards = self._world.step(actions), {}
        assert self._world.timestep is not None
        told = self._world.timestep.observation
        for seat, practice in self._practices.items():
            slot = slot_of(seat)
            rewards[seat] = practice.reward(told[slot], [*told[:slot], *told[slot + 1 :]])
        return self._told(turn, rewards)

    def _told(self, turn: Turn[View], rewards: Mapping[Seat, float]) -> Turn[View]:
        """The turn as puppets see it."""
        observations = {}
        for seat, seen in turn.observations.items():
            goal = self._practices[seat].goal(self._world.truth(slot_of(seat)))
            observations[seat] = replace(seen, view={**seen.view, GOAL: goal}, reward=0.0)
        return replace(turn, observations=observations, rewards=rewards)

    def close(self) -> None:
        self._world.close()
