"""What an agent believes about the house: for each thing, what it saw or was told last."""

from __future__ import annotations

from collections.abc import Iterable

from hm_agent.worlds.enacttom.house.views import Briefing, HouseView
from hm_agent.worlds.enacttom.tasks.propositions import FLOOR_SLOT, PLACE_SLOT, SLOTS, Is, Proposition

Slot = tuple[str, str]


class HouseBeliefs:
    """An agent's beliefs by slot, e.g. the place of the cup; a slot holds at most one proposition.

    inferred: those that the agent neither saw nor was told, but concluded from its own actions. visited: the rooms in
    which it was. looked_into: the furniture that it saw open.
    """

    def __init__(self, briefing: Briefing) -> None:
        self._me, self._plan = briefing.agent, briefing.plan
        self._slots: dict[Slot, Proposition] = {}
        self.inferred: set[Proposition] = set()
        self.visited: set[str] = set()
        self.looked_into: set[str] = set()

    def take(self, proposition: Proposition) -> None:
        """Believes what was seen or told, if it is about the state of the house."""
        if proposition.predicate in SLOTS:
            self._slots[_slot(proposition)] = proposition
            self.inferred.discard(proposition)

    def infer(self, proposition: Proposition) -> None:
        """Believes what must follow from the agent's own action."""
        if self.holds(proposition) is not True:
            self._slots[_slot(proposition)] = proposition
            self.inferred.add(proposition)

    def look(self, view: HouseView) -> None:
        """Believes what the agent sees, and drops beliefs that it would see if they held."""
        for seen in view.sees:
            self.take(seen)
        refuted = [
            slot for slot, belief in self._slots.items() if belief not in view.sees and self._would_see(belief, view)
        ]
        for slot in refuted:
            del self._slots[slot]
        self.visited.add(view.room)
        self.looked_into.update(seen.arguments[0] for seen in view.sees if seen.predicate == Is.OPEN)

    def _would_see(self, proposition: Proposition, view: HouseView) -> bool:
        """True if the agent would now see a proposition if it held."""
        arguments = proposition.arguments
        if proposition.predicate in (Is.AGENT_IN_ROOM, Is.IN_ROOM):
            return arguments[1] == view.room
        if proposition.predicate == Is.HELD_BY:
            return Proposition(Is.AGENT_IN_ROOM, (arguments[1], view.room)) in view.sees
        if proposition.predicate == Is.ON_FLOOR:
            return self._slots.get((FLOOR_SLOT, arguments[0])) == Proposition(Is.IN_ROOM, (arguments[0], view.room))
        if proposition.predicate in Is.ON_FURNITURE and self._plan.furniture[arguments[1]] == view.room:
            return proposition.predicate == Is.ON_TOP or Proposition(Is.OPEN, (arguments[1],)) in view.sees
        return False

    def holds(self, proposition: Proposition) -> bool | None:
        """Returns whether a proposition is believed to hold; None if nothing is believed about it."""
        if proposition.predicate == Is.IN_ROOM:
            room = self.room_of(proposition.arguments[0])
            return None if room is None else room == proposition.arguments[1]
        belief = self._slots.get(_slot(proposition)) if proposition.predicate in SLOTS else None
        return None if belief is None else belief == proposition

    def knows(self, proposition: Proposition) -> bool:
        """True if a proposition is believed, and was seen or told, not only inferred."""
        return self.holds(proposition) is True and proposition not in self.inferred

    def room_of(self, thing: str) -> str | None:
        """Returns the room in which an object lies; an empty text if it is held, None if that is not known."""
        place = self.place_of(thing)
        if place and place.predicate == Is.HELD_BY:
            return ""
        if place and place.predicate in Is.ON_FURNITURE:
            return self._plan.furniture[place.arguments[1]]
        floor = self._slots.get((FLOOR_SLOT, thing))
        return floor.arguments[1] if floor else None

    def place_of(self, thing: str) -> Proposition | None:
        """Returns the believed proposition on where an object is, without its room; None if there is none."""
        return self._slots.get((PLACE_SLOT, thing))

    def all(self) -> Iterable[Proposition]:
        return self._slots.values()

    def objects(self) -> tuple[str, ...]:
        """Returns the objects about whose place there is a belief, sorted by name."""
        return tuple(sorted(name for kind, name in self._slots if kind == PLACE_SLOT))


def _slot(proposition: Proposition) -> Slot:
    return SLOTS[proposition.predicate], proposition.arguments[0]
