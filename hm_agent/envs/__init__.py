"""Scenarios as environments of PettingZoo and Gymnasium; needs the extra `envs`.

    from hm_agent.envs import gym_env, parallel_env

    env = parallel_env("rws_arena_selfplay", render_mode="rgb_array")
    observations, infos = env.reset(seed=0)
    env = gym_env("rws_repeated_1")
    env = gym_text_env("mg_rps_pure")

Importing this module also registers the worlds' environments in PettingZoo's registry by id, e.g.
`pettingzoo.env_registry.registration.make("parallel", "hm_agent/SymmToM-v0", scenario="symmtom_w12_n4_c12")`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from operator import index
from typing import Any

try:
    import gymnasium
    from pettingzoo.env_registry import register
except ImportError as error:
    raise ImportError("environments need PettingZoo and Gymnasium: pip install 'hm_agent[envs]'") from error

from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.text_env import chosen_scenario, text_env
from hm_agent.text_env.text_forms import AecTextEnv, ParallelTextEnv


def parallel_env(scenario: str, *, render_mode: str | None = None, observation: str = "own", **options: str) -> Any:
    """Opens a scenario as a `pettingzoo.ParallelEnv`, with an agent for each of its seats.

    render_mode: `rgb_array` (`ansi` in worlds of text), or None to draw nothing. observation: `own` for the world's
    own, `text` for words in place of pixels. options: the world's own options, named as their flags. Raises ConfigError
    for an unknown scenario or option, and for a world that has no such environment.
    """
    found, settled = chosen_scenario(scenario, options, parallel_env)
    suite = suites()[found.world]
    if observation not in ("own", "text"):
        raise ConfigError(f"observation is 'own' or 'text', not {observation!r}")
    opened = suite.env_in_words if observation == "text" else suite.parallel_env
    env = opened(found, settled, render_mode)
    modes = env.metadata["render_modes"]
    if render_mode not in (None, *modes):
        env.close()
        raise ConfigError(f"render_mode is {' or '.join(map(repr, modes))} or None, not {render_mode!r}")
    return env


def gym_env(scenario: str, *, render_mode: str | None = None, observation: str = "own", **options: str) -> SeatEnv:
    """Opens a scenario with one seat as a `gymnasium.Env`, in which bots are the other players.

    Parameters and errors are those of `parallel_env`; also raises ConfigError for a scenario with several seats.
    """
    return _single(parallel_env(scenario, render_mode=render_mode, observation=observation, **options), "parallel_env")


def parallel_text_env(scenario: str, **settings: Any) -> Any:
    """Opens a text environment as a `pettingzoo.ParallelEnv`; parameters and errors are those of `text_env`."""
    return ParallelTextEnv(text_env(scenario, **settings))


def aec_text_env(scenario: str, **settings: Any) -> Any:
    """Opens a text environment as a `pettingzoo.AECEnv`; parameters and errors are those of `text_env`."""
    return AecTextEnv(text_env(scenario, **settings))


def gym_text_env(scenario: str, **settings: Any) -> SeatEnv:
    """Opens a text environment as a `gymnasium.Env`; parameters and errors are those of `text_env`.

    Also raises ConfigError if several seats are played from outside.
    """
    return _single(parallel_text_env(scenario, **settings), "parallel_text_env, aec_text_env, or seats=")


def _single(env: Any, instead: str) -> SeatEnv:
    """The one seat of a parallel environment; raises ConfigError if it has several. instead: what would be right."""
    if (seats := len(env.possible_agents)) > 1:
        env.close()
        raise ConfigError(f"{env.metadata['name']} has {seats} seats: use {instead}")
    return SeatEnv(env)


class SeatEnv(gymnasium.Env):  # type: ignore[misc]
    """The one seat of a `pettingzoo.ParallelEnv`; observations, actions and rewards are that seat's."""

    def __init__(self, env: Any) -> None:
        self._env = env
        (self._seat,) = env.possible_agents
        self.observation_space, self.action_space = env.observation_space(self._seat), env.action_space(self._seat)
        self.metadata, self.render_mode = env.metadata, env.render_mode

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=None if seed is None else index(seed))
        observations, infos = self._env.reset(seed=seed, options=options)
        return observations[self._seat], infos[self._seat]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = self._env.step({self._seat: action})
        seat = self._seat
        return observations[seat], rewards[seat], terminated[seat], truncated[seat], infos[seat]

    def render(self) -> Any:
        return self._env.render()

    def close(self) -> None:
        self._env.close()

    def __copy__(self) -> SeatEnv:
        """As shallow as the copy of what is within; raises TypeError where that can't be copied."""
        return SeatEnv(copy(self._env))


for _suite in suites().values():
    for _id, _scenario in _suite.environments.items():
        register("parallel", _id, "hm_agent.envs:parallel_env", kwargs={"scenario": _scenario})
