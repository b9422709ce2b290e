"""Going somewhere step by step, around what comes into the way, and finding the way when lost."""

from __future__ import annotations

from collections import deque

from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, distance, step_towards
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.pathfinding import find_path_past_things


class Walker:
    """Follows one path at a time and plans anew when it was thrown off or something new lies on it."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._goal: Cell | None = None
        self._path: deque[Cell] = deque()
        self._expected: dict[Cell, str] = {}

    @property
    def path(self) -> tuple[Cell, ...]:
        """What is left of the path."""
        return tuple(self._path)

    def step(self, pose: Pose, goal: Cell, memory: EntityMemory, players: frozenset[Cell]) -> Move | None:
        """The next step to the goal; None on arrival or where no way leads there. players: cells they stand on now."""
        if pose.cell == goal:
            self._path.clear()
            return None
        if self._path and self._path[0] == pose.cell:
            self._path.popleft()
        if goal != self._goal or not self._is_clear(pose, memory, players):
            self._plan(pose, goal, memory, players)
        return step_towards(pose, self._path[0]) if self._path else None

    def _is_clear(self, pose: Pose, memory: EntityMemory, players: frozenset[Cell]) -> bool:
        if not self._path or distance(pose.cell, self._path[0]) != 1:
            return False
        ahead = self._path[0]
        thing = memory.things.get(ahead)
        return ahead not in players and (thing is None or ahead in self._expected)

    def _plan(self, pose: Pose, goal: Cell, memory: EntityMemory, players: frozenset[Cell]) -> None:
        things = memory.kinds()
        path = find_path_past_things(self._layout, pose.cell, goal, things, players - {goal})
        self._goal, self._path = goal, deque(path or ())
        self._expected = {cell: things[cell] for cell in self._path if cell in things}


def seek_bearings(view: TextualMap, step: int) -> Move:
    """A move that brings new walls into view while the own pose is unknown, without taking what lies ahead."""
    if step % 3 == 0 or any(sight.offset == (1, 0) for sight in view.sights):
        return Move.TURN_RIGHT
    return Move.FORWARD
