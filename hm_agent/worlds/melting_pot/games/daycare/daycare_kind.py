"""The seam of daycare."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind


class DaycareKind(OpenKind):
    """A parent and a child, whose hands and fruit are watched."""

    facts_at = "games.daycare.daycare_facts:DaycareFacts"
    parts_at = "games.daycare.daycare_mind:PARTS"
    bots_at = "games.daycare.simulator.daycare_bots:daycare_bots"
    knows_bots = True
    shortcuts: Mapping[str, str] = {"grasping": "a parent always brings what is grasped at, a child always asks for it"}
