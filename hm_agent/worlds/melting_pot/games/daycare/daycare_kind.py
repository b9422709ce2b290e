"""The seam of daycare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import DaycareFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
    from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots


class DaycareKind(OpenKind):
    """A parent and a child, whose hands and fruit are watched."""

    facts = DaycareFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {"grasping": "a parent always brings what is grasped at, a child always asks for it"}

    def parts(self) -> OpenParts:
        from hm_agent.worlds.melting_pot.games.daycare.care import ATTENDS, POINTS
        from hm_agent.worlds.melting_pot.games.daycare.daycare_mind import REASONER
        from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareFollower, DaycareNotes, DaycareSeat
        from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts

        return OpenParts(
            DaycareSeat,
            DaycareNotes,
            DaycareFollower,
            reasoner=REASONER,
            strategies={"grasping": f"{POINTS} {ATTENDS}"},
        )

    def bots(self, facts: DaycareFacts) -> RuleBots:
        from hm_agent.worlds.melting_pot.games.daycare.simulator.daycare_bots import RULES, STAND_INS
        from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots

        return RuleBots(facts, RULES, self.parts(), STAND_INS)
