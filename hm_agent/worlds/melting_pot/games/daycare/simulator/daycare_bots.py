"""The scripted parents and children of daycare's unseen scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hm_agent.worlds.melting_pot.games.daycare.care import (
    ATTENDS,
    FORAGES,
    PLAYS,
    POINTS,
    REFUSES,
    SPOILS,
    child_calls,
    parent_calls,
    playful_calls,
    spoiling_calls,
)
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import DaycareFacts
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots

RULES: Mapping[str, PlayingRule] = {
    "attends": PlayingRule(ATTENDS, partial(parent_calls, rule=POINTS, fed_for=0)),
    "spoils": PlayingRule(SPOILS, spoiling_calls),
    "forages": PlayingRule(FORAGES, partial(parent_calls, rule=None)),
    "points": PlayingRule(POINTS, partial(child_calls, rule=ATTENDS)),
    "plays": PlayingRule(PLAYS, playful_calls),
    "refuses": PlayingRule(REFUSES, partial(child_calls, rule=FORAGES, refuses=True)),
}
"""The rules of parents and children, by the names that the game's file calls puppeteers."""

STAND_INS: Mapping[str, str] = {
    "helping_parent": "attends",
    "foraging_parent": "forages",
    "pointing_child": "points",
    "foraging_child": "refuses",
}
"""The rules that stand in for Melting Pot's trained bots, by what these are called."""


def daycare_bots(game: DaycareFacts, parts: OpenParts) -> RuleBots:
    return RuleBots(game, parts, RULES, STAND_INS)
