"""The parts that play an open game, of which kinds of games that build upon these replace some."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeAlias

from hm_agent.agents.planning_body import NoProbes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.core import Observation, Strategy
from hm_agent.models.prompts import phrase
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.kind import Reader
from hm_agent.worlds.melting_pot.games.open.conduct import Conduct, ConductSeen
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.greedy import REASONER
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule

MOST_CONDUCTS = 5
"""How many of the latest stretches of others are told."""
OpenBody: TypeAlias = WrittenBody[View, IntEnum, OpenSeat]
Rules: TypeAlias = Mapping[str, PlayingRule]
"""Rules of players, by name."""


@dataclass(frozen=True)
class OpenParts:
    """What plays the games of one kind.

    notes: what perceives, and keeps what questions show. follower: what carries out plans. mind: what strategists ask.
    reasoner: how the built-in one answers. shortcuts: what agents do that model nobody; their words are their strategy.
    rules: what scripted players in a slot may do, by what the game's file calls puppeteers; those whose role has none
    of the rules that a scenario names do the first. stand_ins: the names of the rules in place of Melting Pot's bots,
    by a part of the bots' names, of which the first that fits counts. goals: what puppets do, by the number of their
    puppeteer's GOAL. Where the game's file says what stands in for bots, nothing of that counts.
    """

    notes: type[OpenNotes] = OpenNotes
    follower: type[OpenFollower] = OpenFollower
    mind: type[WrittenMind] = WrittenMind
    reasoner: WrittenReasoner[Any] = REASONER
    shortcuts: Rules = field(default_factory=dict)
    rules: Callable[[Any, int], Rules] = lambda facts, slot: {}
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    goals: Sequence[PlayingRule] = ()

    def senses(self, facts: SubstrateFacts, slot: int) -> tuple[OpenNotes, OpenFollower]:
        """What perceives for the player of a slot, and what carries out its plans."""
        notes = self.notes(facts, slot)
        return notes, self.follower(notes)

    def body(self, facts: SubstrateFacts, slot: int, model: Model, reflector: Reflector) -> OpenBody:
        """The body of agents that play in language: the shared one, with this kind's notes and calls."""
        notes, follower = self.senses(facts, slot)
        return written_body(notes, follower, self.mind(notes.players, notes), model, reflector, NoProbes())

    def strategist(self, shortcut: str) -> Callable[[WrittenMind, Model], ConstantStrategist]:
        """What builds the strategist of a shortcut."""
        return lambda mind, model: ConstantStrategist(mind, model, self.shortcuts[shortcut].words)


PARTS = OpenParts()
"""Those of any substrate."""


class ConstantStrategist(BaseStrategist[WrittenMind]):
    """Models nobody: keeps to one strategy in words, whatever others do."""

    def __init__(self, mind: WrittenMind, model: Model, words: str) -> None:
        super().__init__(mind, model)
        self._words = words

    async def _decide(self) -> Strategy:
        return WrittenStrategy(self._words)


def reader_with(notes: OpenNotes) -> Reader:
    """Puts all that a player knows into words, step by step, by the notes that the package's own agents think with."""
    conducts: deque[Conduct] = deque(maxlen=MOST_CONDUCTS)

    def tell(observation: Observation[View], action: int) -> str:
        notes.note_action(notes.actions(action))
        conducts.extend(event.interaction for event in notes.read(observation) if isinstance(event, ConductSeen))
        seat, grid = notes.situation, notes.grid(observation)
        return phrase("melting_pot/open/told.j2", "told", seat=seat, grid=grid, conducts=list(conducts))

    return tell
