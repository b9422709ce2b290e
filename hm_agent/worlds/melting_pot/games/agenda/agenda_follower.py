"""Carries out a plan in Hidden Agenda, where votes begin and end at any time."""

from __future__ import annotations

from enum import IntEnum

from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaSeat
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Move


class AgendaFollower(OpenFollower):
    """Follows plans, and interrupts them when a vote begins or ends, and by who is in view while tags are likely."""

    def __init__(self, notes: OpenNotes, actions: type[IntEnum]) -> None:
        super().__init__(notes, actions)
        self._was_voting = self._was_ready = False
        self._in_view = 0

    def _news(self, situation: OpenSeat) -> str | None:
        assert isinstance(situation, AgendaSeat)
        has_changed = situation.is_voting != self._was_voting
        count = len(situation.in_view)
        can_tag = situation.is_ready and (not self._was_ready or count != self._in_view)
        self._was_voting, self._was_ready, self._in_view = situation.is_voting, situation.is_ready, count
        if has_changed:
            return phrase("melting_pot/agenda/messages.j2", "vote_begins" if situation.is_voting else "vote_ends")
        reason = "can_tag" if situation.is_impostor else "may_tag"
        return phrase("melting_pot/agenda/messages.j2", reason) if can_tag and not situation.is_voting else None

    def reflex(self, situation: OpenSeat) -> IntEnum | None:
        """Stands still once it is out of the game: nobody is asked for plans that it can't carry out."""
        assert isinstance(situation, AgendaSeat)
        return self._actions(Move.NOOP) if situation.is_out else super().reflex(situation)
