"""Interactions of the matrix games, as the focal player can tell them from what it is permitted to see."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.core import Counts, Event, Observation
from hm_agent.worlds.melting_pot.facts import INTERACTING
from hm_agent.worlds.melting_pot.games.matrix.partners import Partners
from hm_agent.worlds.melting_pot.grid import Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.perception.view import Window


@dataclass(frozen=True, slots=True)
class InteractionEvent(Event):
    """An interaction that has paid: what was held oneself, what came of it, and with whom, None if that is unknown.

    shown: how much of each resource was collected before the partner's eyes since the interaction before.
    """

    is_interaction = True
    partner: str | None
    own: Counts
    reward: float
    shown: Counts

    def describe(self) -> str:
        return f"interaction with {self.partner or 'somebody'}, holding {self.own}, reward {self.reward:+.2f}"


def inventory_of(observation: Observation) -> Counts:
    """The own inventory, in the game's order of resources."""
    return tuple(map(int, observation.fields["INVENTORY"].tolist()))


class InteractionReader:
    """Follows one episode's frames and says when an interaction has paid.

    From the frame after the zap the own avatar wears the mark of an interaction; both players are frozen until the
    reward comes and they are taken off the map.
    """

    def __init__(self, initial: Counts, window: Window, partners: Partners) -> None:
        """initial: what everybody starts with."""
        self._initial, self._window, self._partners = initial, window, partners
        self._held = initial
        self._poses: dict[str, Pose] = {}
        """Where the players in view stood a frame ago, as far as they were."""
        self._shown: dict[str, Counts] = {}
        self._partner: str | None = None
        self._reward: float | None = None

    def read(self, observation: Observation, view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        """memory: with this frame taken in."""
        self._remember(inventory_of(observation), view)
        self._poses = {player.kind: player.pose for player in view.players if player.pose}
        fresh = self._partners.read(view)
        if view.mark == INTERACTING:
            if self._reward is None:
                self._partner = self._partners.find(fresh, view, memory)
            self._reward = (self._reward or 0.0) + observation.reward
        elif self._reward is not None:
            return (self._conclude(observation.step, self._reward + observation.reward),)
        return ()

    def _remember(self, inventory: Counts, view: TextualMap) -> None:
        # The zapper's inventory is reset at the zap if it wins, 17 steps before its reward: so the last one counts that
        # shows something collected. Without that nobody can interact.
        if inventory == self._initial:
            return
        taken = tuple(max(0, now - before) for now, before in zip(inventory, self._held, strict=True))
        for player in view.players:
            if any(taken) and self._is_watching(player, view.pose):
                before = self._shown.get(player.kind, (0,) * len(taken))
                self._shown[player.kind] = tuple(count + more for count, more in zip(before, taken, strict=True))
        self._held = inventory

    def _is_watching(self, player: Detection, pose: Pose | None) -> bool:
        """Whether a player has seen one take what lay here: it must have had it in view the moment before, too."""
        if pose is None or player.pose is None:
            return False
        before = self._poses.get(player.kind, player.pose)
        return self._window.shows(before, pose.cell) and self._window.shows(player.pose, pose.cell)

    def _conclude(self, step: int, reward: float) -> InteractionEvent:
        shown = self._shown.get(self._partner or "", (0,) * len(self._initial))
        event = InteractionEvent(step, self._partner, self._held, reward, shown)
        self._held, self._reward, self._partner = self._initial, None, None
        self._shown.clear()
        return event
