"""Plans a route by calculation: which resources to collect in which order, and when and where to seek the opponent."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import TYPICAL, pure_inventory
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MOST_CALLS, MatrixMapSeat, Site
from hm_agent.worlds.melting_pot.games.matrix.rules import reward
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.player_belief import place_to_search
from hm_agent.worlds.melting_pot.planning.calls import (
    Aim,
    Call,
    CollectUnseen,
    FireAt,
    FireOnSight,
    MoveTo,
    Pause,
    Shadow,
)
from hm_agent.worlds.melting_pot.planning.pursuit import SIGHT

LOOK_AROUND = 10
"""The number of steps that an agent which watches players waits where they are likely."""
RECENT = 2
"""A player counts as still in sight for so many steps after it was last seen."""
SEARCH = 5.0
"""Steps saved by interacting with an opponent while it is near, besides those of collecting what is lacking.

Finding it again takes more steps, but an opponent found early holds less.
"""
REGROWTH_PENALTY = 4
"""Steps added to the distance of a resource that may have grown back, compared with one that was seen."""
LIKELY_BACK = 0.25
"""The least probability that a taken resource has grown back for a route to include its cell."""

MOST_COLLECTED_PER_PLAN = MOST_CALLS - 2
"""The largest number of resources in one plan: up to two calls are for the opponent."""


def plan_route(
    seat: MatrixMapSeat, target: Counts, *, seek: Sequence[str] = (), watch: bool = False, covert: bool = False
) -> list[Call]:
    """Collects what the target inventory lacks, the nearest first, then seeks the opponent; at once if that pays more.

    Once enough is collected that it would pay, it fires on sight. Where too few resources of the kind are known, it
    explores the cells that were out of view for longest. seek: the only players to fire at, anybody that the strategy
    seeks if empty. watch: True to see first what the only opponent takes. covert: True to collect unseen.
    """
    route = _plan_route(seat, target, tuple(seek))
    if covert:
        route = [CollectUnseen(), *route]
    if watch:
        route = [Shadow(seat.players[0]), *route]
    return route[:MOST_CALLS]


def _plan_route(seat: MatrixMapSeat, target: Counts, seek: tuple[str, ...]) -> list[Call]:
    main, lacking = _what_to_collect(seat, target)
    if lacking <= 0 or (_is_in_sight(seat) and _pays_to_meet(seat, target, main, lacking, 0)):
        return [_seek(seat, seek)]
    route = _route(seat, seat.rules.things[main], min(lacking, MOST_COLLECTED_PER_PLAN))
    is_complete = len(route) == lacking
    counts = (n for n in range(len(route) + 1) if _pays_to_meet(seat, target, main, lacking, n))
    enough = next(counts, lacking if is_complete else None)
    plan: list[Call] = [MoveTo(cell) for cell in route]
    if enough is not None:
        plan.insert(enough, FireOnSight(Aim(seek)))
    if is_complete:
        return [*plan, _seek(seat, seek)]
    return [*plan, *(MoveTo(cell) for cell, _ in seat.unseen)][:MOST_CALLS]


def _seek(seat: MatrixMapSeat, seek: tuple[str, ...]) -> FireAt:
    """Goes where a sought opponent is likely and near, and fires at it."""
    return FireAt(place_to_search(seat.likely, seat.pose.cell), Aim(seek))


def look_for_players(seat: MatrixMapSeat) -> list[Call]:
    """Goes where players are likely, and keeps one that was seen of late in view, to see what it takes."""
    recent = max(seat.sightings, key=lambda seen: seen.step, default=None)
    place = MoveTo(place_to_search(seat.likely, seat.pose.cell))
    if recent and seat.step - recent.step <= RECENT:
        return [Shadow(recent.player), place]
    return [place, Pause(LOOK_AROUND)]


def _route(seat: MatrixMapSeat, kind: str, count: int) -> list[Cell]:
    """The nearest resources of a kind, each from the previous one, with a penalty on cells of possible regrowth."""
    penalties = {
        site.cell: REGROWTH_PENALTY
        for site in seat.sites
        if site.kind == kind and _chance_back(seat, site) >= LIKELY_BACK
    }
    penalties |= {place.cell: 0 for place in seat.things if place.kind == kind}
    here = seat.pose.cell
    route: list[Cell] = []
    while penalties and len(route) < count:
        start = here
        here = min(penalties, key=lambda cell: (distance(start, cell) + penalties[cell], cell))
        route.append(here)
        del penalties[here]
    return route


def _chance_back(seat: MatrixMapSeat, site: Site) -> float:
    """The probability that a resource has grown back; 1 if the agent has not seen its cell empty."""
    return 1.0 if site.emptied is None else seat.rules.regrowth.chance_after(seat.step - site.emptied)


def _what_to_collect(seat: MatrixMapSeat, target: Counts) -> tuple[int, int]:
    """The resource of which the target lacks most, and how many units of it.

    Ties go to the target's leading resource, of which it is at least as many units as make it lead.
    """
    lacks = [want - have for want, have in zip(target, seat.held, strict=True)]
    leader = argmax(target)
    if leader is not None and max(lacks) <= lacks[leader]:
        return leader, max(lacks[leader], 1 - _lead(seat, leader))
    return lacks.index(max(lacks)), max(lacks)


def _lead(seat: MatrixMapSeat, main: int) -> int:
    """How many more units of one resource the agent holds than of any other."""
    return seat.held[main] - max(count for n, count in enumerate(seat.held) if n != main)


def _is_in_sight(seat: MatrixMapSeat) -> bool:
    """True if a sought player was seen at most SIGHT cells away in the last RECENT steps."""
    recent = (seen for seen in seat.sightings if seen.sought and seat.step - seen.step <= RECENT)
    return any(distance(seat.pose.cell, seen.cell) <= SIGHT for seen in recent)


def _pays_to_meet(seat: MatrixMapSeat, target: Counts, main: int, lacking: int, collected: int) -> bool:
    """True if interacting with a player in sight gives more reward per step than collecting the rest first.

    collected: how many of the lacking units of the main resource are collected by then.
    """
    is_to_lead = target[main] == max(target)
    if not is_to_lead or _lead(seat, main) + collected < 1:
        return False
    held = tuple(count + collected * (n == main) for n, count in enumerate(seat.held))
    payoff = seat.rules.payoff
    # If no inventory is expected, assume the one against which the main resource does best.
    best_case = pure_inventory(seat.rules, payoff[main].index(max(payoff[main])), TYPICAL)
    other = seat.expected or best_case
    timing = seat.rules.timing
    now, later = timing.steps_with(0) - SEARCH, timing.steps_with(lacking - collected)
    return reward(held, other, payoff) / now > reward(target, other, payoff) / later
