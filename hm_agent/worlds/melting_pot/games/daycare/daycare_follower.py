"""Carries out a plan in daycare, where a grasp works only after a step without one."""

from __future__ import annotations

from enum import IntEnum

from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import BANANA
from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat
from hm_agent.worlds.melting_pot.games.open.calls import UseAction
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Move, Pose


class DaycareFollower(OpenFollower):
    """Follows plans, and interrupts them when the hand fills or empties unasked, and when a child sees a banana."""

    def __init__(self, notes: OpenNotes, actions: type[IntEnum]) -> None:
        super().__init__(notes, actions)
        self._latest = self._actions(Move.NOOP)
        self._held: str | None = None
        self._sees_banana = False

    def _news(self, situation: OpenSeat) -> str | None:
        assert isinstance(situation, DaycareSeat)
        before, self._held = self._held, situation.held
        is_near = any(known.kind == BANANA and not known.cells[0][1] for known in situation.things)
        is_new = situation.is_child and is_near and not self._sees_banana and situation.held is None
        self._sees_banana = is_near
        is_asked = isinstance(self.current, UseAction) and not (situation.is_child and situation.held)
        if before != situation.held and not is_asked:
            return phrase("melting_pot/daycare/messages.j2", "hand_changed")
        return phrase("melting_pot/daycare/messages.j2", "banana_seen") if is_new else None

    def next_action(self, situation: OpenSeat) -> IntEnum | None:
        action = super().next_action(situation)
        self._latest = self._actions(Move.NOOP) if action is None else action
        return action

    def _use(self, call: UseAction, seat: OpenSeat, pose: Pose) -> IntEnum:
        """As any use; a grasp right after another waits a step, as it would have no effect."""
        done = self._done
        action = super()._use(call, seat, pose)
        if action == self._latest == self._by_name.get("grasp"):
            self._done = done
            return self._actions(Move.NOOP)
        return action
