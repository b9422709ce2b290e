"""What a player sees in words, for agents that show a model prompts of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hm_agent.suite import AgentSetup
from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.scenarios import scenario_named


class TextView:
    """Puts the frames of one seat into words, one after the other in an episode."""

    def __init__(self, setup: AgentSetup) -> None:
        scenario, slot = scenario_named(setup.scenario.name), slot_of(setup.seat)
        self._reader = kind_of(scenario.game).reader(scenario.game_of(slot), slot, is_column=scenario.is_column(slot))

    def see(self, view: Mapping[str, Any], action: int) -> str:
        """What is in view, and where: by cell on the map (`TextualMap.describe`), or as a grid in an open game.

        It takes every view of the episode, in order. action: the own one since the view before, 0 at the first.
        """
        return self._reader(view["RGB"], action)
