"""Melting Pot's scenarios and substrates as worlds, under the official protocol.

Each seat receives what `PERMITTED_OBSERVATIONS` allows of its own player's observations, and nothing else.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import dm_env
from meltingpot import scenario as mp_scenario
from meltingpot.utils.scenarios import scenario as scenario_lib

from hm_agent.core import Observation, Seat, Turn, World, per_capita
from hm_agent.worlds.melting_pot.facts import FOCAL, GameFacts, slot_of
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.scene import Bot, PlayerIntent, Scene, by_slot
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bots_of, build_bots, build_population, config_of
from hm_agent.worlds.melting_pot.simulator.bots.intents import IntentLog
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from
from hm_agent.worlds.melting_pot.simulator.substrate import (
    GROUND_TRUTH,
    POSITION,
    actions_of,
    build_substrate,
    usual_roles,
)


class _Environment(Protocol):
    """The interface that Melting Pot's scenarios and substrates have in common."""

    def reset(self) -> dm_env.TimeStep: ...

    def step(self, action: Sequence[int]) -> dm_env.TimeStep: ...

    def close(self) -> None: ...

    def observables(self) -> Any: ...


class SubstrateWorld(World[View, int]):
    """The base of all worlds of Melting Pot. ground_truth: adds every player's true pose to `timestep`, for tests."""

    def __init__(self, game: GameFacts, seats: Sequence[Seat], *, ground_truth: bool = False) -> None:
        self.seats: Sequence[Seat] = seats
        self.is_shown = False
        """As in `World`."""
        self.actions = actions_of(game.substrate)
        """The actions that players may take."""
        self._game, self._has_ground_truth = game, ground_truth
        self._environment: _Environment | None = None
        self._stream = random.Random()
        self._step = 0
        self._earned: dict[Seat, float] = {}
        self._interactions: dict[Seat, int] = {}
        self._before: dm_env.TimeStep | None = None
        self.timestep: dm_env.TimeStep | None = None
        """The latest state as all players of the substrate see it: for viewers and tests, never for an agent."""

    def _build(self) -> _Environment:
        """The environment of a new episode, which draws from the stream alone; by default without bots."""
        name = self._game.substrate
        substrate: _Environment = build_substrate(
            name, usual_roles(name), self._stream, ground_truth=self._ground_truth
        )
        substrate.observables().timestep.subscribe(on_next=self._keep_timestep)
        return substrate

    @property
    def _ground_truth(self) -> Sequence[str]:
        """What the engine tells of every player beyond the game's observations."""
        if self._has_ground_truth:
            return GROUND_TRUTH
        return (POSITION,) if self.is_shown and kind_of(self._game).is_framed else ()

    def _told_bots(self) -> Sequence[Bot]:
        """The bots as `scene` shows them to viewers."""
        return ()

    def _keep_timestep(self, timestep: dm_env.TimeStep) -> None:
        self.timestep = timestep

    def reset(self, seed: int) -> Turn[View]:
        self.close()
        self._stream = random.Random(seed)
        self._step, self._before = 0, None
        self._earned = dict.fromkeys(self.seats, 0.0)
        self._interactions = dict.fromkeys(self.seats, 0)
        self._environment = self._build()
        with drawing_from(self._stream):
            return self._turn(self._environment.reset())

    def step(self, actions: Mapping[Seat, int]) -> Turn[View]:
        """Raises ValueError for an action that the game doesn't have; then no step is taken."""
        return self._advance([self._move(seat, actions[seat]) for seat in self.seats])

    def _advance(self, moves: Sequence[int]) -> Turn[View]:
        """Takes one step with the moves of all players that the environment leaves open."""
        assert self._environment is not None, "reset the world first"
        self._step += 1
        self._before = self.timestep
        return self._turn(self._environment.step(moves))

    def _turn(self, timestep: dm_env.TimeStep) -> Turn[View]:
        rewards: dict[Seat, float] = {}
        if not timestep.first():
            rewards = {seat: float(timestep.reward[place]) for place, seat in enumerate(self.seats)}
            for seat, reward in rewards.items():
                self._earned[seat] += reward
            self._count_interactions(rewards)
        observations = {
            seat: Observation(self._step, _permitted(timestep.observation[place]), rewards.get(seat, 0.0))
            for place, seat in enumerate(self.seats)
        }
        return Turn(self._step, observations, rewards, timestep.last())

    def _count_interactions(self, rewards: Mapping[Seat, float]) -> None:
        """Counts the interactions of the latest step, as the game's kind says."""
        assert self.timestep is not None, "reset the world first"
        kind = kind_of(self._game)
        for seat in self.seats:
            observation = self.timestep.observation[slot_of(seat)]
            self._interactions[seat] += kind.count_interactions(self._game, observation, rewards[seat])

    def _move(self, seat: Seat, action: int) -> int:
        try:
            move = operator.index(action)
        except TypeError:
            move = -1
        if not 0 <= move < len(self.actions):
            raise ValueError(f"{seat}'s action is {action!r}: must be an int from 0 to {len(self.actions) - 1}")
        return move

    def scene(self) -> Scene:
        assert self.timestep is not None, "reset the world first"
        decided_on = self._before or self.timestep
        return Scene(self.seats, decided_on.observation, self.timestep.observation, self._told_bots())

    def metrics(self) -> Mapping[str, float]:
        """Means over the seats; none before the first step.

        The game's measure, e.g. the reward per as many steps as the paper reports it for, has the measure's own name;
        it is missing in games that are measured by the reward of whole episodes. interactions: those of a seat's
        player, as the game's kind counts them, if it does.
        """
        if not self._step:
            return {}
        counts = kind_of(self._game).counts_interactions
        means = {"interactions": per_capita(self._interactions.values())} if counts else {}
        measure = self._game.measure
        if measure.per_steps:
            means[measure.name] = measure.of_reward(per_capita(self._earned.values()), self._step)
        return means

    def truth(self, player: int) -> Any:
        """One player's full observation now."""
        assert self.timestep is not None, "reset the world first"
        return self.timestep.observation[player]

    def close(self) -> None:
        if self._environment is not None:
            self._environment.close()
            self._environment = None


