"""Propositions about a household, and claims of who knows them: the vocabulary of the whole world."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

AGENT, ROOM, FURNITURE, OBJECT = "agent", "room", "furniture", "object"
TYPES = (AGENT, ROOM, FURNITURE, OBJECT)
MOST_DEPTH = 4
"""How deep K operators may be nested: the paper's deepest example (appendix D.1)."""


class Is:
    """All predicates; most say what or where something is."""

    IN_ROOM, ON_FLOOR, ON_TOP, INSIDE, HELD_BY = "is_in_room", "is_on_floor", "is_on_top", "is_inside", "is_held_by"
    OPEN, CLOSED, RESTRICTED, INVERSE = "is_open", "is_closed", "is_restricted", "is_inverse"
    AGENT_IN_ROOM, HAND_EMPTY, WANTED = "agent_in_room", "hand_empty", "wanted"
    CAN_COMMUNICATE, MIRRORS, CONTROLS = "can_communicate", "mirrors", "controls"
    STATES = (OPEN, CLOSED)
    ON_FURNITURE = (ON_TOP, INSIDE)
    PLACES = (*ON_FURNITURE, HELD_BY, ON_FLOOR)
    """The places that an object can have."""


PHYSICAL: dict[str, tuple[tuple[str, ...], ...]] = {
    Is.AGENT_IN_ROOM: ((AGENT,), (ROOM,)),
    Is.IN_ROOM: ((OBJECT, FURNITURE), (ROOM,)),
    Is.ON_FLOOR: ((OBJECT,),),
    Is.ON_TOP: ((OBJECT,), (FURNITURE,)),
    Is.INSIDE: ((OBJECT,), (FURNITURE,)),
    Is.HELD_BY: ((OBJECT,), (AGENT,)),
    Is.OPEN: ((FURNITURE,),),
    Is.CLOSED: ((FURNITURE,),),
}
"""The predicates of goals and initial states, with the types that each argument may have."""

OPPOSITE = {Is.OPEN: Is.CLOSED, Is.CLOSED: Is.OPEN}
STATE_SLOT, ROOM_SLOT, PLACE_SLOT, FLOOR_SLOT = "state", "room", "place", "floor"
SLOTS = {
    **dict.fromkeys(Is.STATES, STATE_SLOT),
    Is.AGENT_IN_ROOM: ROOM_SLOT,
    **dict.fromkeys(Is.PLACES, PLACE_SLOT),
    Is.IN_ROOM: FLOOR_SLOT,
}
"""For each physical predicate, the attribute of its first argument that it determines.

Of the propositions that determine the same attribute of a thing, at most one holds at any time.
"""

MECHANIC: dict[str, tuple[tuple[str, ...], ...]] = {
    Is.RESTRICTED: ((AGENT,), (ROOM,)),
    Is.CAN_COMMUNICATE: ((AGENT,), (AGENT,)),
    Is.INVERSE: ((FURNITURE,),),
    Is.MIRRORS: ((FURNITURE,), (FURNITURE,)),
    Is.CONTROLS: ((FURNITURE,), (FURNITURE,)),
}
"""The predicates by which an initial state may repeat a mechanic's binding, with the types of their arguments."""

SENTENCES = {
    Is.AGENT_IN_ROOM: "{0} is in {1}",
    Is.IN_ROOM: "{0} is in {1}",
    Is.ON_FLOOR: "{0} is on the floor",
    Is.ON_TOP: "{0} is on top of {1}",
    Is.INSIDE: "{0} is inside {1}",
    Is.HELD_BY: "{1} holds {0}",
    Is.OPEN: "{0} is open",
    Is.CLOSED: "{0} is closed",
    Is.HAND_EMPTY: "{0} holds nothing",
    Is.RESTRICTED: "{0} cannot enter {1}",
    Is.CAN_COMMUNICATE: "{0} can message {1}",
    Is.INVERSE: "{0} is reversed: Open closes it and Close opens it",
    Is.MIRRORS: "{0} and {1} always end up in the same state",
    Is.CONTROLS: "opening {0} changes {1}",
}
"""The sentence for each predicate; {0} and {1} stand for its arguments."""


@dataclass(frozen=True, slots=True)
class Proposition:
    """A statement that holds or not, e.g. is_on_top(bowl_1, table_22).

    That something is a goal is a proposition, too: wanted(is_open, cabinet_3) says that the task wants cabinet_3 open.
    """

    predicate: str
    arguments: tuple[str, ...]

    @property
    def pddl(self) -> str:
        if self.predicate == Is.WANTED:
            return f"(wanted {self.goal.pddl})"
        return f"({' '.join((self.predicate, *self.arguments))})"

    @property
    def words(self) -> str:
        if self.predicate == Is.WANTED:
            return f"by the end, {self.goal.words}".replace(" is ", " must be ", 1).replace(" holds ", " must hold ", 1)
        return SENTENCES[self.predicate].format(*self.arguments)

    @property
    def goal(self) -> Proposition:
        """The goal that a `wanted` proposition is about; not defined for other predicates."""
        return Proposition(self.arguments[0], self.arguments[1:])

    @property
    def opposite(self) -> Proposition:
        """That furniture is closed for one that says it is open, and the reverse; not defined for other predicates."""
        return Proposition(OPPOSITE[self.predicate], self.arguments)

    @property
    def things(self) -> tuple[str, ...]:
        """The names of the agents, rooms, furniture and objects that it is about."""
        return self.arguments[1:] if self.predicate == Is.WANTED else self.arguments


def wanted(goal: Proposition) -> Proposition:
    """Returns the proposition that `goal` is a goal of the task, so that claims can say who knows of it."""
    return Proposition(Is.WANTED, (goal.predicate, *goal.arguments))


def on_floors(facts: Collection[Proposition]) -> set[tuple[str, str]]:
    """The things that lie on the floor, each with the room in which it lies."""
    lying = {fact.arguments for fact in facts if fact.predicate == Is.ON_FLOOR}
    in_rooms = (fact.arguments for fact in facts if fact.predicate == Is.IN_ROOM)
    return {(thing, room) for thing, room in in_rooms if (thing,) in lying}


@dataclass(frozen=True, slots=True)
class Claim:
    """K_a K_b p for the knowers (a, b): a knows that b knows that the proposition p holds. Without knowers, p itself.

    Knowers are listed from the outside in, and none follows itself: K_a K_a p is K_a p.
    """

    knowers: tuple[str, ...]
    proposition: Proposition

    @property
    def depth(self) -> int:
        return len(self.knowers)

    @property
    def inner(self) -> Claim:
        """What its outermost knower knows."""
        return Claim(self.knowers[1:], self.proposition)

    @property
    def pddl(self) -> str:
        return "".join(f"(K {agent} " for agent in self.knowers) + self.proposition.pddl + ")" * self.depth

    @property
    def words(self) -> str:
        return "".join(f"{agent} knows that " for agent in self.knowers) + self.proposition.words


def normalised_claim(knowers: Iterable[str], proposition: Proposition) -> Claim:
    """Returns the claim with knowers that follow themselves merged, since K_a K_a p is K_a p."""
    shortest: list[str] = []
    for agent in knowers:
        if not shortest or shortest[-1] != agent:
            shortest.append(agent)
    return Claim(tuple(shortest), proposition)
