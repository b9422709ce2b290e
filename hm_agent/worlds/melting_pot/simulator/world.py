"""Melting Pot as one focal player meets it, under the official protocol."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dm_env
import numpy as np
import numpy.typing as npt
from meltingpot import scenario as mp_scenario
from meltingpot.utils.scenarios import scenario as scenario_lib

from hm_agent.core import Counts, Observation, OpponentIntent, OpponentState
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, build_bots
from hm_agent.worlds.melting_pot.simulator.bots.population import build_population
from hm_agent.worlds.melting_pot.simulator.bots.telling import Prompter, rule_of
from hm_agent.worlds.melting_pot.simulator.randomness import drawing_from
from hm_agent.worlds.melting_pot.simulator.substrate import build_substrate, vision_of


class MeltingPotWorld:
    """One scenario. The focal player is slot 0; it receives what `PERMITTED_OBSERVATIONS` allows and nothing else.

    ground_truth: adds every player's true position to `timestep`, for tests.
    """

    def __init__(
        self, scenario: Scenario, bots: Bots, bots_dir: Path | None = None, *, ground_truth: bool = False
    ) -> None:
        self._scenario, self._bots, self._bots_dir = scenario, bots, bots_dir
        self._ground_truth = ground_truth
        self._stage: scenario_lib.Scenario | None = None
        self._stream = random.Random()
        self._step = 0
        self._names: Sequence[str] = ()
        self._rules: Sequence[str | None] = ()
        self._targets: Sequence[str | None] = ()
        self._prompter = Prompter(scenario.game, [])
        self._before: dm_env.TimeStep | None = None
        self.timestep: dm_env.TimeStep | None = None
        """The last step as all players of the substrate see it: for videos and tests, never for an agent."""

    def reset(self, seed: int) -> Observation:
        """Starts the episode that this seed stands for, in any process."""
        self.close()
        self._stream = random.Random(seed)
        self._step, self._targets, self._before = 0, (), None
        self._prompter = Prompter(self._scenario.game, [])
        self._stage = self._build()
        with drawing_from(self._stream):
            return self._observe(self._stage.reset())

    def _build(self) -> scenario_lib.Scenario:
        config = mp_scenario.get_config(self._scenario.name)
        substrate = build_substrate(config.substrate, config.roles, self._stream, ground_truth=self._ground_truth)
        eyes = vision_of(self._scenario.game.short_name)
        bots = build_bots(self._scenario, eyes, self._bots, self._bots_dir, self._stream, self._prompter)
        stage = scenario_lib.Scenario(
            substrate=substrate,
            background_population=build_population(config, bots, threads=self._bots is Bots.TRAINED),
            is_focal=config.is_focal,
            permitted_observations=mp_scenario.PERMITTED_OBSERVATIONS,
        )
        self._listen(stage)
        return stage

    def _listen(self, stage: scenario_lib.Scenario) -> None:
        observables = stage.observables()
        observables.substrate.timestep.subscribe(on_next=self._keep_timestep)
        observables.background.names.subscribe(on_next=self._keep_names)
        observables.background.action.subscribe(on_next=self._keep_targets)

    def _keep_timestep(self, timestep: dm_env.TimeStep) -> None:
        self.timestep = timestep

    def _keep_names(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._rules = tuple(rule_of(name, self._scenario.game) for name in names)

    def _keep_targets(self, _: Sequence[int]) -> None:
        """Bots think in other threads; what they aim for is read only once their actions are in."""
        self._targets = tuple(self._prompter.heard)

    def step(self, action: int) -> Observation:
        assert self._stage is not None, "reset the world first"
        self._step += 1
        self._before = self.timestep
        return self._observe(self._stage.step([action]))

    def _observe(self, timestep: dm_env.TimeStep) -> Observation:
        reward = 0.0 if timestep.first() else float(timestep.reward[0])
        return Observation(self._step, timestep.observation[0], reward, timestep.last())

    def background(self) -> Sequence[str]:
        return self._names

    def tell(self) -> Sequence[OpponentIntent]:
        """What each other player is after, as of its last action. Privileged: for the reference agent `oracle` only."""
        return tuple(OpponentIntent(target, rule) for target, rule in zip(self._targets, self._rules, strict=False))

    @property
    def _decided_on(self) -> dm_env.TimeStep:
        """What there was when the last action was decided on."""
        before = self._before or self.timestep
        assert before is not None, "reset the world first"
        return before

    def truth_of_others(self) -> Sequence[OpponentState]:
        """What each other player was, held and was after when the last action was decided on; for recordings."""
        held = [_inventory(player) for player in self._decided_on.observation[1:]]
        told = zip(self._names, self._targets, self._rules, held, strict=False)
        return tuple(OpponentState(*each) for each in told)

    def held_in_interaction(self) -> tuple[Counts, Counts] | None:
        """What oneself and the other held in the interaction that the last step began; None if it began none."""
        assert self.timestep is not None, "reset the world first"
        own, other = self.timestep.observation[0].get("INTERACTION_INVENTORIES", ((), ()))
        return (tuple(map(int, own)), tuple(map(int, other))) if min(own, default=0) > 0 else None

    def frame(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) the whole map as it was when the last action was decided on; for videos."""
        picture: npt.NDArray[np.uint8] = self._decided_on.observation[0]["WORLD.RGB"]
        return picture

    def truth(self, player: int, *, before: bool = False) -> Any:
        """One player's full observation, now or before the last step; for tests."""
        timestep = self._before if before else self.timestep
        assert timestep is not None, "reset the world first"
        return timestep.observation[player]

    def close(self) -> None:
        if self._stage is not None:
            self._stage.close()
            self._stage = None


def _inventory(observation: Mapping[str, Any]) -> Counts | None:
    """What a player holds, in a game with inventories."""
    return tuple(map(int, observation["INVENTORY"])) if "INVENTORY" in observation else None
