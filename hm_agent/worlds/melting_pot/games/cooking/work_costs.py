"""The steps that work takes in each room of a kitchen, by shortest paths over poses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hm_agent.worlds.melting_pot.games.cooking.kitchen import DELIVERY, DISHES, TOMATOES, Kitchen
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose, around
from hm_agent.worlds.melting_pot.planning.beam import MOVES
from hm_agent.worlds.melting_pot.planning.traffic import against_traffic


@dataclass(frozen=True, slots=True)
class WorkCost:
    """The cost of work in one room, in steps; None while the stations are unknown.

    loading: to fetch a tomato, put it into a pot and return. serving: to fetch a dish, take a soup, deliver it and
    return.
    """

    loading: int | None
    serving: int | None


UNKNOWN = WorkCost(None, None)


def work_cost(kitchen: Kitchen, layout: Layout, here: Pose | None, *, own: bool) -> WorkCost:
    """The mean cost over the pots of a room. own: True for the room of pose `here`, False for the other one.

    Returns UNKNOWN for an unknown pose and for a room that does not exist.
    """
    if here is None:
        return UNKNOWN
    room = next((room for room in kitchen.rooms if (here.cell in room) is own), None)
    if room is None:
        return UNKNOWN
    reachable = kitchen.reachable(min(room))
    pots = [pot.cell for pot in kitchen.pots if pot.cell in reachable]
    stations = {station.kind: cell for cell, station in sorted(reachable.items())}
    loading = _mean(_cycle(layout, room, (stations.get(TOMATOES), pot)) for pot in pots)
    serving = _mean(_cycle(layout, room, (stations.get(DISHES), pot, stations.get(DELIVERY))) for pot in pots)
    return WorkCost(loading, serving)


@lru_cache(1_000)
def _cycle(layout: Layout, room: frozenset[Cell], places: tuple[Cell | None, ...]) -> int | None:
    """The steps from facing the first place, using the others in order, to using the first again; None if unknown."""
    known = [place for place in places if place is not None]
    if len(known) < len(places):
        return None
    first, *others = known
    poses = (Pose(x, y, facing) for x, y in around(first) if (x, y) in room for facing in range(4))
    start = next((pose for pose in poses if pose.place(1, 0) == first), None)
    return steps_to_use(layout, start, [*others, first]) if start else None


def _mean(costs: Iterable[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known) / len(known)) if known else None


class Approach(NamedTuple):
    """The shortest path to a pose that faces a target: the number of moves, and that pose."""

    moves: int
    pose: Pose


@lru_cache(maxsize=1_000)
def approaches_from(layout: Layout, start: Pose) -> Mapping[Cell, Approach]:
    """The shortest path to face each cell that can be faced at all, by one breadth-first search over poses.

    It does not go against the traffic.
    """
    moves, queue, against = {start: 0}, deque([start]), against_traffic(layout)
    approaches: dict[Cell, Approach] = {}
    while queue:
        pose = queue.popleft()
        approaches.setdefault(pose.place(1, 0), Approach(moves[pose], pose))
        for move in MOVES:
            after = pose.after(move)
            if after not in moves and layout.is_open(after.cell) and (pose.cell, after.cell) not in against:
                moves[after] = moves[pose] + 1
                queue.append(after)
    return approaches


def shortest_approach(layout: Layout, start: Pose, target: Cell) -> Approach | None:
    """The shortest path to a pose that faces the target; None if no path leads there."""
    return approaches_from(layout, start).get(target)


def steps_to_use(layout: Layout, start: Pose, targets: Iterable[Cell]) -> int | None:
    """The steps it takes to use several targets in order; None if one is out of reach.

    Each use takes a step, and at least one other step must lie between two uses.
    """
    steps, pose = 0, start
    for target in targets:
        path = shortest_approach(layout, pose, target)
        if path is None:
            return None
        steps, pose = steps + max(path.moves, 1 if steps else 0) + 1, path.pose
    return steps
