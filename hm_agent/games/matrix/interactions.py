"""Interactions of the matrix games, as the focal player can tell them from what it is permitted to see."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.core import Counts, Event, Observation
from hm_agent.grid import Pose
from hm_agent.perception.textual_map import Sight, TextualMap
from hm_agent.perception.view import Window


@dataclass(frozen=True, slots=True)
class Interaction(Event):
    """An interaction that has paid: what was held oneself, what came of it, and with whom.

    shown: how much of each resource was collected before the partner's eyes since the interaction before.
    """

    is_interaction = True
    partner: str
    own: Counts
    reward: float
    shown: Counts

    def describe(self) -> str:
        return f"interaction with {self.partner}, holding {self.own}, reward {self.reward:+.2f}"


def inventory_of(observation: Observation) -> Counts:
    """The own inventory, in the game's order of resources."""
    return tuple(map(int, observation.fields["INVENTORY"].tolist()))


class InteractionReader:
    """Follows one episode's frames and says when an interaction has paid.

    From the frame after the zap the own avatar wears the mark of an interaction; both players are frozen until the
    reward comes and they are taken off the map.
    """

    def __init__(self, interacting_mark: str, initial: Counts, partner: str, window: Window) -> None:
        self._mark, self._initial, self._partner, self._window = interacting_mark, initial, partner, window
        self._held = initial
        self._shown: Counts = (0,) * len(initial)
        self._reward: float | None = None

    def read(self, observation: Observation, view: TextualMap) -> tuple[Event, ...]:
        self._remember(inventory_of(observation), view)
        if view.mark == self._mark:
            self._reward = (self._reward or 0.0) + observation.reward
        elif self._reward is not None:
            return (self._conclude(observation.step, self._reward + observation.reward),)
        return ()

    def _remember(self, inventory: Counts, view: TextualMap) -> None:
        # The zapper's inventory is reset at the zap if it wins, 17 steps before its reward: so the last one counts that
        # shows something collected. Without that nobody can interact.
        if inventory == self._initial:
            return
        if any(self._is_watching(player, view.pose) for player in view.players):
            taken = (max(0, now - before) for now, before in zip(inventory, self._held, strict=True))
            self._shown = tuple(count + more for count, more in zip(self._shown, taken, strict=True))
        self._held = inventory

    def _is_watching(self, player: Sight, pose: Pose | None) -> bool:
        if pose is None or player.cell is None or player.facing is None:
            return False
        return self._window.shows(Pose(*player.cell, player.facing), pose.cell)

    def _conclude(self, step: int, reward: float) -> Interaction:
        event = Interaction(step, self._partner, self._held, reward, self._shown)
        self._held, self._reward = self._initial, None
        self._shown = (0,) * len(self._initial)
        return event
