"""The household as an environment of PettingZoo in which agents read and write text; needs the extra `envs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gymnasium.spaces import Text

from hm_agent.core import Turn
from hm_agent.envs.parallel_episodes import EnvStep, Infos, ParallelEpisodes
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.world import EnacttomWorld

_LETTERS = "".join(map(chr, range(32, 127))) + "\n"
MOST_VIEW, MOST_COMMAND = 20_000, 1_000
"""The greatest lengths of observations and actions, in characters."""


class EnacttomParallelEnv(ParallelEpisodes):
    """Observations are the views as text, actions commands as text; a text that is no command is lost.

    Each agent's `info` has `commands`: the actions that can succeed as far as it sees, messages left out. At the end
    all agents get a reward of 1 if the physical goals hold, else 0. Letters beyond ASCII become `?`. Nothing is random:
    every seed gives the same episode.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "enacttom_v0", "render_modes": ["ansi"]}

    def __init__(self, task: HouseholdTask, render_mode: str | None = None) -> None:
        self._world = EnacttomWorld(task)
        self._views: dict[str, HouseView] = {}
        view, command = (Text(most, min_length=0, charset=_LETTERS) for most in (MOST_VIEW, MOST_COMMAND))
        super().__init__(task.seats, view, command, render_mode)

    def begin(self, seed: int) -> tuple[dict[str, str], Infos]:
        return self._shown(self._world.reset(seed))

    def advance(self, actions: Mapping[str, str]) -> EnvStep:
        turn = self._world.step(actions)
        observations, infos = self._shown(turn)
        is_solved = turn.is_over and self._world.is_solved
        return EnvStep(observations, dict(turn.rewards), is_solved, turn.is_over and not is_solved, infos)

    def rendered(self) -> str | None:
        """Returns the views of all agents as text if the mode is `ansi`, else None."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(f"{agent}\n{view.news_text}" for agent, view in self._views.items())

    def _shown(self, turn: Turn[HouseView]) -> tuple[dict[str, str], Infos]:
        self._views = {agent: observation.view for agent, observation in turn.observations.items()}
        texts = {agent: view.text.encode("ascii", "replace").decode() for agent, view in self._views.items()}
        infos = {
            agent: {"commands": [str(command) for command in view.commands()]} for agent, view in self._views.items()
        }
        return texts, infos
