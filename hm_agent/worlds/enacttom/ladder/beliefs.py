"""What an agent believes of the house itself: for each thing, what it saw or was told last."""

from __future__ import annotations

from collections.abc import Iterable

from hm_agent.worlds.enacttom.house.views import Briefing, HouseView
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    FLOOR,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    PLACE,
    SLOTS,
    Proposition,
)

Slot = tuple[str, str]


class HouseBeliefs:
    """Each slot, e.g. the place of the cup, holds at most one proposition.

    inferred: those that the agent neither saw nor was told, but brought about by a handle whose effect it knows.
    visited: rooms. looked_into: furniture that it saw open.
    """

    def __init__(self, briefing: Briefing) -> None:
        self._me, self._plan = briefing.agent, briefing.plan
        self._slots: dict[Slot, Proposition] = {}
        self.inferred: set[Proposition] = set()
        self.visited: set[str] = set()
        self.looked_into: set[str] = set()

    def take(self, one: Proposition) -> None:
        """Believes what was seen or told; what says nothing of the state of the house is left out."""
        if one.predicate in SLOTS:
            self._slots[_slot(one)] = one
            self.inferred.discard(one)

    def infer(self, one: Proposition) -> None:
        """Believes what must follow from an action of its own."""
        if self.holds(one) is not True:
            self._slots[_slot(one)] = one
            self.inferred.add(one)

    def look(self, view: HouseView) -> None:
        """Takes in what is seen, and gives up what would be seen if it were so."""
        for one in view.sees:
            self.take(one)
        for slot, one in list(self._slots.items()):
            if one not in view.sees and self._would_see(one, view):
                del self._slots[slot]
        self.visited.add(view.room)
        self.looked_into.update(one.arguments[0] for one in view.sees if one.predicate == IS_OPEN)

    def _would_see(self, one: Proposition, view: HouseView) -> bool:
        what = one.arguments
        if one.predicate in (AGENT_IN_ROOM, IS_IN_ROOM):
            return what[1] == view.room
        if one.predicate == IS_HELD_BY:
            return Proposition(AGENT_IN_ROOM, (what[1], view.room)) in view.sees
        if one.predicate == IS_ON_FLOOR:
            return self._slots.get((FLOOR, what[0])) == Proposition(IS_IN_ROOM, (what[0], view.room))
        if one.predicate in (IS_ON_TOP, IS_INSIDE) and self._plan.furniture[what[1]] == view.room:
            return one.predicate == IS_ON_TOP or Proposition(IS_OPEN, (what[1],)) in view.sees
        return False

    def holds(self, one: Proposition) -> bool | None:
        """Whether something is believed to be so; None if nothing is believed of it."""
        if one.predicate == IS_IN_ROOM:
            room = self.room_of(one.arguments[0])
            return None if room is None else room == one.arguments[1]
        known = self._slots.get(_slot(one)) if one.predicate in SLOTS else None
        return None if known is None else known == one

    def knows(self, one: Proposition) -> bool:
        """True if it was seen or told, and not only inferred, and nothing speaks against it since."""
        return self.holds(one) is True and one not in self.inferred

    def room_of(self, thing: str) -> str | None:
        """The room in which an object lies; an empty text if it is held, None if that is not known."""
        place = self.place_of(thing)
        if place and place.predicate == IS_HELD_BY:
            return ""
        if place and place.predicate in (IS_ON_TOP, IS_INSIDE):
            return self._plan.furniture[place.arguments[1]]
        floor = self._slots.get((FLOOR, thing))
        return floor.arguments[1] if floor else None

    def place_of(self, thing: str) -> Proposition | None:
        return self._slots.get((PLACE, thing))

    def all(self) -> Iterable[Proposition]:
        return self._slots.values()

    def objects(self) -> tuple[str, ...]:
        """Every object whose place is believed to be known, in order of their names."""
        return tuple(sorted(name for kind, name in self._slots if kind == PLACE))


def _slot(one: Proposition) -> Slot:
    return SLOTS[one.predicate], one.arguments[0]
