"""Detects the interactions of a matrix game, and their partners, from what the agent is permitted to observe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.facts import Beam, Counts
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Pose, Window
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.beam import reaches


@dataclass(frozen=True, slots=True)
class InteractionEvent(Event):
    """An interaction whose reward has arrived. partner: None if unknown. own: the agent's inventory at the zap.

    shown: the count of each resource that the agent collected in the partner's view since its previous interaction.
    last_shown: the index of what the partner last saw the agent collect in the episode, and the step; None if it saw
    nothing.
    """

    partner: str | None
    own: Counts
    reward: float
    shown: Counts
    last_shown: tuple[int, int] | None = None

    def describe(self) -> str:
        return f"interaction with {self.partner or 'somebody'}, holding {self.own}, reward {self.reward:+.2f}"


def inventory_of(observation: Observation[View]) -> Counts:
    """The agent's own inventory, in the game's order of resources."""
    return tuple(map(int, observation.view["INVENTORY"].tolist()))


class PartnerTracker:
    """Infers the interaction partner: the only other player, or the likeliest given view and memory.

    Both players of an interaction wear its mark from the same frame on, and the beam of one reaches the other. A player
    who zapped the agent from behind is out of view; then the partner is the player most likely to have been there.
    """

    def __init__(self, layout: Layout, beam: Beam, players: Sequence[str]) -> None:
        self._layout, self._beam, self._players = layout, beam, players
        self._marked: frozenset[str] = frozenset()

    def read(self, view: TextualMap) -> frozenset[str]:
        """Returns the players in view who wear the mark of an interaction in this frame but not in the previous one."""
        marked = frozenset(player.kind for player in view.players if player.mark == INTERACTING)
        newly_marked, self._marked = marked - self._marked, marked
        return newly_marked

    def find(self, newly_marked: frozenset[str], view: TextualMap, memory: EntityMemory) -> str | None:
        """The partner of an interaction that begins with this frame; None if neither view nor memory names one.

        newly_marked: from `read`. memory: already updated with this frame.
        """
        if len(self._players) == 1:
            return self._players[0]
        if view.pose is None:
            return None
        pose = view.pose
        seen = [player for player in view.players if player.kind in newly_marked and self._may_have_hit(pose, player)]
        if seen:
            return min(seen, key=lambda player: sum(map(abs, player.offset))).kind
        return self._likeliest_out_of_view(pose, set(view.in_view), memory)

    def _may_have_hit(self, pose: Pose, player: Detection) -> bool:
        """True if the beam of either reaches the other; obstacles may have moved since, so none are considered."""
        theirs = player.pose
        assert theirs is not None
        return any(reaches(a, b.cell, self._beam, frozenset()) for a, b in ((pose, theirs), (theirs, pose)))

    def _likeliest_out_of_view(self, pose: Pose, in_view: set[Cell], memory: EntityMemory) -> str | None:
        """The player most likely to stand out of view where its beam reaches the agent; None if no player can."""
        if memory.player_belief is None:
            return None
        hidden = [cell for cell in self._cells_in_reach(pose.cell) if cell not in in_view]
        probabilities = {
            player: sum(float(memory.player_belief.of(player)[y, x]) for x, y in hidden) for player in self._players
        }
        likeliest = max(probabilities, key=lambda player: probabilities[player])
        return likeliest if probabilities[likeliest] > 0 else None

    def _cells_in_reach(self, target: Cell) -> list[Cell]:
        """The open cells from which a beam, fired in some direction, reaches a target."""
        far = range(-self._beam.length, self._beam.length + 1)
        cells = [(target[0] + dx, target[1] + dy) for dx in far for dy in far]
        return [
            cell
            for cell in cells
            if self._layout.is_open(cell)
            and any(reaches(Pose(*cell, facing), target, self._beam, self._layout.walls) for facing in Facing)
        ]


class InteractionReader:
    """Reads an episode's frames and emits an event when the reward of an interaction has arrived.

    The agent's avatar wears the mark of an interaction until the reward comes; until then both players are frozen, and
    then they are taken off the map. The first frame lacks the mark if the zapper wins, otherwise the last frame does.
    """

    def __init__(self, initial: Counts, window: Window, partners: PartnerTracker) -> None:
        """initial: the inventory with which every player starts."""
        self._initial, self._window, self._partners = initial, window, partners
        self._held = self._latest = initial
        self.is_reset = False
        """True if the latest frame shows a reset inventory but no mark: an interaction begins or ends in it."""
        self._poses: dict[str, Pose] = {}
        """The poses of the players that were in view in the previous frame."""
        self._shown: dict[str, Counts] = {}
        self.last_shown: dict[str, tuple[int, int]] = {}
        """By player, what it last saw the agent collect in the episode, by its index, and the step."""
        self._partner: str | None = None
        self._reward: float | None = None

    def read(
        self, observation: Observation[View], view: TextualMap, memory: EntityMemory
    ) -> tuple[InteractionEvent, ...]:
        """The interaction that ends with this frame, if one does. memory: already updated with this frame."""
        self._update_inventory(observation.step, inventory_of(observation), view)
        self._poses = {player.kind: player.pose for player in view.players if player.pose}
        newly_marked = self._partners.read(view)
        if view.mark == INTERACTING:
            if self._reward is None:
                self._partner = self._partners.find(newly_marked, view, memory)
            self._reward = (self._reward or 0.0) + observation.reward
        elif self._reward is not None:
            return (self._conclude(observation.step, self._reward + observation.reward),)
        return ()

    def _update_inventory(self, step: int, inventory: Counts, view: TextualMap) -> None:
        # A zapper who wins loses its inventory at the zap, 17 steps before its reward, so the last inventory with
        # something collected is the one that counts. A player who has collected nothing cannot interact.
        self.is_reset = inventory == self._initial != self._latest and view.mark != INTERACTING
        self._latest = inventory
        if inventory == self._initial:
            return
        taken = tuple(max(0, now - before) for now, before in zip(inventory, self._held, strict=True))
        for player in view.players:
            if any(taken) and self._is_watching(player, view.pose):
                before = self._shown.get(player.kind, (0,) * len(taken))
                self._shown[player.kind] = tuple(count + more for count, more in zip(before, taken, strict=True))
                self.last_shown[player.kind] = taken.index(max(taken)), step
        self._held = inventory

    def _is_watching(self, player: Detection, pose: Pose | None) -> bool:
        """True if the agent's cell is in a player's view now and was one frame ago, when the resource lay there."""
        if pose is None or player.pose is None:
            return False
        before = self._poses.get(player.kind, player.pose)
        return self._window.shows(before, pose.cell) and self._window.shows(player.pose, pose.cell)

    def _conclude(self, step: int, reward: float) -> InteractionEvent:
        shown = self._shown.get(self._partner or "", (0,) * len(self._initial))
        last_shown = self.last_shown.get(self._partner or "")
        event = InteractionEvent(step, self._partner, self._held, reward, shown, last_shown)
        self._held, self._reward, self._partner = self._initial, None, None
        self._shown.clear()
        return event
