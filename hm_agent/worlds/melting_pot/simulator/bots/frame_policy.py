"""The policy of all bots that are players of ours: scripted ones, and those that learned here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import dm_env
from meltingpot.scenario import PERMITTED_OBSERVATIONS
from meltingpot.utils.policies import policy as policy_lib

GOAL = "GOAL"
"""What Melting Pot's puppeteers call the one-hot goal of their puppet."""
SEEN = PERMITTED_OBSERVATIONS | {GOAL}
"""What of an observation reaches such players."""


class FramePlayer(Protocol):
    """What chooses an action for each frame, in order. reward: the one that came with it."""

    def act(self, frame: Mapping[str, Any], reward: float) -> int: ...


class FramePolicy(policy_lib.Policy[FramePlayer]):
    """Plays by a player of its own for each slot. begin: makes one when an episode begins."""

    def __init__(self, begin: Callable[[], FramePlayer]) -> None:
        self._begin = begin

    def initial_state(self) -> FramePlayer:
        return self._begin()

    def step(self, timestep: dm_env.TimeStep, prev_state: FramePlayer) -> tuple[int, FramePlayer]:
        frame = {name: value for name, value in timestep.observation.items() if name in SEEN}
        return int(prev_state.act(frame, float(timestep.reward or 0.0))), prev_state

    def close(self) -> None:
        """Nothing to release."""
