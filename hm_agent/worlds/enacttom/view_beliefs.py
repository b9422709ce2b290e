"""What one agent may believe from its views and from the claims that messages tell it; it never gets the truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hm_agent.worlds.enacttom.commands import CLOSE_IT, COMMUNICATE, OPEN_IT, PLACE
from hm_agent.worlds.enacttom.knowledge import weaker
from hm_agent.worlds.enacttom.propositions import (
    AGENT_IN_ROOM,
    HAND_EMPTY,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    IS_RESTRICTED,
    MECHANIC,
    MOST_DEPTH,
    WANTED,
    Claim,
    Proposition,
    claim,
)
from hm_agent.worlds.enacttom.runtime import OutcomeKind
from hm_agent.worlds.enacttom.views import Briefing, HouseView

PLACES = (IS_ON_TOP, IS_INSIDE, IS_ON_FLOOR, IS_HELD_BY, IS_IN_ROOM)
"""The predicates that say where an object is."""
LASTING = (WANTED, *MECHANIC)
"""The predicates of facts that do not change in an episode."""


@dataclass(frozen=True)
class Tidings:
    """What a message said in claims. group: its sender and its addressees."""

    sender: str
    group: tuple[str, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Beliefs:
    """What an agent believes after a view.

    so: what it takes to be so now. facts: goals and mechanics that it knows of. known: who knows what, as it believes;
    the first knower of each is another agent. visited: the rooms it has been in. looked_into: the furniture that it has
    seen open. placed: the objects that it has put somewhere.
    """

    so: frozenset[Proposition] = frozenset()
    facts: frozenset[Proposition] = frozenset()
    known: frozenset[Claim] = frozenset()
    visited: frozenset[str] = frozenset()
    looked_into: frozenset[str] = frozenset()
    placed: frozenset[str] = frozenset()

    @property
    def wants(self) -> tuple[Proposition, ...]:
        """All that it knows to be wanted, in the order of its words."""
        found = (fact.goal for fact in self.facts if fact.predicate == WANTED)
        return tuple(sorted(found, key=lambda one: one.words))

    def may_enter(self, agent: str, room: str) -> bool:
        """False if the agent knows that another one can't enter a room."""
        return Proposition(IS_RESTRICTED, (agent, room)) not in self.facts

    def holds(self, one: Proposition) -> bool:
        """True if the agent knows a fact or takes something to be so."""
        return one in self.so or one in self.facts

    def knows(self, agent: str, what: Claim) -> bool:
        """True if the agent believes that another one knows a claim."""
        return claim((agent, *what.knowers), what.proposition) in self.known


