"""How many moves it takes in a kitchen to face what is to be used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose, around
from hm_agent.worlds.melting_pot.planning.beam import MOVES


class Approach(NamedTuple):
    """The shortest way to where one faces something: how many moves it takes, and the pose it ends in."""

    moves: int
    pose: Pose


@lru_cache(maxsize=10_000)
def approach(layout: Layout, start: Pose, target: Cell) -> Approach | None:
    """None where no way leads there."""
    taken, queue = {start: 0}, deque([start])
    while queue:
        pose = queue.popleft()
        if pose.place(1, 0) == target:
            return Approach(taken[pose], pose)
        for move in MOVES:
            after = pose.after(move)
            if after not in taken and layout.is_open(after.cell):
                taken[after] = taken[pose] + 1
                queue.append(after)
    return None


def facing(layout: Layout, target: Cell) -> tuple[Pose, ...]:
    """All poses from which something can be used."""
    beside = (cell for cell in around(target) if layout.is_open(cell))
    poses = (Pose(x, y, facing) for x, y in beside for facing in range(4))
    return tuple(pose for pose in poses if pose.place(1, 0) == target)


def length(layout: Layout, start: Pose, targets: Iterable[Cell]) -> int | None:
    """How many steps it takes to use several things one after the other; None where one is out of reach.

    Each use takes a step, and between two of them one must pass.
    """
    steps, pose = 0, start
    for target in targets:
        way = approach(layout, pose, target)
        if way is None:
            return None
        steps, pose = steps + max(way.moves, 1 if steps else 0) + 1, way.pose
    return steps
