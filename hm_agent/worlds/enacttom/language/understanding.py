"""What the built-in reasoner infers from a situation: the beliefs and plans of a ladder agent, from plain messages.

It reads all views of the agent again and turns the sentences of fixed form in messages (`sentences.py`) into claims.
From these it believes, knows what others know, and plans as the ladder's agents do; `reasoner.py` decides by that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import Briefing, HouseView
from hm_agent.worlds.enacttom.ladder.character_model import CharacterModel
from hm_agent.worlds.enacttom.ladder.ladder_agent import HouseMind
from hm_agent.worlds.enacttom.ladder.own_plans import search
from hm_agent.worlds.enacttom.language.situation import HouseSituation
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition
from hm_agent.worlds.enacttom.tasks.sentences import read_claims

ORDER = 3
"""How many nested K operators the reasoner handles: as many as the deepest generated tasks have."""


@lru_cache(64)
def understanding_of(situation: HouseSituation) -> Understanding:
    """Returns what follows from a situation; cached, since all questions of a turn share it."""
    return Understanding(situation)


@lru_cache(64)
def character_model_of(situation: HouseSituation) -> CharacterModel | None:
    """What the agent takes to be possible among characters, whose rules it was told; None where there are none."""
    if not situation.view.briefing.models:
        return None
    first, *later = map(_with_claims, situation.views)
    model = CharacterModel(first, ORDER)
    for view in later:
        assert view.outcome
        model.follow(view.outcome.command, view)
    return model


class Understanding:
    """What follows from all that an agent has seen and read.

    mind: its beliefs, known claims, facts and planner. shared_goals: those that it knows of. placed: the objects that
    it has put somewhere. commands: a plan for as many shared and private goals as it can reach alone, the shared ones
    first. reached: the goals that hold after this plan. missing: the shared goals that neither hold nor are reached, so
    that others have to reach them.
    """

    def __init__(self, situation: HouseSituation) -> None:
        self.view = situation.view
        self.briefing = self.view.briefing
        self.mind = HouseMind(_with_claims(situation.views[0]), ORDER)
        for view in situation.views:
            self.mind.perceive(_with_claims(view))
        known = sorted(
            (fact.goal for fact in self.mind.facts if fact.predicate == Is.WANTED), key=lambda goal: goal.words
        )
        self.shared_goals = [goal for goal in known if goal not in self.briefing.wishes]
        private_goals = [goal for goal in known if goal in self.briefing.wishes]
        self.placed = set(_objects_placed(situation.views))
        goals = [*sorted(self.shared_goals, key=lambda goal: not self.believes(goal)), *private_goals]
        self.commands, self.reached = self.mind.planner.whole(self.mind.beliefs, self.mind.facts, goals)
        self.missing = [goal for goal in self.shared_goals if goal not in self.reached and not self.believes(goal)]

    def believes(self, proposition: Proposition) -> bool:
        return self.mind.beliefs.holds(proposition) is True

    def place_of(self, thing: str) -> Proposition | None:
        return self.mind.beliefs.place_of(thing)

    def news_among(self, claims: Iterable[Claim]) -> list[Claim]:
        """The claims that may be new to at least one agent whom this one can message, each once."""
        return [
            claim
            for claim in dict.fromkeys(claims)
            if any(self.mind.notes.lacks(target, claim) for target in self.briefing.targets)
        ]

    def allowed_in(self, *rooms: str) -> list[str]:
        """The other agents that may enter all of these rooms, as far as the agent knows."""
        barred = {fact.arguments for fact in self.mind.facts if fact.predicate == Is.RESTRICTED}
        others = (agent for agent in self.briefing.plan.agents if agent != self.briefing.agent)
        return [agent for agent in others if all((agent, room) not in barred for room in rooms)]

    # Finding objects and handing them over

    def needs_search(self, goal: Proposition) -> bool:
        """True if the agent might reach a goal itself, but does not know where the goal's object is."""
        target = _target_room(goal, self.briefing)
        return target is not None and target not in self.briefing.barred and self.place_of(goal.arguments[0]) is None

    def search(self) -> tuple[HouseCommand, ...]:
        """Returns commands that look for objects of missing goals; empty if all are found or all is seen."""
        objects = (goal.arguments[0] for goal in self.missing if goal.predicate in (Is.ON_TOP, Is.INSIDE, Is.HELD_BY))
        if all(self.place_of(thing) for thing in objects):
            return ()
        return tuple(search(self.briefing, self.view.room, self.mind.beliefs, self.mind.facts, in_closed=True))

    def hand_over(self) -> tuple[tuple[HouseCommand, ...], Proposition] | None:
        """Returns commands that bring the object of a missing goal to where others can take it, and that place.

        None if there is no such object. An object that the agent has already put somewhere is left there, and so is one
        that another agent may bring all the way, as far as is known.
        """
        for goal in self.missing:
            target = _target_room(goal, self.briefing)
            start = self.mind.beliefs.room_of(goal.arguments[0]) or self.view.room
            if target is None or goal.arguments[0] in self.placed or self.allowed_in(start, target):
                continue
            for room in self._meeting_rooms(target):
                pieces = self.briefing.plan.furniture_by_room[room]
                if room != start and pieces:
                    place = Proposition(Is.ON_TOP, (goal.arguments[0], pieces[0]))
                    commands, reached = self.mind.planner.whole(self.mind.beliefs, self.mind.facts, [place])
                    if place in reached and commands:
                        return commands, place
        return None

    def _meeting_rooms(self, target: str) -> list[str]:
        """The rooms open to the agent and to another that may enter the target room; first those where others are."""
        occupied = {
            fact.arguments[1]
            for fact in self.mind.beliefs.all()
            if fact.predicate == Is.AGENT_IN_ROOM and fact.arguments[0] != self.briefing.agent
        }
        allowed = [room for room in self.briefing.plan.rooms if room not in self.briefing.barred]
        return sorted(
            (room for room in allowed if self.allowed_in(room, target)), key=lambda room: room not in occupied
        )


