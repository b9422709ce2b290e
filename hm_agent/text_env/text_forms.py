"""Text environments in PettingZoo's two forms, of which `hm_agent.envs` makes Gymnasium's; needs the extra `envs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import create_shared_memory
from pettingzoo import AECEnv

from hm_agent.core import Seat
from hm_agent.envs.parallel_episodes import EnvStep, Infos, ParallelEpisodes
from hm_agent.text_env import TextEnv
from hm_agent.text_env.text_episode import TextStep

MOST_LETTERS = 20_000
"""The most letters of a drawn text; any text is accepted."""


class AnyText(Text):  # type: ignore[misc]
    """All texts. What it draws has letters and digits alone."""

    def __init__(self) -> None:
        super().__init__(MOST_LETTERS, min_length=0)

    def contains(self, x: object) -> bool:
        return isinstance(x, str)


@create_shared_memory.register(AnyText)  # type: ignore[untyped-decorator]
def _refuse(*_: object, **__: object) -> NoReturn:
    """Has Gymnasium's AsyncVectorEnv say which option is right: it would keep 20,000 letters and digits of a text."""
    raise CustomSpaceError("texts of any length and alphabet have no place in shared memory")


def is_cut(step: TextStep) -> bool:
    """True if an episode ended before its rules ended it."""
    return step.done and any(info.get("status") != "completed" for info in step.infos.values())


class ParallelTextEnv(ParallelEpisodes):
    """All seats reply at once. A seat that is not asked sees an empty text, and its reply counts for nothing."""

    def __init__(self, env: TextEnv) -> None:
        self._env = env
        self.metadata: dict[str, Any] = {"name": env.table.scenario.name, "render_modes": []}
        super().__init__(env.possible_seats, AnyText(), AnyText(), None)

    def begin(self, seed: int) -> tuple[dict[Seat, str], Infos]:
        self._env.reset(seed)
        now = self._outcome(self._env.latest)
        return now.observations, now.infos

    def advance(self, actions: Mapping[Seat, str]) -> EnvStep:
        asked = self._env.latest.observations
        return self._outcome(self._env.step({seat: actions[seat] for seat in asked}) if asked else self._env.latest)

    def _outcome(self, step: TextStep) -> EnvStep:
        observations = {seat: step.observations.get(seat, "") for seat in self.possible_agents}
        rewards = {seat: step.rewards.get(seat, 0.0) for seat in self.possible_agents}
        infos: Infos = {seat: dict(step.infos[seat]) for seat in self.possible_agents}
        return EnvStep(observations, rewards, step.done and not is_cut(step), is_cut(step), infos)

    def rendered(self) -> None:
        """Nothing is drawn."""

    def close(self) -> None:
        self._env.close()

    def __reduce__(self) -> NoReturn:
        self._env.__reduce__()


class AecTextEnv(AECEnv):  # type: ignore[misc]
    """One seat replies at a time, in the order of the seats; the world goes on once all that are asked have replied."""

    def __init__(self, env: TextEnv) -> None:
        super().__init__()
        self._env, self.render_mode = env, None
        self.metadata: dict[str, Any] = {"name": env.table.scenario.name, "render_modes": []}
        self.possible_agents, self.agents = list(env.possible_seats), list[Seat]()
        self.observation_spaces = {seat: AnyText() for seat in self.possible_agents}
        self.action_spaces = {seat: AnyText() for seat in self.possible_agents}

    def observation_space(self, agent: Seat) -> AnyText:
        return self.observation_spaces[agent]

    def action_space(self, agent: Seat) -> AnyText:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self._env.reset(seed)
        self.agents = self.possible_agents.copy()
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._take_in(self._env.latest)

    def step(self, action: str | None) -> None:
        seat = self.agent_selection
        if self.terminations[seat] or self.truncations[seat]:
            self._was_dead_step(action)
            return
        taken = self._env.step({seat: "" if action is None else action})
        self._cumulative_rewards[seat] = 0.0
        self._take_in(taken)

    def _take_in(self, step: TextStep) -> None:
        """The seat that replies next is the first that is asked; once nobody is, each in turn leaves."""
        self.agent_selection = next(iter(step.observations), self.agents[0])
        self.rewards = {seat: step.rewards.get(seat, 0.0) for seat in self.agents}
        self.terminations = dict.fromkeys(self.agents, step.done and not is_cut(step))
        self.truncations = dict.fromkeys(self.agents, is_cut(step))
        self.infos = {seat: dict(step.infos[seat]) for seat in self.agents}
        self._accumulate_rewards()

    def observe(self, agent: Seat) -> str:
        """The question that waits for a reply of a seat; empty if none does."""
        return self._env.latest.observations.get(agent, "")

    def render(self) -> None:
        """Nothing is drawn."""

    def close(self) -> None:
        self._env.close()

    def __reduce__(self) -> NoReturn:
        self._env.__reduce__()
