"""What work costs in either room of a kitchen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import DELIVERY, DISHES, TOMATOES, Kitchen
from hm_agent.worlds.melting_pot.games.cooking.ways import facing, length
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose


@dataclass(frozen=True, slots=True)
class Side:
    """What work costs in one room, in steps; None while it is not known where things stand.

    loading: to fetch a tomato, put it into a pot and be back. serving: to fetch a dish, take a soup and deliver it.
    """

    loading: int | None
    serving: int | None


UNKNOWN = Side(None, None)


def side_of(kitchen: Kitchen, layout: Layout, here: Pose | None, *, own: bool) -> Side:
    """The side one is on oneself, or the other; nothing is known of it while one doesn't know where one is."""
    if here is None:
        return UNKNOWN
    room = next((room for room in kitchen.rooms if (here.cell in room) is own), None)
    if room is None:
        return UNKNOWN
    reachable = kitchen.reachable(min(room))
    pots = [pot.cell for pot in kitchen.pots if pot.cell in reachable]
    places = {station.kind: cell for cell, station in sorted(reachable.items())}
    loading = _mean(_cycle(layout, room, [places.get(TOMATOES), pot]) for pot in pots)
    serving = _mean(_cycle(layout, room, [places.get(DISHES), pot, places.get(DELIVERY)]) for pot in pots)
    return Side(loading, serving)


def _cycle(layout: Layout, room: Set[Cell], places: Sequence[Cell | None]) -> int | None:
    """How many steps it takes to use places one after the other and be back at the first, ready to use it again."""
    known = [place for place in places if place is not None]
    start = next((pose for pose in facing(layout, known[0]) if pose.cell in room), None) if known else None
    if start is None or len(known) < len(places):
        return None
    return length(layout, start, [*known[1:], known[0]])


def _mean(costs: Iterable[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known) / len(known)) if known else None
