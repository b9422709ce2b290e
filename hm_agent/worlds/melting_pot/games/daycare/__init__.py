"""Daycare: a parent reaches all fruit and a child hardly any, and only the child sees which kind it likes."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind


class DaycareKind(OpenKind):
    """A parent and a child, whose hands and fruit are watched."""

    facts_at = "games.daycare.daycare_facts:DaycareFacts"
    parts_at = "games.daycare.daycare_mind:PARTS"
    knows_bots = True
    shortcuts: Mapping[str, str] = {"grasping": "a parent always brings what is grasped at, a child always asks for it"}
