"""The seam of daycare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import DaycareFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.daycare.daycare_follower import DaycareFollower
    from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareNotes, DaycareSeat
    from hm_agent.worlds.melting_pot.games.daycare.simulator.daycare_bots import DaycareBots


class DaycareKind(OpenKind):
    """A parent and a child, whose hands and fruit are watched."""

    facts = DaycareFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {"grasping": "a parent always brings what is grasped at, a child always asks for it"}

    def notes(self) -> type[DaycareNotes]:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareNotes

        return DaycareNotes

    def follower(self) -> type[DaycareFollower]:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_follower import DaycareFollower

        return DaycareFollower

    def situation(self) -> type[DaycareSeat]:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat

        return DaycareSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_mind import ANSWERS

        return ANSWERS

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.daycare.care import ATTENDS, POINTS
        from hm_agent.worlds.melting_pot.games.open.constant_strategist import ConstantStrategist

        return lambda mind, model: ConstantStrategist(mind, model, f"{POINTS} {ATTENDS}")

    def bots(self, facts: DaycareFacts) -> DaycareBots:
        from hm_agent.worlds.melting_pot.games.daycare.simulator.daycare_bots import DaycareBots

        return DaycareBots(facts)
