"""What a player sees in words, for agents that show a model prompts of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hm_agent.suite import AgentSetup
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
from hm_agent.worlds.melting_pot.scenarios import scenario_named


class TextView:
    """Puts the frames of one seat into words, one after the other in an episode."""

    def __init__(self, setup: AgentSetup) -> None:
        from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

        scenario, slot = scenario_named(setup.scenario.name), setup.scenario.seats.index(setup.seat)
        vision = vision_of(scenario.game.short_name, slot, is_column=scenario.is_column(slot))
        self._perceiver = Perceiver(vision)
        self._kinds = tuple(dict.fromkeys(vision.roles.kinds.values()))

    def see(self, view: Mapping[str, Any], action: int) -> str:
        """The own cell and facing, and the cells of all things and players in view (`TextualMap.describe`).

        It takes every view of the episode, in order. action: the own one since the view before, 0 at the first.
        """
        return self._perceiver.see(view["RGB"], action).describe(self._kinds)
