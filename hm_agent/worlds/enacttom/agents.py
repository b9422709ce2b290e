"""The agents of this wing that ask no model: `random`, and `planner`, which is told everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from hm_agent.core import Agent, Decision, Observation
from hm_agent.questions import Usage
from hm_agent.worlds.enacttom.commands import HouseCommand
from hm_agent.worlds.enacttom.views import HouseView, broadcasts


@dataclass(frozen=True)
class HouseAgentState:
    """What recordings show of an agent: the command it chose, and of how many."""

    command: str
    choices: int


class RandomHouseAgent(Agent[HouseView, HouseCommand]):
    """Draws uniformly from the commands that can succeed for all it sees, and messages that say nothing."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseCommand]:
        view = observation.view
        choices = [*view.commands(), *broadcasts(view, "Hello.")]
        command = self._rng.choice(choices)
        return Decision(command, state=HouseAgentState(str(command), len(choices)))

    @property
    def usage(self) -> Usage:
        return Usage()

    def metrics(self) -> Mapping[str, float]:
        return {}
