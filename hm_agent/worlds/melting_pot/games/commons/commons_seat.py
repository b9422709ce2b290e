"""What questions show of a player at a common good."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property

from hm_agent.questions import UNSHOWN
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell

FRESH = 15
"""What was not in view for more steps than this says nothing of how many apples are left."""


@dataclass(frozen=True, slots=True)
class RiverSeen:
    """The river as last seen. dirty: how many of the `places` seen lately hold dirt. step: the latest look at many."""

    dirty: int
    places: int
    step: int

    @property
    def share(self) -> float:
        return min(1.0, self.dirty / self.places)


@dataclass(frozen=True)
class CommonsSeat(OpenSeat):
    """What one player knows of a common good at a step.

    cleaned, spoiled: the latest step at which each was seen to clean, itself included, and to take a last apple. river:
    None where there is none, or none was seen. water, orchard: the cells of both that were seen.
    """

    blocks = "melting_pot/commons/blocks.j2"

    facts: CommonsFacts = field(metadata=UNSHOWN)
    cleaned: tuple[tuple[str, int], ...] = ()
    spoiled: tuple[tuple[str, int], ...] = ()
    river: RiverSeen | None = None
    water: tuple[Cell, ...] = field(default=(), metadata=UNSHOWN)
    orchard: tuple[Cell, ...] = field(default=(), metadata=UNSHOWN)

    @cached_property
    def apples(self) -> tuple[Cell, ...]:
        """Where apples were last seen, but for the own cell."""
        return tuple(self.cells_of((self.facts.apple,)))

    @property
    def sees_apples(self) -> bool:
        """True if an apple was in view lately."""
        kind = self.facts.apple
        return any(each == kind and self.step - step <= FRESH for each, step in self.seen.values())

    @property
    def shunned(self) -> Set[Cell]:
        """Also apples that a walk doesn't lead to, where they grow back only beside others."""
        return {*super().shunned, *self.apples} if self.facts.regrowth else super().shunned

    def apples_leaving(self, least: int) -> tuple[Cell, ...]:
        """The apples that lie within the radius of at least so many others."""
        assert self.facts.regrowth is not None, "only where apples grow back beside others"
        near, apples = self.facts.regrowth.near, frozenset(self.apples)
        return tuple(cell for cell in self.apples if near(cell, apples) >= least)
