"""Episodes in which all seats act at every step, as a ParallelEnv of PettingZoo; needs the extra `envs`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from operator import index
from typing import Any, NamedTuple

import numpy as np
from gymnasium import Space
from pettingzoo import ParallelEnv

from hm_agent.core import Seat

Infos = dict[Seat, dict[str, Any]]


class EnvStep(NamedTuple):
    """The outcome of a step. terminated, truncated: whether the episode's rules, or its length, ended it for all."""

    observations: dict[Seat, Any]
    rewards: dict[Seat, float]
    terminated: bool
    truncated: bool
    infos: Infos


class ParallelEpisodes(ParallelEnv):  # type: ignore[misc]
    """A `ParallelEnv` in which all seats have the same spaces and end together.

    One seed is one episode, bit for bit. `reset` without a seed begins the next episode of the series that the last
    given seed has started.
    """

    def __init__(
        self, seats: Sequence[Seat], observation_space: Space[Any], action_space: Space[Any], render_mode: str | None
    ) -> None:
        self.possible_agents, self.agents, self.render_mode = list(seats), list[Seat](), render_mode
        self.observation_spaces = {seat: deepcopy(observation_space) for seat in seats}
        self.action_spaces = {seat: deepcopy(action_space) for seat in seats}
        self._seeds, self._has_begun = np.random.default_rng(), False

    @abstractmethod
    def begin(self, seed: int) -> tuple[dict[Seat, Any], Infos]:
        """Begins the episode of a seed; returns the observations and infos of all seats."""

    @abstractmethod
    def advance(self, actions: Mapping[Seat, Any]) -> EnvStep:
        """Takes a step with the actions of all seats."""

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[dict[Seat, Any], Infos]:
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self.agents, self._has_begun = self.possible_agents.copy(), True
        return self.begin(int(self._seeds.integers(2**32)) if seed is None else index(seed))

    def step(
        self, actions: Mapping[Seat, Any]
    ) -> tuple[dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], Infos]:
        """Raises ValueError before the first `reset` and after an episode's end, and if a seat has no action."""
        seats = self.agents
        if not seats:
            raise ValueError("no episode is being played: call reset first")
        if missing := [seat for seat in seats if seat not in actions]:
            raise ValueError(f"no action of {', '.join(missing)}: say one for each of {', '.join(seats)}")
        outcome = self.advance(actions)
        if outcome.terminated or outcome.truncated:
            self.agents = []
        terminated, truncated = dict.fromkeys(seats, outcome.terminated), dict.fromkeys(seats, outcome.truncated)
        return outcome.observations, outcome.rewards, terminated, truncated, outcome.infos

    def render(self) -> Any:
        """What `render_mode` asks for, None without one; raises ValueError before the first `reset`."""
        if self.render_mode is None:
            return None
        if not self._has_begun:
            raise ValueError("there is nothing to render yet: call reset first")
        return self.rendered()

    @abstractmethod
    def rendered(self) -> Any:
        """The present state in the form of `render_mode`; None if it has none."""

    def close(self) -> None:
        """Does nothing; worlds that hold resources override it."""
