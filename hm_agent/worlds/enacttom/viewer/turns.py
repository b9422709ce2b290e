"""What a turn did, and what an agent knows after it, as pictures and words show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    HAND_EMPTY,
    IS_CLOSED,
    IS_IN_ROOM,
    IS_ON_FLOOR,
    IS_OPEN,
    Claim,
    Proposition,
)
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_picture import PlanPicture
from hm_agent.worlds.enacttom.world import HouseScene


def goals_of(task: HouseholdTask) -> tuple[Claim, ...]:
    """The conjuncts: shared ones first, then the private ones by owner."""
    return (*task.goal, *(one for claims in task.private_goals.values() for one in claims))


def met_goals(task: HouseholdTask, scene: HouseScene) -> list[bool]:
    """Which of the conjuncts hold after a turn, in the order of `goals_of`."""
    return [one in scene.knows if one.depth else one.proposition in scene.after for one in goals_of(task)]


def turn_picture(scene: HouseScene, looked_at: str | None) -> PlanPicture:
    """What is so after a turn, and what happened in it."""
    was, now = _rooms(scene.before), _rooms(scene.after)
    return PlanPicture(
        scene.after,
        looked_at=looked_at,
        came_from={agent: room for agent, room in was.items() if now[agent] != room},
        sent=[(one.message.sender, one.message.addressees, bool(one.taught)) for one in scene.sent],
        handles=[(agent, next(iter(settings)), tuple(settings)[1:]) for agent, settings in scene.handles.items()],
        failed=[agent for agent, outcome in scene.outcomes.items() if outcome.kind is not OutcomeKind.DONE],
    )


def _rooms(facts: Iterable[Proposition]) -> dict[str, str]:
    return {one.arguments[0]: one.arguments[1] for one in facts if one.predicate == AGENT_IN_ROOM}


def mistakes(wrong: Iterable[Proposition], so: frozenset[Proposition]) -> list[list[str]]:
    """What somebody remembers that is not so, and what is so instead, in words.

    What follows from another mistake is left out: that a thing is no longer in a room, or a hand not empty.
    """
    gone = [one for one in wrong if one.predicate not in (IS_IN_ROOM, HAND_EMPTY)]
    return [[one.words, _instead(one, so)] for one in sorted(gone, key=str)]


def _instead(wrong: Proposition, so: frozenset[Proposition]) -> str:
    thing = wrong.arguments[0]
    places = _places(so)
    if wrong.predicate in (IS_OPEN, IS_CLOSED):
        return Proposition(IS_CLOSED if wrong.predicate == IS_OPEN else IS_OPEN, (thing,)).words
    return places.get(thing, "")


@lru_cache(maxsize=8)
def _places(so: frozenset[Proposition]) -> Mapping[str, str]:
    """Where each agent and each object is, in words."""
    left_out = (IS_IN_ROOM, IS_OPEN, IS_CLOSED, HAND_EMPTY)
    found = {one.arguments[0]: one.words for one in so if one.predicate not in left_out}
    floors = {one.arguments for one in so if one.predicate == IS_IN_ROOM}
    lying = {one.arguments[0] for one in so if one.predicate == IS_ON_FLOOR}
    return found | {thing: f"{thing} is on the floor of {room}" for thing, room in floors if thing in lying}


def known_claims(knows: Iterable[Claim], agent: str) -> list[Claim]:
    """What an agent knows of the claims that are kept track of; what follows from another one is left out."""
    return telling(Claim(one.knowers[1:], one.proposition) for one in knows if one.knowers and one.knowers[0] == agent)


def telling(claims: Iterable[Claim]) -> list[Claim]:
    """Claims without those that follow from another: that agent_1 knows p tells that p."""
    found = sorted(set(claims), key=lambda one: (one.proposition.words, -one.depth, one.knowers))
    return [one for one in found if not any(_follows(one, other) for other in found)]


def _follows(one: Claim, other: Claim) -> bool:
    """True if another claim about the same holds its knowers in the same order, and more."""
    if one.proposition != other.proposition or one.depth >= other.depth:
        return False
    rest = iter(other.knowers)
    return all(knower in rest for knower in one.knowers)