def _target_room(goal: Proposition, briefing: Briefing) -> str | None:
    """The room in which an object has to end up for a goal; None for a goal of another kind."""
    if goal.predicate in Is.ON_FURNITURE:
        return briefing.plan.furniture[goal.arguments[1]]
    if goal.predicate == Is.IN_ROOM and goal.arguments[0] not in briefing.plan.furniture:
        return goal.arguments[1]
    return None


def _objects_placed(views: Iterable[HouseView]) -> Iterable[str]:
    """The objects that the agent has put somewhere."""
    for view in views:
        outcome = view.outcome
        if outcome and outcome.command.verb == Verb.PLACE and outcome.kind is OutcomeKind.DONE:
            yield outcome.command.arguments[0]


# Sentences as claims


def _with_claims(view: HouseView) -> HouseView:
    """Returns the view with the claims that its messages state in words; claims about unknown things are left out."""
    briefing, outcome = view.briefing, view.outcome
    messages = tuple(replace(message, claims=_claims(message.text, briefing)) for message in view.messages)
    if outcome and (sent := view.sent):
        command = replace(outcome.command, arguments=sent.addressees, claims=_claims(sent.text, briefing))
        outcome = replace(outcome, command=command)
    return replace(view, messages=messages, outcome=outcome)


def _claims(text: str, briefing: Briefing) -> tuple[Claim, ...]:
    return tuple(claim for claim in read_claims(text, briefing.plan.agents) if _is_possible(claim, briefing))


def _is_possible(claim: Claim, briefing: Briefing) -> bool:
    """False if a claim names rooms, furniture or agents that do not exist, or opens or closes what does not open."""
    plan = briefing.plan
    proposition = claim.proposition.goal if claim.proposition.predicate == Is.WANTED else claim.proposition
    last = proposition.arguments[-1]
    if proposition.predicate in (Is.AGENT_IN_ROOM, Is.IN_ROOM, Is.RESTRICTED):
        return last in plan.rooms
    if proposition.predicate in Is.ON_FURNITURE:
        return last in plan.furniture
    if proposition.predicate in (Is.OPEN, Is.CLOSED, Is.INVERSE, Is.MIRRORS, Is.CONTROLS):
        return set(proposition.arguments) <= set(plan.openable)
    return proposition.predicate != Is.HELD_BY or last in plan.agents
