"""Walks to a cell: A* paths (Hypothetical Minds, appendix C.5), followed step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from heapq import heappop, heappush

from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, step_towards
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.beam import BeamApproach
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs

Path = tuple[Cell, ...]
"""The cells from the start, which is left out, to the goal, which is included."""
CIRCLING_STEPS = 12
"""For this many steps a player that doesn't know its pose circles. Where inner walls are near, 9 were always enough."""


def find_path(layout: Layout, start: Cell, goal: Cell, avoid: Set[Cell] = frozenset()) -> Path | None:
    """The shortest path by A* that enters no cell of `avoid` except the goal; None where there is none."""
    came_from: dict[Cell, Cell | None] = {start: None}
    steps = {start: 0}
    frontier = [(layout.distance(start, goal), 0, start)]
    while frontier:
        _, taken, cell = heappop(frontier)
        if cell == goal:
            return _traced(came_from, goal)
        for neighbour in layout.neighbours[cell]:
            if neighbour in avoid and neighbour != goal:
                continue
            if taken + 1 < steps.get(neighbour, 1_000_000):
                steps[neighbour], came_from[neighbour] = taken + 1, cell
                heappush(frontier, (taken + 1 + layout.distance(neighbour, goal), taken + 1, neighbour))
    return None


def steps_from(layout: Layout, start: Cell, leads_on: Callable[[Cell], bool] = lambda cell: True) -> Mapping[Cell, int]:
    """The steps of the shortest paths to all cells that paths lead to, the nearest first.

    leads_on: says of a cell that is reached whether paths go on from there; by default they do.
    """
    steps = {start: 0}
    frontier = deque([start])
    while frontier:
        cell = frontier.popleft()
        if cell != start and not leads_on(cell):
            continue
        for neighbour in layout.neighbours[cell]:
            if neighbour not in steps:
                steps[neighbour] = steps[cell] + 1
                frontier.append(neighbour)
    return steps


@lru_cache(maxsize=1_000)
def steps_to_all(layout: Layout, start: Cell) -> Mapping[Cell, int]:
    """`steps_from` where nothing but walls is in the way; kept, since players come to the same cells again."""
    return steps_from(layout, start)


def _traced(came_from: Mapping[Cell, Cell | None], goal: Cell) -> Path:
    path = []
    cell: Cell | None = goal
    while cell is not None:
        path.append(cell)
        cell = came_from[cell]
    return tuple(reversed(path[:-1]))


def find_path_past_things(
    layout: Layout, start: Cell, goal: Cell, things: Mapping[Cell, str], players: Set[Cell] = frozenset()
) -> Path | None:
    """The path by the paper's priorities: around all things, else through those of the goal's kind, else through any.

    things: the kind of thing on each cell. players: cells of players, which no path enters.
    """
    own_kind = things.get(goal)
    others = {cell for cell, kind in things.items() if kind != own_kind}
    for avoid in (things.keys(), others, frozenset[Cell]()):
        path = find_path(layout, start, goal, avoid | players)
        if path is not None:
            return path
    return None


class Walker:
    """Follows one path at a time; plans a new one when it is off the path or something unexpected lies on it.

    route: the cells that the latest walk or approach of a plan has still to enter, in order.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._goal: Cell | None = None
        self._path: deque[Cell] = deque()
        self._expected: dict[Cell, str] = {}
        self.route: Path = ()

    def walk(self, target: Cell, inputs: MoveInputs) -> Move | None:
        """The next step of a plan to a cell; None on arrival or where no path exists."""
        move = self.step(inputs.pose, target, inputs.memory, inputs.occupied)
        self.route = tuple(self._path)
        return move

    def follow(self, approach: BeamApproach | None) -> Move | None:
        """The first move of an approach; None if there is no approach."""
        self.route = approach.cells if approach else ()
        return approach.move if approach else None

    def step(self, pose: Pose, goal: Cell, memory: EntityMemory, players: frozenset[Cell]) -> Move | None:
        """The next step to the goal; None on arrival or where no path exists. players: the cells of other players."""
        if pose.cell == goal:
            self._path.clear()
            return None
        if self._path and self._path[0] == pose.cell:
            self._path.popleft()
        if goal != self._goal or not self._is_clear(pose, memory, players):
            things = memory.kinds()
            path = find_path_past_things(self._layout, pose.cell, goal, things, players - {goal})
            self._goal, self._path = goal, deque(path or ())
            self._expected = {cell: things[cell] for cell in self._path if cell in things}
        return step_towards(pose, self._layout.seen_from(pose.cell, self._path[0])) if self._path else None

    def _is_clear(self, pose: Pose, memory: EntityMemory, players: frozenset[Cell]) -> bool:
        if not self._path or self._layout.distance(pose.cell, self._path[0]) != 1:
            return False
        ahead = self._path[0]
        thing = memory.things.get(ahead)
        return ahead not in players and (thing is None or ahead in self._expected)


def seek_bearings(view: TextualMap, step: int) -> Move:
    """A move that brings new walls into view while the own pose is unknown, without stepping onto a thing.

    It circles for CIRCLING_STEPS. If the pose is still unknown then, it walks straight ahead, and along the walls it
    comes to, whose corners tell the pose on any map.
    """
    ahead, right = (1, 0), (0, 1)
    occupied = {detection.offset for detection in view.detections}
    if view.lost_for <= CIRCLING_STEPS:
        return Move.TURN_RIGHT if step % 3 == 0 or ahead in occupied else Move.FORWARD
    if ahead not in occupied | view.walls:
        return Move.FORWARD
    must_turn = ahead in view.walls or right in occupied | view.walls
    return Move.TURN_RIGHT if must_turn else Move.STEP_RIGHT
