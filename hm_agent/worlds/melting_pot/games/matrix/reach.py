"""How many steps it takes the agent to collect the things that it knows of."""

from __future__ import annotations

from collections.abc import Mapping, Set
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
            found = _nearest(here, left, self.layout) if here else None
            if found is None:
                return None
            here, away = found
            steps += away
            left.remove(here)
        return steps


def _nearest(start: Cell, wanted: Set[Cell], layout: Layout) -> tuple[Cell, int] | None:
    """The wanted cell with the shortest way around walls alone, the first of several, and that way's length."""
    ring, seen, steps = {start}, {start}, 0
    while ring:
        if found := ring & wanted:
            return min(found), steps
        ring = {beside for cell in ring for beside in layout.neighbours[cell]} - seen
        seen |= ring
        steps += 1
    return None
