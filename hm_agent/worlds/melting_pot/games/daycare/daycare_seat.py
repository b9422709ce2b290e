"""What questions show of a parent or a child, and how that is found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import CHILD, LOOSE, PARENT
from hm_agent.worlds.melting_pot.games.daycare.hands import FruitKnown, HandWatch
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Cell

MOST_FRUIT = 6
"""How many fruits questions tell of, the latest first."""


@dataclass(frozen=True)
class DaycareSeat(OpenSeat):
    """What a parent or a child knows at a step.

    is_child: which of the two it is. held, other_held: the fruit in the own hand and in the other's, which is at
    other_hand. grown: where the own one grows. fruit: those that somebody had to do with. child_ate, given_at: the
    latest steps in which the child was seen to eat and was given something; -1 before the first.
    """

    blocks = "melting_pot/daycare/blocks.j2"

    is_child: bool
    held: str | None
    grown: Cell | None
    other_held: str | None
    other_hand: Cell | None
    fruit: tuple[FruitKnown, ...]
    child_ate: int
    given_at: int

    @property
    def other(self) -> str:
        return PARENT if self.is_child else CHILD

    @property
    def fruit_shown(self) -> list[FruitKnown]:
        """The fruit that questions show: for a parent, whose own takes tell nothing, those that the child minds."""
        told = [each for each in self.fruit if self.is_child or each.other or each.given or each.eaten]
        return sorted(told, key=lambda each: (-max(each.when, each.given_at), each.cell))[:MOST_FRUIT]

    def known(self, cell: Cell) -> FruitKnown:
        """What is known of the fruit that grows in a cell."""
        return next((each for each in self.fruit if each.cell == cell), FruitKnown(cell))


class DaycareNotes(OpenNotes):
    """Perceives and remembers for a parent or a child."""

    def _watching(self) -> HandWatch:
        self._own = f"player_{self._slot}"
        self._hands = HandWatch(self._own)
        return self._hands

    def read(self, observation: Observation[View]) -> list[Event]:
        events = list(super().read(observation))
        for cell in self._hands.let_go:
            if self.memory.things.get(cell, ("",))[0] in LOOSE:
                self.memory.things.pop(cell)
        return events

    def _more(self) -> Mapping[str, Any]:
        held = self._hands.held
        own, other = held.get(self._own), next((held[name] for name in held if name != self._own), None)
        return {
            "is_child": self._own == CHILD,
            "held": own.fruit if own else None,
            "grown": own.grown if own else None,
            "other_held": other.fruit if other else None,
            "other_hand": other.cell if other else None,
            "fruit": tuple(replace(each) for each in self._hands.fruit.values()),
            "child_ate": self._hands.child_ate,
            "given_at": self._hands.given_at,
        }
