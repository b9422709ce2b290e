"""The household as an environment of PettingZoo in which agents read and write text; needs the extra `envs`."""

from __future__ import annotations

from typing import Any, ClassVar

from gymnasium.spaces import Text
from pettingzoo import ParallelEnv

from hm_agent.core import Turn
from hm_agent.worlds.enacttom.task import HouseholdTask
from hm_agent.worlds.enacttom.views import HouseView
from hm_agent.worlds.enacttom.world import EnacttomWorld

_LETTERS = "".join(map(chr, range(32, 127))) + "\n"
MOST_VIEW, MOST_COMMAND = 20_000, 1_000
"""How long the texts of observations and actions may be, in characters."""


class EnacttomParallelEnv(ParallelEnv):  # type: ignore[misc]
    """Observations are the views as text, actions commands as text; a text that is no command is lost.

    Each agent's `info` has `commands`: the actions that can succeed for all that it sees, messages left out. The reward
    is 1 for everyone at the end if the physical goals hold then, else 0. Letters beyond ASCII become `?`.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "enacttom_v0", "render_modes": ["ansi"]}

    def __init__(self, task: HouseholdTask, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._world = EnacttomWorld(task)
        self.possible_agents = list(task.agents)
        self.agents: list[str] = []
        self._views: dict[str, HouseView] = {}
        self._spaces = {
            agent: (
                Text(MOST_VIEW, min_length=0, charset=_LETTERS),
                Text(MOST_COMMAND, min_length=0, charset=_LETTERS),
            )
            for agent in task.agents
        }

    def observation_space(self, agent: str) -> Text:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Text:
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
        """Nothing is random: every seed gives the same episode."""
        self.agents = list(self.possible_agents)
        return self._shown(self._world.reset(seed or 0))

    def step(
        self, actions: dict[str, str]
    ) -> tuple[dict[str, str], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        turn = self._world.step(actions)
        observations, infos = self._shown(turn)
        seats = self.agents
        if turn.is_over:
            self.agents = []
        ended = turn.is_over and self._world.is_solved
        return (
            observations,
            {agent: turn.rewards[agent] for agent in seats},
            dict.fromkeys(seats, ended),
            dict.fromkeys(seats, turn.is_over and not ended),
            infos,
        )

    def render(self) -> str | None:
        """What everyone sees, for `ansi`."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(f"{agent}\n{view.news_text}" for agent, view in self._views.items())

    def close(self) -> None:
        """Nothing to release."""

    def _shown(self, turn: Turn[HouseView]) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
        self._views = {agent: seen.view for agent, seen in turn.observations.items()}
        texts = {agent: view.text.encode("ascii", "replace").decode() for agent, view in self._views.items()}
        infos = {agent: {"commands": [str(one) for one in view.commands()]} for agent, view in self._views.items()}
        return texts, infos
