"""The body of agents that play any substrate in language: the shared one, with this kind's notes and calls."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from hm_agent.agents.planning_body import NoProbes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.questions import Model
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

OpenBody: TypeAlias = WrittenBody[View, IntEnum, OpenSeat]


def open_body(facts: SubstrateFacts, slot: int, parts: OpenParts, model: Model, reflector: Reflector) -> OpenBody:
    """The body of the player of a slot. parts: of its kind of games."""
    actions = actions_of(facts.substrate)
    notes = parts.notes(facts, slot, actions, parts.seat)
    follower = parts.follower(notes, actions)
    return written_body(notes, follower, parts.mind(notes.players, notes), model, reflector, NoProbes())
