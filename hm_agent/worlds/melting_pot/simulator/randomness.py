"""Gives each episode its own stream of random numbers.

Melting Pot draws the environment's seed, the bots and their trembles from Python's global `random`, partly in worker
threads, so any other draw in the process would change an episode. Importing this module binds the name `random` inside
Melting Pot's modules to a stand-in that draws from the current episode's stream; the global generator is neither read
nor written, and episodes may be interleaved freely.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dm_env
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.policies import saved_model_policy
from meltingpot.utils.puppeteers import in_the_matrix
from meltingpot.utils.scenarios import population
from meltingpot.utils.substrates import builder


class _EpisodeRandom(threading.local):
    """Stands in for the module `random`: draws from the current thread's stream, else from the global generator."""

    stream: random.Random | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream or random, name)


_EPISODE_RANDOM = _EpisodeRandom()
for _module in (builder, in_the_matrix, population, saved_model_policy):
    _module.random = _EPISODE_RANDOM


@contextmanager
def drawing_from(stream: random.Random) -> Iterator[None]:
    """A context in which Melting Pot draws from this stream, in the current thread."""
    before, _EPISODE_RANDOM.stream = _EPISODE_RANDOM.stream, stream
    try:
        yield
    finally:
        _EPISODE_RANDOM.stream = before


class SeededPolicy(policy_lib.Policy[Any]):
    """Wraps a bot so that it draws from its own stream, whichever worker thread it runs in."""

    def __init__(self, policy: policy_lib.Policy[Any], stream: random.Random) -> None:
        self._policy, self._stream = policy, stream

    def initial_state(self) -> Any:
        with drawing_from(self._stream):
            return self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: Any) -> tuple[int, Any]:
        with drawing_from(self._stream):
            action, state = self._policy.step(timestep, prev_state)
        return action, state

    def close(self) -> None:
        self._policy.close()
