"""Agents that reason to a given order about the others, and take one step at a time towards whom they gain most from.

Order 0 knows what it knows itself, and takes the others to know only what they know first-hand. Order 1 also keeps K
(GE). Both take the others to stay where they are. Order k above 1 takes each other agent to act as one of order k - 1
does, by what it believes that this agent believes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hm_agent.worlds.symmtom.knowledge.orders import NestedKnowledge, Path
from hm_agent.worlds.symmtom.policies.planner import best_piece
from hm_agent.worlds.symmtom.policies.policy import Policy, draw
from hm_agent.worlds.symmtom.rules import OFFSETS, Bools, Direction, GameState, Ints
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights
from hm_agent.worlds.symmtom.views import Cell

Trajectory = Sequence[Cell]
"""Where an agent is expected to be, from now on, step by step."""


@dataclass(frozen=True)
class Destination:
    """A cell to be at after some steps; what is gained there for each step."""

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
            raise ValueError(f"an agent of order {self._order} plays alone in its row, not one of {len(sights.me)}")
        beliefs = dict(self._beliefs.update(sights))
        me = int(sights.me[0])
        if self._order == 0:
            beliefs[me,] = sights.first_hand.copy()
            beliefs[me,][0, me] = sights.knows[0]
        self.believed = beliefs[me,]
        reasoning = Reasoning(sights, beliefs)
        steps = reasoning.ways(sights, reasoning.destination((me,), self._order).cell)
        chance = draw(sights, 2, len(Direction))[0]
        direction = np.array([max(steps, key=lambda step: chance[step])], np.int32)
        return direction, best_piece(sights, self.believed, direction)


class Reasoning:
    """One agent's reasoning in one turn. beliefs: K by path."""

    def __init__(self, sights: Sights, beliefs: Mapping[Path, Bools]) -> None:
        self._settings, self._beliefs = sights.settings, beliefs
        self._cells: list[Cell] = [(x, y) for x, y in sights.positions[0].tolist()]
        self._bases: list[Cell] = [(x, y) for x, y in sights.bases[0].tolist()]
        self._held = sights.held[0]
        self._horizon = sights.settings.steps - int(sights.step[0])

    def destination(self, path: Path, order: int) -> Destination:
        """What the agent at the end of a path does next, if it reasons to the given order."""
        me, known = path[-1], self._beliefs[path][0]
        here = self._cells[me]
        if known[me].all():
            return Destination(self._bases[me], _apart(here, self._bases[me]), 0.0)
        best = Destination(here, 0, 0.0)
        for other in range(len(self._cells)):
            gain = int((known[other] != known[me]).sum())
            if other != me and gain:
                steps, cell = self._meeting(here, self._trajectory((*path, other), order - 1))
                rate = gain / (steps + gain / 2)
                if rate > best.rate:
                    best = Destination(cell, steps, rate)
        return best

    def _trajectory(self, path: Path, order: int) -> Trajectory:
        """Where the agent at the end of a path goes; one that is held or of order 0 stays."""
        agent = path[-1]
        here = self._cells[agent]
        if order < 1 or self._held[agent]:
            return [here]
        goal = self.destination(path, order).cell
        return walk(here, goal)

    def _meeting(self, here: Cell, trajectory: Trajectory) -> tuple[int, Cell]:
        """The earliest meeting with an agent on a trajectory: after how many steps, and in which cell."""
        for steps in range(max(1, self._horizon)):
            there = trajectory[min(steps, len(trajectory) - 1)]
            cell = nearest_in_range(self._settings, here, there)
            if _apart(here, cell) <= steps:
                return steps, cell
        there = trajectory[-1]
        return self._horizon, nearest_in_range(self._settings, here, there)

    def ways(self, sights: Sights, goal: Cell) -> list[Direction]:
        """The directions that lead towards a cell; those into free cells if there are any, else `STAY`."""
        here = self._cells[int(sights.me[0])]
        leading = [one for one in Direction if _apart(_moved(here, one), goal) < _apart(here, goal)]
        free = [one for one in leading if _moved(here, one) not in self._cells]
        return free or leading or [Direction.STAY]


def walk(here: Cell, goal: Cell) -> list[Cell]:
    """The cells on the way to a goal, both included: along the longer side first, of equal ones along x."""
    cells = [here]
    while cells[-1] != goal:
        x, y = cells[-1]
        dx, dy = goal[0] - x, goal[1] - y
        cells.append((x + int(np.sign(dx)), y) if abs(dx) >= abs(dy) else (x, y + int(np.sign(dy))))
    return cells


def nearest_in_range(settings: GameSettings, here: Cell, there: Cell) -> Cell:
    """The cell nearest to one from which another is within hearing."""
    x, y = (
        min(max(one, other - settings.hearing), other + settings.hearing)
        for one, other in zip(here, there, strict=True)
    )
    return x, y


def _apart(one: Cell, other: Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _moved(cell: Cell, direction: Direction) -> Cell:
    dx, dy = OFFSETS[direction].tolist()
    return cell[0] + dx, cell[1] + dy
