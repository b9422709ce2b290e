"""What questions show of a parent or a child, how that is found out, and how its plans are carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import BANANA, CHILD, LOOSE, PARENT
from hm_agent.worlds.melting_pot.games.daycare.hands import FruitKnown, HandWatch
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.calls import UseAction
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell, Move, Pose

MOST_FRUIT = 6
"""How many fruits questions tell of, the latest first."""


@dataclass(frozen=True)
class DaycareSeat(OpenSeat):
    """What a parent or a child knows at a step.

    is_child: which of the two it is. held, other_held: the fruit in the own hand and in the other's, which is at
    other_hand. grown: where the own one grows. fruit: those that somebody had to do with. child_ate, given_at: the
    latest steps in which the child was seen to eat and was given something; -1 before the first.
    """

    blocks = "melting_pot/daycare/blocks.j2"

    is_child: bool
    held: str | None
    grown: Cell | None
    other_held: str | None
    other_hand: Cell | None
    fruit: tuple[FruitKnown, ...]
    child_ate: int
    given_at: int

    @property
    def other(self) -> str:
        return PARENT if self.is_child else CHILD

    @property
    def fruit_shown(self) -> list[FruitKnown]:
        """The fruit that questions show: for a parent, whose own takes tell nothing, those that the child minds."""
        told = [each for each in self.fruit if self.is_child or each.other or each.given or each.eaten]
        return sorted(told, key=lambda each: (-max(each.when, each.given_at), each.cell))[:MOST_FRUIT]

    def known(self, cell: Cell) -> FruitKnown:
        """What is known of the fruit that grows in a cell."""
        return next((each for each in self.fruit if each.cell == cell), FruitKnown(cell))


class DaycareNotes(OpenNotes):
    """Perceives and remembers for a parent or a child."""

    seat_class = DaycareSeat
    _watch: HandWatch

    def _watching(self) -> HandWatch:
        return HandWatch(self.own_name)

    def read(self, observation: Observation[View]) -> list[Event]:
        events = list(super().read(observation))
        for cell in self._watch.let_go:
            if self.memory.things.get(cell, ("",))[0] in LOOSE:
                self.memory.things.pop(cell)
        return events

    def _more(self) -> Mapping[str, Any]:
        held = self._watch.held
        own, other = held.get(self.own_name), next((held[name] for name in held if name != self.own_name), None)
        return {
            "is_child": self.own_name == CHILD,
            "held": own.fruit if own else None,
            "grown": own.grown if own else None,
            "other_held": other.fruit if other else None,
            "other_hand": other.cell if other else None,
            "fruit": tuple(replace(each) for each in self._watch.fruit.values()),
            "child_ate": self._watch.child_ate,
            "given_at": self._watch.given_at,
        }


class DaycareFollower(OpenFollower):
    """Follows plans, and interrupts them when the hand fills or empties unasked, and when a child sees a banana.

    A grasp works only after a step without one.
    """

    _latest: IntEnum = Move.NOOP
    _held: str | None = None
    _sees_banana = False

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
        self._latest = Move.NOOP if action is None else action
        return action

    def _use(self, call: UseAction, seat: OpenSeat, pose: Pose) -> IntEnum:
        """As any use; a grasp right after another waits a step, as it would have no effect."""
        times = self._times
        action = super()._use(call, seat, pose)
        if action == self._latest == self._by_name["grasp"]:
            self._times = times
            return self._actions(Move.NOOP)
        return action
