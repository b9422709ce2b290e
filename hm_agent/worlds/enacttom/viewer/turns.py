"""What happened in a turn, and what an agent knows after it, in the form that pictures and pages show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from hm_agent.worlds.enacttom.house.knowledge import weaker
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, on_floors
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_picture import PlanPicture
from hm_agent.worlds.enacttom.world import HouseScene


def goals_of(task: HouseholdTask) -> tuple[Claim, ...]:
    """The conjuncts of all goals: the shared ones first, then the private ones by owner."""
    return (*task.goal, *(claim for claims in task.private_goals.values() for claim in claims))


def met_goals(task: HouseholdTask, scene: HouseScene) -> list[bool]:
    """Whether each conjunct holds after a turn, in the order of `goals_of`."""
    return [goal in scene.knows if goal.depth else goal.proposition in scene.after for goal in goals_of(task)]


def turn_picture(scene: HouseScene, looked_at: str | None) -> PlanPicture:
    """What holds after a turn, and what happened in it. looked_at: the agent that stands out."""
    rooms_before, rooms_after = _rooms(scene.before), _rooms(scene.after)
    return PlanPicture(
        scene.after,
        looked_at=looked_at,
        came_from={agent: room for agent, room in rooms_before.items() if rooms_after[agent] != room},
        sent=[(sent.message.sender, sent.message.addressees, bool(sent.taught)) for sent in scene.sent],
        handles=[(agent, next(iter(settings)), tuple(settings)[1:]) for agent, settings in scene.handles.items()],
        failed=[agent for agent, outcome in scene.outcomes.items() if outcome.kind is not OutcomeKind.DONE],
    )


def _rooms(facts: Iterable[Proposition]) -> dict[str, str]:
    return {fact.arguments[0]: fact.arguments[1] for fact in facts if fact.predicate == Is.AGENT_IN_ROOM}


def mistakes(wrong: Iterable[Proposition], truth: frozenset[Proposition]) -> list[list[str]]:
    """What an agent wrongly remembers, each with what holds instead, in words. truth: all that holds.

    The rooms of things and empty hands are left out, since they follow from other mistakes.
    """
    mistaken = [fact for fact in wrong if fact.predicate not in (Is.IN_ROOM, Is.HAND_EMPTY)]
    return [[fact.words, _truth_instead(fact, truth)] for fact in sorted(mistaken, key=str)]


def _truth_instead(wrong: Proposition, truth: frozenset[Proposition]) -> str:
    """What holds instead of a wrong proposition, in words; empty if the thing is nowhere."""
    if wrong.predicate in Is.STATES:
        return wrong.opposite.words
    return _place_words(truth).get(wrong.arguments[0], "")


@lru_cache(maxsize=8)
def _place_words(facts: frozenset[Proposition]) -> Mapping[str, str]:
    """Where each agent and each object is, in words, by its name."""
    left_out = (Is.IN_ROOM, Is.OPEN, Is.CLOSED, Is.HAND_EMPTY)
    words = {fact.arguments[0]: fact.words for fact in facts if fact.predicate not in left_out}
    return words | {thing: f"{thing} is on the floor of {room}" for thing, room in on_floors(facts)}


def known_claims(knows: Iterable[Claim], agent: str) -> list[Claim]:
    """The tracked claims that an agent knows, sorted, without those that another implies: K_b p says more than p."""
    own = {claim.inner for claim in knows if claim.knowers[:1] == (agent,)}
    ordered = sorted(own, key=lambda claim: (claim.proposition.words, -claim.depth, claim.knowers))
    return [claim for claim in ordered if not any(claim != other and claim in weaker(other) for other in ordered)]
