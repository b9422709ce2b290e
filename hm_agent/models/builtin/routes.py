"""Subgoals by calculation: which things to collect in which order, and where to look for the opponent."""

from __future__ import annotations

from itertools import pairwise

from hm_agent.games.matrix.questions import PlanSubgoals, Site
from hm_agent.grid import Cell, distance
from hm_agent.memory.whereabouts import worth_going_to
from hm_agent.planning.subgoals import FireAt, MoveTo, Subgoal

NEAR = 6
"""How near, in steps, a sighting must be to be acted on before all is collected."""
LEAD = 3
"""By how much the main resource must lead for an early meeting to be worth it."""
DOUBT = 4
"""How many steps of way a thing that may have grown back is thought to be further away than one that was seen."""
REGROWTH = 30
"""After how many steps a site that was seen empty is worth another look."""
LEGS = 5
"""How many things a plan collects at most before it is thought over; a plan has one subgoal more at most."""


def plan_route(question: PlanSubgoals) -> list[Subgoal]:
    """Collects what the target inventory lacks, the nearest first, then meets the opponent."""
    lacks = [want - have for want, have in zip(question.target, question.inventory, strict=True)]
    lacking = max(lacks)
    main = lacks.index(lacking)
    if lacking <= 0 or _is_worth_meeting_now(question, main):
        return [FireAt(_meeting_place(question))]
    route = _route(question, question.rules.things[main], min(lacking, LEGS))
    if not route:
        return [MoveTo(question.pose.cell, question.unseen[0][0])]
    legs = [question.pose.cell, *route]
    plan: list[Subgoal] = [MoveTo(start, end) for start, end in pairwise(legs)]
    return [*plan, FireAt(_meeting_place(question))] if len(route) == lacking else plan


def _route(question: PlanSubgoals, kind: str, count: int) -> list[Cell]:
    """The nearest things of a kind, each from the one before; seen ones before sites where they may grow again."""
    doubts = {site.cell: DOUBT for site in question.sites if site.kind == kind and _may_be_back(question, site)}
    doubts |= {place.cell: 0 for place in question.things if place.kind == kind}
    here = question.pose.cell
    route: list[Cell] = []
    while doubts and len(route) < count:
        start = here
        here = min(doubts, key=lambda cell: (distance(start, cell) + doubts[cell], cell))
        route.append(here)
        del doubts[here]
    return route


def _may_be_back(question: PlanSubgoals, site: Site) -> bool:
    return site.emptied is None or question.step - site.emptied >= REGROWTH


def _is_worth_meeting_now(question: PlanSubgoals, main: int) -> bool:
    here = question.pose.cell
    sought = [seen for seen in question.others if seen.sought and question.step - seen.step <= 2]
    others = max(count for n, count in enumerate(question.inventory) if n != main)
    leads = question.inventory[main] - others >= LEAD
    return leads and any(distance(here, seen.cell) <= NEAR for seen in sought)


def _meeting_place(question: PlanSubgoals) -> Cell:
    """Where the opponent is most likely to be met soon."""
    return worth_going_to(question.likely, question.pose.cell)
