"""The parts that play a seat of an open game, of which kinds of games that build upon these replace some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.greedy import ANSWERS
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat


@dataclass(frozen=True)
class OpenParts:
    """The classes of one kind, the built-in reasoner's functions, and the strategies of shortcuts by name.

    seat: what questions show. notes: what keeps it. follower: what carries out plans. mind: what strategists ask.
    """

    seat: type[OpenSeat] = OpenSeat
    notes: type[OpenNotes] = OpenNotes
    follower: type[OpenFollower] = OpenFollower
    mind: type[WrittenMind] = WrittenMind
    answers: ReasonerTable = field(default_factory=lambda: ANSWERS)
    strategies: Mapping[str, str] = field(default_factory=dict)
