"""Agents that reason to a given order about the others, and walk towards the agent that they gain most from.

Order 0 assumes that the others know only their first-hand pieces. Order 1 keeps K (GE). Both assume that the others
stay where they are. Order k above 1 assumes that each other agent acts as one of order k - 1 does, by what it believes
that this agent believes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hm_agent.worlds.symmtom.knowledge.k_matrix import NestedKnowledge, Path, with_own
from hm_agent.worlds.symmtom.policies.planner import best_piece
from hm_agent.worlds.symmtom.policies.policy import Policy, draw
from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Direction, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.views import Cell, manhattan

Trajectory = Sequence[Cell]
"""The cells where an agent is expected, one per step from now on; it stays in the last one."""
EXCHANGED = 2
"""How many pieces two who meet are expected to tell each other in a step."""


@dataclass(frozen=True)
class Destination:
    """A cell to go to. steps: after how many steps to be there. rate: the gain there per step."""

    cell: Cell
    steps: int
    rate: float


class OrderPolicy(Policy):
    """Plays one agent, in one row, by reasoning of the given order."""

    def __init__(self, order: int) -> None:
        self._order = order
        self._beliefs = NestedKnowledge(max(1, order))
        self.believed: Bools | None = None
        """(1, n, c): K after the latest sight."""

    def act(self, sights: Sights, truth: GameState | None = None) -> tuple[Ints, Ints]:
        if len(sights.me) != 1:
            raise ValueError(f"an OrderPolicy plays one agent, in one row of sights: there are {len(sights.me)}")
        beliefs = dict(self._beliefs.update(sights))
        me = int(sights.me[0])
        if self._order == 0:
            beliefs[me,] = with_own(sights.first_hand, sights)
        self.believed = beliefs[me,]
        reasoning = Reasoning(sights, beliefs)
        directions = reasoning.directions_towards(sights, reasoning.destination((me,), self._order).cell)
        chance = draw(sights, 2, len(Direction))[0]
        chosen = np.array([max(directions, key=lambda step: chance[step])], np.int32)
        return chosen, best_piece(sights, self.believed, chosen)


class Reasoning:
    """One agent's reasoning in one turn. beliefs: K by path, as of `NestedKnowledge`."""

    def __init__(self, sights: Sights, beliefs: Mapping[Path, Bools]) -> None:
        self._settings, self._beliefs = sights.settings, beliefs
        self._cells: list[Cell] = [(x, y) for x, y in sights.positions[0].tolist()]
        self._bases: list[Cell] = [(x, y) for x, y in sights.bases[0].tolist()]
        self._held = sights.held[0]
        self._horizon = sights.settings.steps - int(sights.step[0])

    def destination(self, path: Path, order: int) -> Destination:
        """Where the agent at the end of a path goes next, if it reasons to the given order."""
        me, known = path[-1], self._beliefs[path][0]
        here = self._cells[me]
        if known[me].all():
            return Destination(self._bases[me], manhattan(here, self._bases[me]), 0.0)
        best = Destination(here, 0, 0.0)
        for other in range(len(self._cells)):
            gain = int((known[other] != known[me]).sum())
            if other != me and gain:
                steps, cell = self._meeting(here, self._trajectory((*path, other), order - 1))
                rate = gain / (steps + gain / EXCHANGED)
                if rate > best.rate:
                    best = Destination(cell, steps, rate)
        return best

    def _trajectory(self, path: Path, order: int) -> Trajectory:
        """The cells that the agent at the end of a path will visit; one that is held or of order 0 stays."""
        agent = path[-1]
        here = self._cells[agent]
        if order < 1 or self._held[agent]:
            return [here]
        goal = self.destination(path, order).cell
        return walk(here, goal)

    def _meeting(self, here: Cell, trajectory: Trajectory) -> tuple[int, Cell]:
        """The earliest meeting with an agent on a trajectory: after how many steps, and from which cell."""
        steps, there = meeting(self._settings, here, trajectory)
        if steps >= max(1, self._horizon):
            steps, there = self._horizon, trajectory[-1]
        return steps, nearest_in_range(self._settings, here, there)

    def directions_towards(self, sights: Sights, goal: Cell) -> list[Direction]:
        """The directions towards a cell: those into free cells if there are any, else all; `STAY` if there is none."""
        here = self._cells[int(sights.me[0])]
        leading = [
            direction for direction in Direction if manhattan(_neighbour(here, direction), goal) < manhattan(here, goal)
        ]
        free = [direction for direction in leading if _neighbour(here, direction) not in self._cells]
        return free or leading or [Direction.STAY]


def walk(here: Cell, goal: Cell) -> list[Cell]:
    """The cells from here to a goal, both included; each step is along the longer remaining side, on a tie along x."""
    cells = [here]
    while cells[-1] != goal:
        x, y = cells[-1]
        dx, dy = goal[0] - x, goal[1] - y
        cells.append((x + int(np.sign(dx)), y) if abs(dx) >= abs(dy) else (x, y + int(np.sign(dy))))
    return cells


def meeting(settings: GameSettings, here: Cell, trajectory: Trajectory) -> tuple[int, Cell]:
    """The earliest meeting with an agent on a trajectory: after how many steps, and where that one is then."""

    def distance(there: Cell) -> int:
        return manhattan(here, nearest_in_range(settings, here, there))

    on_the_way = ((steps, there) for steps, there in enumerate(trajectory) if distance(there) <= steps)
    return next(on_the_way, (distance(trajectory[-1]), trajectory[-1]))


def nearest_in_range(settings: GameSettings, here: Cell, there: Cell) -> Cell:
    """The cell nearest to `here` from which `there` is within hearing range."""
    x, y = (
        min(max(own, target - settings.hearing), target + settings.hearing)
        for own, target in zip(here, there, strict=True)
    )
    return x, y


def _neighbour(cell: Cell, direction: Direction) -> Cell:
    """The next cell in a direction, which may lie off the board."""
    dx, dy = OFFSETS[direction].tolist()
    return cell[0] + dx, cell[1] + dy
