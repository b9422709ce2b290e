"""All that a player of an open game knows, in words: its view, what it remembers and did, and what others did."""

from __future__ import annotations

from collections import deque

from hm_agent.core import Observation
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.conduct import Conduct, ConductSeen
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes

MOST_CONDUCTS = 5
"""How many of the latest stretches of others are told."""


class OpenTeller:
    """Puts one player's episode into words, step by step: the same notes that the package's own agents think with."""

    def __init__(self, notes: OpenNotes) -> None:
        self._notes = notes
        self._conducts: deque[Conduct] = deque(maxlen=MOST_CONDUCTS)
        self._is_first = True

    def tell(self, observation: Observation[View], action: int) -> str:
        """What is known after an observation. action: the own one since the one before; ignored at the first."""
        notes = self._notes
        if not self._is_first:
            notes.note_action(notes.actions(action))
        self._is_first = False
        self._conducts.extend(event.interaction for event in notes.read(observation) if isinstance(event, ConductSeen))
        seat = notes.situation
        grid, conducts = notes.grid(observation), list(self._conducts)
        return phrase("melting_pot/open/told.j2", "told", seat=seat, grid=grid, conducts=conducts)
