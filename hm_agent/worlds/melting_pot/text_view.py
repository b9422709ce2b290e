"""What a player sees in words, for agents that show a model prompts of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hm_agent.catalogue.suite import AgentSetup
from hm_agent.core import Observation, Seat
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.game import LED
from hm_agent.worlds.melting_pot.games.kind import Reader
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named


def reader_of(scenario: Scenario, seat: Seat) -> Reader:
    """What puts what the player of a seat sees into words."""
    slot = scenario.slot_of(seat)
    return kind_of(scenario.game).reader(scenario.game_of(slot), slot, is_column=scenario.is_column(slot))


class TextView:
    """Puts what one seat sees into words, step by step in an episode."""

    def __init__(self, setup: AgentSetup) -> None:
        self._reader = reader_of(scenario_named(setup.scenario.name), setup.seat)
        self._step = 0
        self._led: int | None = None

    def see(self, view: Mapping[str, Any], action: int, reward: float = 0.0) -> str:
        """What is in view, and where: by cell on the map (`TextualMap.describe`).

        In an open game the view is a grid, and what is remembered and was noticed of the others is told, too. It takes
        every view of the episode, in order. action, reward: the own ones since the view before, 0 at the first; while
        the world leads the seat (`LED`), its move counts in place of the action.
        """
        observation, moved = Observation(self._step, view, reward), action if self._led is None else self._led
        self._step += 1
        self._led = int(view[LED]) if LED in view else None
        return self._reader(observation, moved)
