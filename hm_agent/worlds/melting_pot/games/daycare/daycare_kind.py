"""The seam of daycare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from hm_agent.agents.agent import BodyBuilder
from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import DaycareFacts
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat
    from hm_agent.worlds.melting_pot.games.daycare.simulator.daycare_bots import DaycareBots
    from hm_agent.worlds.melting_pot.games.options import AgentOptions


class DaycareKind(OpenKind):
    """A parent and a child, whose hands and fruit are watched."""

    facts = DaycareFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {"grasping": "a parent always brings what is grasped at, a child always asks for it"}

    def body(self, facts: SubstrateFacts, options: AgentOptions, slot: int, *, is_column: bool = False) -> BodyBuilder:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_follower import DaycareFollower
        from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareNotes
        from hm_agent.worlds.melting_pot.games.open.open_body import open_body

        return partial(open_body, facts, slot, self.situation(), notes_of=DaycareNotes, follower_of=DaycareFollower)

    def situation(self) -> type[DaycareSeat]:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat

        return DaycareSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.daycare.daycare_mind import ANSWERS

        return ANSWERS

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.daycare.care import ATTENDS, POINTS
        from hm_agent.worlds.melting_pot.games.open.fixed_belief import FixedBelief

        return lambda mind, model: FixedBelief(mind, model, (POINTS, ATTENDS))

    def bots(self, facts: DaycareFacts) -> DaycareBots:
        from hm_agent.worlds.melting_pot.games.daycare.simulator.daycare_bots import DaycareBots

        return DaycareBots(facts)