class MeltingPotWorld(SubstrateWorld):
    """One scenario: its focal players are the seats, and bots play the other slots."""

    def __init__(
        self, scenario: Scenario, bots: Bots, bots_dir: Path | None = None, *, ground_truth: bool = False
    ) -> None:
        super().__init__(scenario.game, scenario.seats, ground_truth=ground_truth)
        self._scenario, self._bots, self._bots_dir = scenario, bots, bots_dir
        self._names: Sequence[str] = ()
        self._rules: Sequence[str | None] = ()
        self._targets: Sequence[str | None] = ()
        self._game_bots = bots_of(scenario.game)
        self._intent_log = IntentLog(self._game_bots, [])

    def _build(self) -> _Environment:
        self._targets, self._intent_log = (), IntentLog(self._game_bots, [])
        config = config_of(self._scenario)
        substrate = build_substrate(config.substrate, config.roles, self._stream, ground_truth=self._ground_truth)
        visions = self._game_bots.visions
        bots = build_bots(self._scenario, visions, self._bots, self._bots_dir, self._stream, self._intent_log)
        environment: _Environment = scenario_lib.Scenario(
            substrate=substrate,
            background_population=build_population(config, bots, threads=self._bots is Bots.TRAINED),
            is_focal=config.is_focal,
            permitted_observations=mp_scenario.PERMITTED_OBSERVATIONS,
        )
        observables = environment.observables()
        observables.substrate.timestep.subscribe(on_next=self._keep_timestep)
        observables.background.names.subscribe(on_next=self._keep_names)
        observables.background.action.subscribe(on_next=self._keep_targets)
        return environment

    def _keep_names(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        unseen = self._scenario.unseen
        self._rules = tuple(unseen.rule if unseen else self._game_bots.rule_of(name) for name in names)

    def _keep_targets(self, _: Sequence[int]) -> None:
        """Reads the bots' intents once all have acted, since trained bots act in other threads."""
        self._targets = tuple(self._intent_log.intents)

    def background(self) -> Sequence[str]:
        return self._names

    def intents(self, seat: Seat = FOCAL) -> Sequence[PlayerIntent]:
        """The intents of the players that a seat can meet, by slot, as of their latest action; unknown for seats.

        Privileged: for the reference agent `oracle` only.
        """
        described = zip(self._names, self._targets, self._rules, strict=False)
        bots = [PlayerIntent(target, rule, self._game_bots.watches_others(name)) for name, target, rule in described]
        players = by_slot(self.seats, PlayerIntent(None), bots)
        return tuple(intent for slot, intent in enumerate(players) if self._scenario.can_meet(slot_of(seat), slot))

    def _told_bots(self) -> Sequence[Bot]:
        return tuple(zip(self._names, self._targets, self._rules, strict=False))


class SelfPlayWorld(SubstrateWorld):
    """A substrate without bots: every player has a seat."""

    def __init__(self, scenario: Scenario, *, ground_truth: bool = False) -> None:
        super().__init__(scenario.game, scenario.seats, ground_truth=ground_truth)


def _permitted(observation: Mapping[str, Any]) -> View:
    return {name: value for name, value in observation.items() if name in mp_scenario.PERMITTED_OBSERVATIONS}
