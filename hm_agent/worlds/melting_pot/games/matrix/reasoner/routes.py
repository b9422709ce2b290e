"""Subgoals by calculation: what to collect in which order, and when and where to meet the opponent."""

from __future__ import annotations

from itertools import pairwise

from hm_agent.core import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    STEPS_PER_ROUND,
    STEPS_PER_THING,
    TYPICAL,
    pure_inventory,
)
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax, reward
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import PlanSubgoals, Site
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.player_belief import worth_going_to
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, MoveTo, Subgoal

NEAR = 6
"""How near, in steps, a sighting must be to be acted on before all is collected."""
RECENT = 2
"""How many steps ago it may have been."""
SEARCH = 5.0
"""How many steps it saves to meet an opponent while it is at hand, beside those of collecting what is lacking.

Finding it again takes longer, but one that is met early has less in its hands, too.
"""
DOUBT = 4
"""How many steps of way a thing that may have grown back is thought to be further away than one that was seen."""
REGROWTH = 30
"""After how many steps a site that was seen empty is worth another look."""

LEGS = 5
"""How many things a plan collects at most before it is thought over; a plan has one subgoal more at most."""


def plan_route(question: PlanSubgoals, target: Counts) -> list[Subgoal]:
    """Collects what the target inventory lacks, the nearest first, then meets the opponent; at once if that pays."""
    main, lacking = _what_lacks(question, target)
    if lacking <= 0 or _is_worth_meeting_now(question, target, main, lacking):
        return [FireAt(_meeting_place(question))]
    route = _route(question, question.rules.things[main], min(lacking, LEGS))
    if not route:
        return [MoveTo(question.pose.cell, question.unseen[0][0])]
    plan: list[Subgoal] = [MoveTo(start, end) for start, end in pairwise([question.pose.cell, *route])]
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


def _what_lacks(question: PlanSubgoals, target: Counts) -> tuple[int, int]:
    """Which resource to collect, and how much of it; one that is to lead, until it does."""
    lacks = [want - have for want, have in zip(target, question.inventory, strict=True)]
    leader = argmax(target)
    if leader is not None and max(lacks) <= lacks[leader]:
        return leader, max(lacks[leader], 1 - _lead(question, leader))
    return lacks.index(max(lacks)), max(lacks)


def _lead(question: PlanSubgoals, main: int) -> int:
    """How much more than of anything else is held of one resource."""
    return question.inventory[main] - max(count for n, count in enumerate(question.inventory) if n != main)


def _is_worth_meeting_now(question: PlanSubgoals, target: Counts, main: int, lacking: int) -> bool:
    """Whether somebody at hand had better be met at once: what is lacking pays less than the time it takes."""
    is_to_lead = target[main] == max(target)
    if not _is_at_hand(question) or not is_to_lead or _lead(question, main) < 1:
        return False
    now, later = STEPS_PER_ROUND - SEARCH, STEPS_PER_ROUND + STEPS_PER_THING * lacking
    return _pays(question, main, question.inventory) / now > _pays(question, main, target) / later


def _is_at_hand(question: PlanSubgoals) -> bool:
    """Whether somebody to be met was seen just now, and near."""
    here = question.pose.cell
    recent = (seen for seen in question.others if seen.sought and question.step - seen.step <= RECENT)
    return any(distance(here, seen.cell) <= NEAR for seen in recent)


def _pays(question: PlanSubgoals, main: int, own: Counts) -> float:
    """What an interaction brings with so much in hand; where nothing is expected, against whom it is good for."""
    row = question.rules.payoff[main]
    hoped = pure_inventory(question.rules, row.index(max(row)), TYPICAL)
    return reward(own, question.expected or hoped, question.rules.payoff)


def _meeting_place(question: PlanSubgoals) -> Cell:
    """Where the opponent is most likely to be met soon."""
    return worth_going_to(question.likely, question.pose.cell)
