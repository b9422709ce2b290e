"""The body of agents that play any substrate in language: the shared one, with this kind's notes and calls."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from hm_agent.agents.planning_body import NoProbes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.questions import Model
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

OpenBody: TypeAlias = WrittenBody[View, IntEnum, OpenSeat]


def open_body(
    facts: SubstrateFacts,
    slot: int,
    seat: type[OpenSeat],
    model: Model,
    reflector: Reflector,
    notes_of: type[OpenNotes] = OpenNotes,
    follower_of: type[OpenFollower] = OpenFollower,
    mind_of: type[WrittenMind] = WrittenMind,
) -> OpenBody:
    """The body of the player of a slot.

    seat, notes_of, follower_of, mind_of: what questions show, what keeps it, what carries out plans and what
    strategists ask, of its kind's classes.
    """
    actions = actions_of(facts.substrate)
    notes = notes_of(facts, slot, actions, seat)
    follower = follower_of(notes, actions)
    return written_body(notes, follower, mind_of(notes.players, notes), model, reflector, NoProbes())
