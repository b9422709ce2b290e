"""How many steps it takes the agent to collect the things that it knows of."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from hm_agent.worlds.melting_pot.grid import Cell, Layout


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the agent is and which things it knows of, by cell. here: None while it is not free to walk."""

    layout: Layout
    here: Cell | None
    things: Mapping[Cell, str]

    def count(self, kind: str) -> int:
        """How many things of a kind are known."""
        return sum(thing == kind for thing in self.things.values())

    def steps_to(self, kind: str, more: int) -> int | None:
        """The steps to take so many things of a kind, always the nearest next; None if too few are known."""
        left = {cell for cell, thing in self.things.items() if thing == kind}
        here, steps = self.here, 0
        for _ in range(more):
            ways = _ways_from(here, self.layout) if here else {}
            reachable = [cell for cell in left if cell in ways]
            if not reachable:
                return None
            here = min(reachable, key=lambda cell: (ways[cell], cell))
            steps += ways[here]
            left.remove(here)
        return steps


def _ways_from(start: Cell, layout: Layout) -> Mapping[Cell, int]:
    """The length of the shortest way to each cell that can be reached, around walls alone."""
    ways = {start: 0}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in layout.neighbours[cell]:
            if neighbour not in ways:
                ways[neighbour] = ways[cell] + 1
                queue.append(neighbour)
    return ways
