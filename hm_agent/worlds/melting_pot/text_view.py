"""What a player sees in words, for agents that show a model prompts of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.core import Seat
from hm_agent.suite import AgentSetup
from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.perception.sprites import Pixels


def reader_of(scenario: Scenario, seat: Seat) -> Callable[[Pixels, int], str]:
    """What puts every frame of a seat's player into words, in order, from it and the own move before it."""
    slot = slot_of(seat)
    return kind_of(scenario.game).reader(scenario.game_of(slot), slot, is_column=scenario.is_column(slot))


class TextView:
    """Puts the frames of one seat into words, one after the other in an episode."""

    def __init__(self, setup: AgentSetup) -> None:
        self._reader = reader_of(scenario_named(setup.scenario.name), setup.seat)

    def see(self, view: Mapping[str, Any], action: int) -> str:
        """What is in view, and where: by cell on the map (`TextualMap.describe`), or as a grid in an open game.

        It takes every view of the episode, in order. action: the own one since the view before, 0 at the first.
        """
        return self._reader(view["RGB"], action)
