"""What the built-in reasoner understands of a situation: the ladder's beliefs, over sentences instead of data.

It reads all views of the agent once more, and in messages the sentences of the fixed form (`sentences.py`). With that
it believes, knows of others' knowledge, and plans as the ladder's agents do; what it then does, `reasoner.py` says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from hm_agent.worlds.enacttom.house.commands import COMMUNICATE, PLACE, HouseCommand, navigate
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import Briefing, HouseView
from hm_agent.worlds.enacttom.ladder.ladder_agent import HouseMind
from hm_agent.worlds.enacttom.ladder.own_plans import open_command
from hm_agent.worlds.enacttom.language.situation import HouseSituation, sent_before
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_TOP,
    IS_OPEN,
    IS_RESTRICTED,
    MIRRORS,
    WANTED,
    Claim,
    Proposition,
)
from hm_agent.worlds.enacttom.tasks.sentences import read_claims

ORDER = 3
"""How many K operators the reasoner thinks of at once: those of the deepest tasks that are generated."""


@lru_cache(64)
def understood(situation: HouseSituation) -> Understanding:
    """What follows from a situation; all questions of a turn share it."""
    return Understanding(situation)


class Understanding:
    """What follows from all that an agent has seen and read.

    mind: beliefs, known claims, facts and planner. wants: what all want, as far as the agent knows. wishes: what it
    wants for itself alone. placed: the objects that it has put somewhere. commands: those of a plan for as much of both
    as it can do alone, the wants first; reached: what is then so; missing: what it wants of others.
    """

    def __init__(self, situation: HouseSituation) -> None:
        self.view = situation.view
        self.told = self.view.briefing
        self.mind = HouseMind(_in_claims(situation.views[0]), ORDER)
        for view in situation.views:
            self.mind.perceive(_in_claims(view))
        known = sorted((one.goal for one in self.mind.facts if one.predicate == WANTED), key=lambda one: one.words)
        self.wants = [one for one in known if one not in self.told.wishes]
        self.wishes = [one for one in known if one in self.told.wishes]
        self.placed = set(_placed(situation.views))
        goals = [*sorted(self.wants, key=lambda one: not self.is_so(one)), *self.wishes]
        self.commands, self.reached = self.mind.planner.whole(self.mind.beliefs, self.mind.facts, goals)
        self.missing = [one for one in self.wants if one not in self.reached and not self.is_so(one)]

    def is_so(self, one: Proposition) -> bool:
        """True if the agent believes something to be so."""
        return self.mind.beliefs.holds(one) is True

    def place_of(self, thing: str) -> Proposition | None:
        return self.mind.beliefs.place_of(thing)

    def lacking(self, said: Iterable[Claim]) -> list[Claim]:
        """Those claims that somebody may lack whom the agent can message."""
        return [
            one
            for one in dict.fromkeys(said)
            if any(self.mind.notes.lacks(target, one) for target in self.told.targets)
        ]

    def takers(self, *rooms: str) -> list[str]:
        """The other agents that may enter all of these rooms, for all that the agent knows."""
        barred = {one.arguments for one in self.mind.facts if one.predicate == IS_RESTRICTED}
        others = (agent for agent in self.told.plan.agents if agent != self.told.agent)
        return [agent for agent in others if all((agent, room) not in barred for room in rooms)]

    # Looking for things and bringing them nearer

    def is_lost(self, one: Proposition) -> bool:
        """True if the agent may bring about something itself as soon as it knows where its object is."""
        target = _target_room(one, self.told)
        return target is not None and target not in self.told.barred and self.place_of(one.arguments[0]) is None

    def search(self) -> tuple[HouseCommand, ...]:
        """A round for objects that are wanted somewhere and whose place is unknown; empty if all is looked at.

        First through rooms that the agent has not seen, then into furniture that it has not seen open.
        """
        moved = (one.arguments[0] for one in self.missing if one.predicate in (IS_ON_TOP, IS_INSIDE, IS_HELD_BY))
        if all(self.place_of(thing) for thing in moved):
            return ()
        plan, here, beliefs = self.told.plan, self.view.room, self.mind.beliefs
        rooms = [here, *(room for room in plan.rooms if room != here and room not in self.told.barred)]
        if unseen := [room for room in rooms if room not in beliefs.visited]:
            return tuple(map(navigate, unseen))
        found: list[HouseCommand] = []
        for room in rooms:
            closed = [one for one in plan.furniture_by_room[room] if beliefs.holds(Proposition(IS_CLOSED, (one,)))]
            if new := [one for one in closed if one not in beliefs.looked_into]:
                found += [navigate(room)] if room != here else []
                found += [open_command(one, self.mind.facts) for one in new]
        return tuple(found)

    def hand_over(self) -> tuple[tuple[HouseCommand, ...], Proposition] | None:
        """How to bring an object, which only others can bring to its place, to where they can take it; and that place.

        None if there is nothing left to bring, or if another agent may bring it all the way, for all that is known.
        """
        for one in self.missing:
            target = _target_room(one, self.told)
            start = self.mind.beliefs.room_of(one.arguments[0]) or self.view.room
            if target is None or one.arguments[0] in self.placed or self.takers(start, target):
                continue
            for room in self._meeting_rooms(target):
                pieces = self.told.plan.furniture_by_room[room]
                if room != start and pieces:
                    there = Proposition(IS_ON_TOP, (one.arguments[0], pieces[0]))
                    commands, reached = self.mind.planner.whole(self.mind.beliefs, self.mind.facts, [there])
                    if there in reached and commands:
                        return commands, there
        return None

    def _meeting_rooms(self, target: str) -> list[str]:
        """The rooms in which the agent may meet one that may enter the target; where others are comes first."""
        others = {
            one.arguments[1]
            for one in self.mind.beliefs.all()
            if one.predicate == AGENT_IN_ROOM and one.arguments[0] != self.told.agent
        }
        mine = [room for room in self.told.plan.rooms if room not in self.told.barred]
        return sorted((room for room in mine if self.takers(room, target)), key=lambda room: room not in others)


def _target_room(one: Proposition, told: Briefing) -> str | None:
    """The room in which an object is wanted; None if it is not about an object."""
    if one.predicate in (IS_ON_TOP, IS_INSIDE):
        return told.plan.furniture[one.arguments[1]]
    return one.arguments[1] if one.predicate == IS_IN_ROOM and one.arguments[0] not in told.plan.furniture else None


def _placed(views: Iterable[HouseView]) -> Iterable[str]:
    """The objects that the agent has put somewhere."""
    for view in views:
        outcome = view.outcome
        if outcome and outcome.command.verb == PLACE and outcome.kind is OutcomeKind.DONE:
            yield outcome.command.arguments[0]


# Sentences as claims


def _in_claims(view: HouseView) -> HouseView:
    """The view with the claims of all messages as data: those that their sentences say, of things that there can be."""
    told, outcome = view.briefing, view.outcome
    messages = tuple(replace(one, claims=_claims(one.text, told)) for one in view.messages)
    if outcome and outcome.command.verb == COMMUNICATE and (sent := sent_before(view)):
        command = replace(outcome.command, arguments=sent.addressees, claims=_claims(sent.text, told))
        outcome = replace(outcome, command=command)
    return replace(view, messages=messages, outcome=outcome)


def _claims(text: str, told: Briefing) -> tuple[Claim, ...]:
    return tuple(one for one in read_claims(text, told.plan.agents) if _can_be(one, told))


def _can_be(said: Claim, told: Briefing) -> bool:
    """False if a claim names furniture or rooms that there are not."""
    plan = told.plan
    about = said.proposition.goal if said.proposition.predicate == WANTED else said.proposition
    last = about.arguments[-1]
    if about.predicate in (AGENT_IN_ROOM, IS_IN_ROOM, IS_RESTRICTED):
        return last in plan.rooms
    if about.predicate in (IS_ON_TOP, IS_INSIDE):
        return last in plan.furniture
    if about.predicate in (IS_OPEN, IS_CLOSED, IS_INVERSE, MIRRORS, CONTROLS):
        return set(about.arguments) <= set(plan.openable)
    return about.predicate != IS_HELD_BY or last in plan.agents
