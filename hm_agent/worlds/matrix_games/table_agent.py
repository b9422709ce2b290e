"""Agents of matrix games that ask no model: what all of them share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from random import Random

from hm_agent.core import Agent, Decision, Observation
from hm_agent.worlds.matrix_games.views import RoundView
from hm_agent.worlds.matrix_games.world import MatrixGameWorld


@dataclass(frozen=True)
class RuleOdds:
    """What an agent believes before a round. rule: the likeliest rule of the opponent. chance: its probability."""

    rule: str
    chance: float


class TableAgent(Agent[RoundView, str]):
    """Chooses an action by its number. seed: of its random numbers."""

    def __init__(self, world: MatrixGameWorld, seed: int) -> None:
        self._world, self._rng = world, Random(f"agent/{seed}")

    async def act(self, observation: Observation[RoundView]) -> Decision[str]:
        view = observation.view
        action, state = self.choose(view)
        return Decision(view.side.actions[action], state=state)

    @abstractmethod
    def choose(self, view: RoundView) -> tuple[int, RuleOdds | None]:
        """The action's number, and the belief that it follows from."""
