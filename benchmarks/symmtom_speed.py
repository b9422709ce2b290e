"""How fast SymmToM runs on one core: the rules in JAX and NumPy, also with observations and K, and PettingZoo.

Figures are steps per second of CPU time, so that other processes on the machine have little influence.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ.setdefault("XLA_FLAGS", ONE_THREAD)  # read when JAX is imported

import jax  # noqa: E402 - after the flags that it reads
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from hm_agent.envs import parallel_env  # noqa: E402
from hm_agent.worlds.symmtom import rules  # noqa: E402
from hm_agent.worlds.symmtom.fast import core  # noqa: E402
from hm_agent.worlds.symmtom.fast.beliefs import GE  # noqa: E402
from hm_agent.worlds.symmtom.fast.play import advance, begin, look  # noqa: E402
from hm_agent.worlds.symmtom.settings import GameSettings  # noqa: E402

GAMES, ROUNDS = 4096, 5
SIZES = (GameSettings(6, 3, 3), GameSettings(12, 4, 12))
TARGETS = {"raw": 5e6, "with K": 2e6, "NumPy": 5e5, "PettingZoo": 1e4}


def raw(settings: GameSettings) -> Callable[[Any], Any]:
    """Compiles random play of whole games, one for each seed, that returns the sum of rewards."""

    def episodes(seeds: Any) -> Any:
        def step(state: Any, at: Any) -> tuple[Any, Any]:
            directions, pieces = actions(settings, seeds, at)
            state, effects = jax.vmap(lambda *values: core.step(settings, *values))(state, directions, pieces)
            return state, effects.rewards.sum()

        state = jax.vmap(lambda seed: core.reset(settings, seed))(seeds)
        return jax.lax.scan(step, state, jnp.arange(settings.steps))[1].sum()

    compiled: Callable[[Any], Any] = jax.jit(episodes)
    return compiled


def with_observations(settings: GameSettings) -> Callable[[Any], Any]:
    """As `raw`, with the greedy K and the observations of all agents; their sum is added, or JAX would skip them."""

    def episodes(seeds: Any) -> Any:
        def step(state: Any, at: Any) -> tuple[Any, Any]:
            observations, *_ = jax.vmap(lambda one: look(settings, one))(state)
            directions, pieces = actions(settings, seeds, at)
            state, effects = jax.vmap(lambda *values: advance(settings, GE, *values))(state, directions, pieces)
            return state, effects.rewards.sum() + observations.sum()

        state = jax.vmap(lambda seed: begin(settings, GE, seed))(seeds)
        return jax.lax.scan(step, state, jnp.arange(settings.steps))[1].sum()

    compiled: Callable[[Any], Any] = jax.jit(episodes)
    return compiled


def actions(settings: GameSettings, seeds: Any, at: Any) -> tuple[Any, Any]:
    """Random actions from the bits of a hash; their small cost is part of what is measured."""
    bits = rules.mix(seeds[:, None] ^ (at.astype(jnp.uint32) * settings.agents + jnp.arange(settings.agents)))
    bits = bits.astype(jnp.uint32)
    return (bits % 5).astype(jnp.int32), ((bits >> 8) % settings.pieces).astype(jnp.int32)


def jax_rate(settings: GameSettings, build: Callable[[GameSettings], Callable[[Any], Any]]) -> float:
    """Agent-steps per second of CPU time, after compilation."""
    episodes, seeds = build(settings), jnp.arange(GAMES, dtype=jnp.uint32)
    episodes(seeds).block_until_ready()
    rounds = [seeds + at * GAMES for at in range(ROUNDS)]
    times = [timed(partial(lambda some: episodes(some).block_until_ready(), some)) for some in rounds]
    return GAMES * settings.steps * settings.agents / median(times)


def numpy_rate(settings: GameSettings) -> float:
    """Agent-steps per second of CPU time."""
    rng, shape = np.random.default_rng(0), (settings.steps, GAMES, settings.agents)
    directions, pieces = rng.integers(0, 5, shape), rng.integers(0, settings.pieces, shape)

    def episodes() -> None:
        state = rules.reset(settings, np.arange(GAMES))
        for chosen in zip(directions, pieces, strict=True):
            state, _ = rules.step(settings, state, *chosen)

    return GAMES * settings.steps * settings.agents / median(timed(episodes) for _ in range(ROUNDS))


def pettingzoo_rate(settings: GameSettings, games: int = 50) -> float:
    """Steps of the environment per second of CPU time, with observations and masks of all agents."""
    env = parallel_env(settings.name)
    rng, names = np.random.default_rng(0), env.possible_agents
    drawn = rng.integers(0, 5 * settings.pieces, (settings.steps, len(names))).tolist()
    chosen = [dict(zip(names, row, strict=True)) for row in drawn]

    def episodes() -> None:
        for seed in range(games):
            env.reset(seed=seed)
            for row in chosen:
                env.step(row)

    return games * settings.steps / median(timed(episodes) for _ in range(ROUNDS))


def timed(act: Callable[[], Any]) -> float:
    """The CPU time of a call, in seconds."""
    started = time.process_time()
    act()
    return time.process_time() - started


def main() -> None:
    print("Median steps per second of CPU time: agent-steps; for PettingZoo, steps of all agents together.\n")
    print("| scenario | what | target | measured |\n| --- | --- | --- | --- |")
    for settings in SIZES:
        rates = {
            "raw": ("rules in JAX", jax_rate(settings, raw)),
            "with K": ("rules in JAX, with the greedy K and observations", jax_rate(settings, with_observations)),
            "NumPy": ("rules in NumPy", numpy_rate(settings)),
            "PettingZoo": ("PettingZoo", pettingzoo_rate(settings)),
        }
        for name, (what, rate) in rates.items():
            print(f"| {settings.name} | {what} | {TARGETS[name]:,.0f} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