class BeliefKeeper:
    """Keeps the beliefs of one agent through an episode.

    What it sees counts most; what it is told counts until it sees otherwise; the latest counts more than what came
    before. Whoever is in its room sees what it sees, and whoever gets a message knows what it says.
    """

    def __init__(self, briefing: Briefing) -> None:
        self._briefing, self._me = briefing, briefing.agent
        self._facts = {fact for fact in briefing.facts if fact.predicate in LASTING}
        self._so = set(briefing.facts) - self._facts
        self._known: set[Claim] = set()
        self._visited: set[str] = set()
        self._looked_into: set[str] = set()
        self._placed: set[str] = set()

    def read(self, view: HouseView, tidings: Iterable[Tidings]) -> Beliefs:
        """Takes in a view and what messages said since the one before, the agent's own among them."""
        for told in tidings:
            self._hear(told)
        self._look(view)
        self._notice_own_action(view)
        return Beliefs(
            frozenset(self._so),
            frozenset(self._facts),
            frozenset(self._known),
            frozenset(self._visited),
            frozenset(self._looked_into),
            frozenset(self._placed),
        )

    # Messages

    def _hear(self, told: Tidings) -> None:
        for one in told.claims:
            if told.sender != self._me:
                self._take(one.proposition)
            for less in weaker(one):
                self._share(told.group, less)

    def _take(self, one: Proposition) -> None:
        """Believes something that was told."""
        if one.predicate in LASTING:
            self._facts.add(one)
        elif one not in self._so:
            self._forget(other for other in self._so if _excludes(one, other, self._briefing))
            self._so.add(one)

    def _share(self, group: Sequence[str], what: Claim) -> None:
        """Notes that a claim is known in a group, and that its members know that of each other."""
        if what.depth:
            self._note(what)
        for one in group:
            self._note(claim((one, *what.knowers), what.proposition))
            for other in group:
                self._note(claim((one, other, *what.knowers), what.proposition))

    def _note(self, what: Claim) -> None:
        if what.knowers[0] != self._me and what.depth <= MOST_DEPTH:
            self._known.add(what)

    # Sight

    def _look(self, view: HouseView) -> None:
        room, sees = view.room, view.sees
        self._forget(one for one in self._so if one not in sees and self._would_see(one, view))
        for one in sees:
            self._forget(other for other in self._so if other not in sees and _excludes(one, other, self._briefing))
        self._so |= sees
        self._visited.add(room)
        self._looked_into |= {one.arguments[0] for one in sees if one.predicate == IS_OPEN}
        present = [one.arguments[0] for one in sees if one.predicate == AGENT_IN_ROOM and one.arguments[0] != self._me]
        if present:
            for one in sees:
                if one.predicate not in (AGENT_IN_ROOM, HAND_EMPTY, IS_IN_ROOM):
                    self._share((*present, self._me), Claim((), one))

    def _would_see(self, one: Proposition, view: HouseView) -> bool:
        """True if the agent would see this now if it were so."""
        room, what = view.room, one.arguments
        if one.predicate in (AGENT_IN_ROOM, IS_IN_ROOM):
            return what[-1] == room
        if one.predicate in (HAND_EMPTY, IS_HELD_BY):
            return Proposition(AGENT_IN_ROOM, (what[-1], room)) in view.sees
        if one.predicate == IS_ON_FLOOR:
            return Proposition(IS_IN_ROOM, (what[0], room)) in self._so
        is_here = self._briefing.plan.furniture.get(what[-1]) == room
        return is_here and (one.predicate != IS_INSIDE or Proposition(IS_OPEN, (what[1],)) in view.sees)

    def _forget(self, gone: Iterable[Proposition]) -> None:
        """Believes some things no more, nor that anybody knows them."""
        lost = set(gone)
        if lost:
            self._so -= lost
            self._known = {one for one in self._known if one.proposition not in lost}

    def _notice_own_action(self, view: HouseView) -> None:
        """Draws conclusions from how the agent's latest action went: a handle without effect turns the other way."""
        if view.outcome is None or view.outcome.command.verb == COMMUNICATE:
            return
        command, is_done = view.outcome.command, view.outcome.kind is OutcomeKind.DONE
        if command.verb == PLACE and is_done:
            self._placed.add(command.arguments[0])
        expected = {OPEN_IT: IS_CLOSED, CLOSE_IT: IS_OPEN}.get(command.verb)
        had_no_effect = expected is not None and view.outcome.kind is OutcomeKind.FAILED
        if had_no_effect and Proposition(str(expected), command.arguments) in view.sees:
            self._facts.add(Proposition(IS_INVERSE, command.arguments))


def _excludes(one: Proposition, other: Proposition, briefing: Briefing) -> bool:
    """True if both can't be so at the same time, the second being of what is believed."""
    if one == other or one.arguments[0] != other.arguments[0]:
        return False
    if one.predicate in (IS_OPEN, IS_CLOSED):
        return other.predicate in (IS_OPEN, IS_CLOSED)
    if one.predicate == AGENT_IN_ROOM:
        return other.predicate == AGENT_IN_ROOM
    if one.predicate not in PLACES or other.predicate not in PLACES:
        return False
    if IS_IN_ROOM in (one.predicate, other.predicate):
        rooms = {room for each in (one, other) for room in _rooms(each, briefing)}
        return len(rooms) > 1 or IS_HELD_BY in (one.predicate, other.predicate)
    return True


def _rooms(one: Proposition, briefing: Briefing) -> Iterator[str]:
    """The room that a place is in, as far as it says so."""
    if one.predicate == IS_IN_ROOM:
        yield one.arguments[1]
    elif one.predicate in (IS_ON_TOP, IS_INSIDE) and one.arguments[1] in briefing.plan.furniture:
        yield briefing.plan.furniture[one.arguments[1]]
