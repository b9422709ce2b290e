"""The scripted players of common goods."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts
from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
from hm_agent.worlds.melting_pot.games.commons.rules import REGROWTH_RULES, RIVER_RULES
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots


def commons_bots(facts: CommonsFacts) -> RuleBots:
    return RuleBots(facts, RIVER_RULES if facts.river else REGROWTH_RULES, OpenParts(CommonsSeat, CommonsNotes))
